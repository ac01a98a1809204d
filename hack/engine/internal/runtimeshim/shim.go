// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package runtimeshim is an OCI runtime that asks for no more than it can get.
//
// A container engine gives a privileged container every capability the kernel
// knows. On a machine whose root user lacks one of them, runc refuses. The
// shim removes what is missing from the files that the engine wrote for runc
// and then becomes runc.
package runtimeshim

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/gardener/kindling/hack/engine/internal/capability"
)

// Name is the file name under which the shim is installed. A program called
// by this name behaves as the runtime.
const Name = "kindling-runc"

// Run serves one invocation: args are those of runc, without the program name.
// It returns only if something failed; else the process has become runc.
func Run(args []string) error {
	bounding, err := capability.Bounding()
	if err != nil {
		return err
	}
	if file, found := findTarget(args); found {
		if err := rewriteFile(file, bounding.Has); err != nil {
			return err
		}
	}
	runc, err := exec.LookPath("runc")
	if err != nil {
		return fmt.Errorf("cannot find runc, install it: %w", err)
	}
	if err := syscall.Exec(runc, append([]string{"runc"}, args...), os.Environ()); err != nil {
		return fmt.Errorf("cannot execute %s: %w", runc, err)
	}
	return nil
}

// rewriteFile changes the file in place: runc has not been started yet, so
// nobody else reads it.
func rewriteFile(file target, keep func(name string) bool) error {
	rewrite := RewriteSpec
	if file.process {
		rewrite = RewriteProcess
	}
	info, err := os.Stat(file.path)
	if err != nil {
		return fmt.Errorf("cannot find what to start: %w", err)
	}
	before, err := os.ReadFile(file.path)
	if err != nil {
		return fmt.Errorf("cannot read what to start: %w", err)
	}
	after, err := rewrite(before, keep)
	if err != nil {
		return fmt.Errorf("cannot drop capabilities in %s: %w", file.path, err)
	}
	if err := os.WriteFile(file.path, after, info.Mode().Perm()); err != nil {
		return fmt.Errorf("cannot drop capabilities: %w", err)
	}
	return nil
}
