// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package lab

import (
	"context"
	"errors"
	"io"
)

// Program is how this program is started again for the processes inside.
type Program []string

func unsupported() error {
	return &UnsupportedError{
		What: "making network namespaces", Err: errors.New("this is not Linux"),
		Remedy: "Run it on a Linux machine, for example in the virtual machine that the container engine runs in.",
	}
}

// Run says that there is no laboratory on this system.
func (p Program) Run(context.Context, Options, io.Writer, func(string)) (*Report, error) {
	return nil, unsupported()
}

// Shell says that there is no laboratory on this system.
func (p Program) Shell(context.Context, Options, ShellOptions, func(string)) (int, error) {
	return 0, unsupported()
}

// Sandbox says that there is no laboratory on this system.
func Sandbox(context.Context) error { return unsupported() }

// Component says that there is no laboratory on this system.
func Component(context.Context, io.Reader, io.Writer) error { return unsupported() }
