// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"fmt"
	"slices"
	"strings"
)

// ShellOptions say what to run where.
type ShellOptions struct {
	// Namespace is one of Names.
	Namespace string `json:"namespace"`
	// Command and its arguments.
	Command []string `json:"command"`
}

// UnknownNamespaceError says that a laboratory has no such namespace.
type UnknownNamespaceError struct {
	Name  string
	Known []string
}

// Error implements error.
func (e *UnknownNamespaceError) Error() string {
	return fmt.Sprintf("the laboratory has no namespace %q: there are %s", e.Name, strings.Join(e.Known, ", "))
}

// CheckName says whether a laboratory has a namespace of that name.
func CheckName(name string, ha bool) error {
	if known := Names(ha); !slices.Contains(known, name) {
		return &UnknownNamespaceError{Name: name, Known: known}
	}
	return nil
}
