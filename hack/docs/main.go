// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command docs writes a page for each command of kindling into docs/commands, from the commands themselves.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/gardener/kindling/pkg/cmd"
)

const dir = "docs/commands"

func main() {
	if err := write(dir); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	root := cmd.NewCommand(cmd.IOStreams{In: os.Stdin, Out: io.Discard, ErrOut: io.Discard})
	disableDates(root)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return doc.GenMarkdownTree(root, dir)
}

// disableDates keeps the pages the same from day to day.
func disableDates(command *cobra.Command) {
	command.DisableAutoGenTag = true
	for _, child := range command.Commands() {
		disableDates(child)
	}
}
