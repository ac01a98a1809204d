// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package run starts other programs, never through a shell.
package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// tailLines is how much of a program's messages goes into an error.
const tailLines = 20

// Command is a program to run.
type Command struct {
	Name string
	Args []string
	// Folder to run in; empty for the current one.
	Folder string
	// Env is the whole environment; nil for the current one.
	Env []string
	// PrivateMounts gives the program mounts of its own: what it leaves
	// mounted is gone when it ends. Needs root.
	PrivateMounts bool
}

// Run waits for the program to end and drops its output. If it fails, the
// error holds the last lines of it.
func (c Command) Run(ctx context.Context) error {
	var output bytes.Buffer
	return c.run(ctx, &output, &output)
}

// Output returns what the program writes to standard output.
func (c Command) Output(ctx context.Context) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	err := c.run(ctx, &stdout, &stderr)
	return stdout.Bytes(), err
}

// To streams standard output to a writer.
func (c Command) To(ctx context.Context, out io.Writer) error {
	var stderr bytes.Buffer
	return c.run(ctx, out, &stderr)
}

func (c Command) run(ctx context.Context, stdout io.Writer, messages *bytes.Buffer) error {
	command := exec.CommandContext(ctx, c.Name, c.Args...)
	command.Dir = c.Folder
	command.Env = c.Env
	command.Stdout = stdout
	command.Stderr = messages
	// Ask first: debootstrap and go have something to tidy up.
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 10 * time.Second
	if c.PrivateMounts {
		command.SysProcAttr = privateMounts()
	}
	err := command.Run()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s is missing, install it: %w", c.Name, err)
	}
	return fmt.Errorf("%s failed: %w\n%s", filepath.Base(c.Name), err, tail(messages.String()))
}

func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
