// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package privileged runs this program again with the rights of root, for the few things on this machine that take them.
package privileged

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// Runner runs hidden commands of this program as root.
type Runner struct {
	// Program is the path of this program.
	Program string
	// Terminal is where sudo may ask for a password; nil for none, and then it must go without one.
	Terminal *os.File
	// Asking is called before sudo may ask, to keep the terminal free, and what it returns afterwards. Nil for nothing.
	Asking func() (done func())
}

// NeededError says that something takes the rights of root, which can't be had.
type NeededError struct {
	// What takes them.
	What string
	// Command can be pasted into a terminal, and does it.
	Command string
	// Instead says how to go on without.
	Instead string
	Err     error
}

// Error implements error.
func (e *NeededError) Error() string {
	return fmt.Sprintf("%s takes the rights of root, and they can't be had without a terminal: %s\nRun this, then the same command again:\n  %s\n%s",
		e.What, e.Err, e.Command, e.Instead)
}

// Unwrap returns the cause.
func (e *NeededError) Unwrap() error { return e.Err }

// sudoRefused is the exit code of sudo where it does not run the command.
const sudoRefused = 1

// FailedExit is the exit code of hidden commands that could not do what they are for. sudo itself has 1.
const FailedExit = 10

// Run runs a hidden command by sudo, once. What takes the rights, and how to go on without them, is for the error.
func (r Runner) Run(ctx context.Context, what, instead string, args ...string) error {
	program := "sudo"
	argv := append([]string{r.Program}, args...)
	shown := kindexec.PrettyCommand(program, argv...)
	if _, err := exec.LookPath(program); err != nil {
		return &NeededError{what, shown, instead, errors.New("there is no sudo")}
	}
	if r.Terminal == nil {
		argv = append([]string{"--non-interactive"}, argv...)
	} else {
		argv = append([]string{"--prompt=Password of %u, for kindling to change what only root may: "}, argv...)
	}
	process := exec.CommandContext(ctx, program, argv...)
	var stderr strings.Builder
	process.Stderr = &stderr
	if r.Terminal != nil {
		process.Stdin = r.Terminal // sudo asks at the terminal itself
		if r.Asking != nil {
			defer r.Asking()()
		}
	}
	err := process.Run()
	said := strings.TrimSpace(stderr.String())
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case ended && exit.ExitCode() != sudoRefused:
		return fmt.Errorf("%s failed, with the rights of root: %s\n%s", what, cmp.Or(said, err.Error()), instead)
	case err != nil:
		return &NeededError{what, shown, instead, fmt.Errorf("%w: %s", err, said)}
	}
	return nil
}
