// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"os/exec"
	"slices"
	"strings"
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

// output runs a call and returns what it wrote.
func (e *Engine) output(ctx context.Context, args ...string) ([]byte, error) {
	var stdout bytes.Buffer
	err := e.runner.Run(ctx, Command{Args: args, Stdout: &stdout})
	return stdout.Bytes(), err
}
