// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// Names of the engines, in the order in which they are looked for.
const (
	Docker  = "docker"
	Nerdctl = "nerdctl"
	Podman  = "podman"
)

// Names lists all engines in the order in which they are looked for.
func Names() []string { return []string{Docker, Nerdctl, Podman} }

// Engine is a container engine.
type Engine struct {
	name   string
	runner Runner
}

// New returns an engine that is reached by a runner.
func New(name string, runner Runner) *Engine { return &Engine{name, runner} }

// Name returns docker, nerdctl or podman.
func (e *Engine) Name() string { return e.name }

// Detect returns the engine of a name, or the first one whose CLI is there, and asks it once whether it answers.
func Detect(ctx context.Context, name string) (*Engine, Info, error) {
	if name == "" {
		name = firstInstalled()
	}
	if !slices.Contains(Names(), name) {
		return nil, Info{}, &UnavailableError{Engine: name, Reason: "is not known", Remedy: "Choose one of " + strings.Join(Names(), ", ") + "."}
	}
	if _, err := exec.LookPath(name); err != nil {
		return nil, Info{}, &UnavailableError{
			Engine: name, Reason: "its command-line program is not on the PATH",
			Remedy: "Install Docker (https://docs.docker.com/engine/install/), or name another engine with --engine.",
		}
	}
	engine := New(name, CLI{name})
	info, err := engine.Info(ctx)
	return engine, info, err
}

func firstInstalled() string {
	for _, name := range Names() {
		if _, err := exec.LookPath(name); err == nil {
			return name
		}
	}
	return Docker
}

// Info tells of the engine and of the host that it runs on, which need not be this one.
type Info struct {
	ServerVersion   string `json:"serverVersion"`
	OperatingSystem string `json:"operatingSystem"`
	Architecture    string `json:"architecture"`
	Kernel          string `json:"kernel"`
	// CgroupVersion is 1 or 2; 0 when the engine does not tell.
	CgroupVersion int `json:"cgroupVersion"`
	CPUs          int `json:"cpus"`
	// Memory in bytes.
	Memory int64 `json:"memory"`
}

// Info asks the engine. The error is an *UnavailableError when it does not answer.
func (e *Engine) Info(ctx context.Context) (Info, error) {
	output, err := e.output(ctx, "info", "--format", "{{json .}}")
	if err == nil && e.name != Podman {
		// The docker client exits with 0 when the daemon does not answer, and says so in the JSON.
		err = serverErrors(output)
	}
	if err != nil {
		return Info{}, e.unavailable(ctx, err)
	}
	if e.name == Podman {
		return podmanInfo(output)
	}
	return dockerInfo(output)
}

func serverErrors(output []byte) error {
	var answer struct{ ServerErrors []string }
	if err := json.Unmarshal(output, &answer); err != nil {
		return fmt.Errorf("reading what the engine says of itself: %w", err)
	}
	if len(answer.ServerErrors) > 0 {
		return &CommandError{[]string{"info"}, strings.Join(answer.ServerErrors, "\n"), errors.New("no answer")}
	}
	return nil
}

func (e *Engine) unavailable(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return err
	case outputContains(err, "permission denied"):
		return &UnavailableError{
			Engine: e.name, Reason: "you may not use it", Err: err,
			Remedy: "Add yourself to the group docker and log in again (sudo usermod -aG docker $USER), or use an engine of your own.",
		}
	default:
		return &UnavailableError{Engine: e.name, Reason: "does not answer", Err: err, Remedy: "Start it, or check the context that it is reached by."}
	}
}

func dockerInfo(output []byte) (Info, error) {
	var answer struct {
		ServerVersion, OperatingSystem, Architecture, KernelVersion, CgroupVersion string
		NCPU                                                                       int
		MemTotal                                                                   int64
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		return Info{}, fmt.Errorf("reading what the engine says of itself: %w", err)
	}
	return Info{
		ServerVersion: answer.ServerVersion, OperatingSystem: answer.OperatingSystem, Architecture: answer.Architecture,
		Kernel: answer.KernelVersion, CgroupVersion: cgroupVersion(answer.CgroupVersion), CPUs: answer.NCPU, Memory: answer.MemTotal,
	}, nil
}

func podmanInfo(output []byte) (Info, error) {
	var answer struct {
		Host struct {
			Arch          string `json:"arch"`
			Kernel        string `json:"kernel"`
			CgroupVersion string `json:"cgroupVersion"`
			CPUs          int    `json:"cpus"`
			MemTotal      int64  `json:"memTotal"`
			OS            string `json:"os"`
		} `json:"host"`
		Version struct{ Version string } `json:"version"`
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		return Info{}, fmt.Errorf("reading what the engine says of itself: %w", err)
	}
	return Info{
		ServerVersion: answer.Version.Version, OperatingSystem: answer.Host.OS, Architecture: answer.Host.Arch, Kernel: answer.Host.Kernel,
		CgroupVersion: cgroupVersion(answer.Host.CgroupVersion), CPUs: answer.Host.CPUs, Memory: answer.Host.MemTotal,
	}, nil
}

// cgroupVersion reads "1", "2", "v1" and "v2".
func cgroupVersion(text string) int {
	switch strings.TrimPrefix(text, "v") {
	case "1":
		return 1
	case "2":
		return 2
	}
	return 0
}

// output runs a call and returns what it wrote.
func (e *Engine) output(ctx context.Context, args ...string) ([]byte, error) {
	var stdout bytes.Buffer
	err := e.runner.Run(ctx, Command{Args: args, Stdout: &stdout})
	return stdout.Bytes(), err
}

// ImageID returns the identity of an image that the engine has; a *NotFoundError when it has not.
func (e *Engine) ImageID(ctx context.Context, reference string) (string, error) {
	output, err := e.output(ctx, "image", "inspect", "--format", "{{.Id}}", reference)
	if outputContains(err, "no such image", "not found", "image not known") {
		return "", &NotFoundError{"image", reference}
	}
	return strings.TrimSpace(string(output)), err
}

// PullImage pulls an image.
func (e *Engine) PullImage(ctx context.Context, reference string) error {
	_, err := e.output(ctx, "pull", "--quiet", reference)
	return err
}

// platformAPI is the version of Docker's API from which on one platform of an image can be saved. Older engines keep one only.
const platformAPI = "1.48"

// SaveImage writes an image as an archive of one platform, the engine's own: nodes refuse archives that list platforms whose
// layers they lack.
func (e *Engine) SaveImage(ctx context.Context, reference string, w io.Writer) error {
	args := []string{"save"}
	if e.name == Docker {
		output, err := e.output(ctx, "version", "--format", "{{.Server.APIVersion}} {{.Server.Os}}/{{.Server.Arch}}")
		if err != nil {
			return err
		}
		api, platform, _ := strings.Cut(strings.TrimSpace(string(output)), " ")
		if parsed, err := version.ParseGeneric(api); err == nil && parsed.AtLeast(version.MustParseGeneric(platformAPI)) {
			args = append(args, "--platform", platform)
		}
	}
	return e.runner.Run(ctx, Command{Args: append(args, reference), Stdout: w})
}
