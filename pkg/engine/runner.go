// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package engine is the one seam to the container engine: it runs the CLI of docker, podman or nerdctl, with JSON in and out. The
// CLI knows contexts, credentials and remote hosts, and kind uses the same one.
package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// Command is one call of the CLI. Arguments reach it as they are: nothing goes through a shell.
type Command struct {
	Args  []string
	Stdin io.Reader
	// Stdout receives the output; nil keeps it out of the way.
	Stdout io.Writer
	// Stderr receives what it writes to standard error, which the error of a call that fails has in any case.
	Stderr io.Writer
}

// Runner runs the CLI.
type Runner interface {
	Run(ctx context.Context, command Command) error
}

// CommandError says that a call failed.
type CommandError struct {
	// Args with the program in front.
	Args []string
	// Output is what it wrote to standard error.
	Output string
	Err    error
}

// Error implements error. The call can be pasted into a terminal.
func (e *CommandError) Error() string {
	text := fmt.Sprintf("%s: %s", kindexec.PrettyCommand(e.Args[0], e.Args[1:]...), e.Err)
	if output := strings.TrimSpace(e.Output); output != "" {
		text += "\n  " + strings.ReplaceAll(output, "\n", "\n  ")
	}
	return text
}

// Unwrap returns the cause.
func (e *CommandError) Unwrap() error { return e.Err }

// ioDelay is how long a call that was broken off may keep its output open: plugins of the CLI outlive it and hold on to it.
const ioDelay = 2 * time.Second

// CLI runs a program as the engine's CLI.
type CLI struct{ Program string }

// Run implements Runner.
func (c CLI) Run(ctx context.Context, command Command) error {
	process := exec.CommandContext(ctx, c.Program, command.Args...)
	process.WaitDelay = ioDelay
	var stderr bytes.Buffer
	process.Stdin, process.Stdout, process.Stderr = command.Stdin, command.Stdout, &stderr
	if command.Stderr != nil {
		process.Stderr = io.MultiWriter(&stderr, command.Stderr)
	}
	err := process.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &CommandError{append([]string{c.Program}, command.Args...), stderr.String(), err}
	}
	return nil
}

// outputContains says whether a call failed with one of the texts, in any case of letters, in its output.
func outputContains(err error, texts ...string) bool {
	failed, ok := asCommandError(err)
	if !ok {
		return false
	}
	output := strings.ToLower(failed.Output)
	for _, text := range texts {
		if strings.Contains(output, strings.ToLower(text)) {
			return true
		}
	}
	return false
}
