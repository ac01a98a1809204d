// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/profiles"
)

func newProfilesCommand(streams IOStreams) *cobra.Command {
	command := &cobra.Command{
		Use:               "profiles [PROFILE]",
		Short:             "List the built-in environments, or print one as a file to start from",
		Example:           "  kindling profiles\n  kindling profiles ha-single-zone > environment.yaml",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProfiles,
	}
	output := outputFlag(command.Flags())
	command.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 1 {
			source, err := profiles.Source(args[0])
			if err == nil {
				_, err = streams.Out.Write(source)
			}
			return err
		}
		if format := printer.Format(output.value); format != printer.FormatTable {
			return printer.Encode(streams.Out, format, profiles.List())
		}
		var rows [][]string
		for _, profile := range profiles.List() {
			rows = append(rows, []string{profile.Name, strings.Join(profile.Aliases, ", "), profile.Summary})
		}
		return printer.Table(streams.Out, []string{"PROFILE", "ALSO", "WHAT"}, rows)
	}
	return command
}
