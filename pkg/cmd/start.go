// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"github.com/spf13/cobra"
)

func newStartCommand(streams IOStreams) *cobra.Command {
	options := &upOptions{starting: true}
	command := &cobra.Command{
		Use:   "start [PROFILE]",
		Short: "Start an environment that was stopped, or that a reboot stopped",
		Long: `Start an environment: containers that environments share, control planes, workers. Nodes get the addresses back that their
certificates name; where somebody else has one meanwhile, that is said, with what it affects.

Then everything is looked at, and repaired as kindling up does: loopback addresses, sysctls, names, routes, kubeconfigs. A cluster is
never made: that takes kindling up.`,
		Example:           "  kindling start\n  kindling start ha-single-zone",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE: func(command *cobra.Command, args []string) error {
			return options.run(command.Context(), streams, args)
		},
	}
	flags := command.Flags()
	options.addFlags(flags)
	options.addRunFlags(flags)
	options.output = outputFlag(flags)
	options.seedAs = newChoice("", nil)
	return command
}
