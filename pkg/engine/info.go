// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Info tells of the engine and of the host that it runs on, which need not be this one.
type Info struct {
	// Name is the host name of the engine's host; empty when the engine does not tell.
	Name            string `json:"name"`
	ServerVersion   string `json:"serverVersion"`
	OperatingSystem string `json:"operatingSystem"`
	Architecture    string `json:"architecture"`
	Kernel          string `json:"kernel"`
	// CgroupVersion is 1 or 2; 0 when the engine does not tell.
	CgroupVersion int `json:"cgroupVersion"`
	CPUs          int `json:"cpus"`
	// Memory in bytes.
	Memory int64 `json:"memory"`
	// Rootless engines run without the rights of root: kind needs delegated cgroups then, and IPIP may not be had.
	Rootless bool `json:"rootless"`
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
	var answer struct {
		ServerErrors []string `json:"ServerErrors"`
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		return fmt.Errorf("reading what the engine says of itself: %w", err)
	}
	if len(answer.ServerErrors) > 0 {
		return &CommandError{[]string{Docker, "info"}, strings.Join(answer.ServerErrors, "\n"), errors.New("no answer")}
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
		Name            string   `json:"Name"`
		ServerVersion   string   `json:"ServerVersion"`
		OperatingSystem string   `json:"OperatingSystem"`
		Architecture    string   `json:"Architecture"`
		KernelVersion   string   `json:"KernelVersion"`
		CgroupVersion   string   `json:"CgroupVersion"`
		NCPU            int      `json:"NCPU"`
		MemTotal        int64    `json:"MemTotal"`
		SecurityOptions []string `json:"SecurityOptions"`
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		return Info{}, fmt.Errorf("reading what the engine says of itself: %w", err)
	}
	return Info{
		Name: answer.Name, ServerVersion: answer.ServerVersion, OperatingSystem: answer.OperatingSystem, Architecture: answer.Architecture,
		Kernel: answer.KernelVersion, CgroupVersion: cgroupVersion(answer.CgroupVersion), CPUs: answer.NCPU, Memory: answer.MemTotal,
		Rootless: slices.Contains(answer.SecurityOptions, "name=rootless"),
	}, nil
}

func podmanInfo(output []byte) (Info, error) {
	var answer struct {
		Host struct {
			Hostname      string `json:"hostname"`
			Arch          string `json:"arch"`
			Kernel        string `json:"kernel"`
			CgroupVersion string `json:"cgroupVersion"`
			CPUs          int    `json:"cpus"`
			MemTotal      int64  `json:"memTotal"`
			OS            string `json:"os"`
			Security      struct {
				Rootless bool `json:"rootless"`
			} `json:"security"`
		} `json:"host"`
		Version struct {
			Version string `json:"Version"`
		} `json:"version"`
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		return Info{}, fmt.Errorf("reading what the engine says of itself: %w", err)
	}
	return Info{
		Name: answer.Host.Hostname, ServerVersion: answer.Version.Version, OperatingSystem: answer.Host.OS, Architecture: answer.Host.Arch, Kernel: answer.Host.Kernel,
		CgroupVersion: cgroupVersion(answer.Host.CgroupVersion), CPUs: answer.Host.CPUs, Memory: answer.Host.MemTotal,
		Rootless: answer.Host.Security.Rootless,
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
