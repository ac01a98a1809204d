// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/steps"
)

type stopOptions struct {
	environmentOptions
	output *choice
}

func newStopCommand(streams IOStreams) *cobra.Command {
	options := &stopOptions{}
	command := &cobra.Command{
		Use:   "stop [PROFILE]",
		Short: "Stop the containers of an environment, and keep everything",
		Long: `Stop the nodes of an environment's clusters, workers first, then registry, caches and DNS server, unless another environment that
runs uses them. Nothing is removed; kindling start brings it back.

A cluster of the same name that kindling did not make is left.`,
		Example:           "  kindling stop\n  kindling stop ha-single-zone",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE: func(command *cobra.Command, args []string) error {
			return options.run(command.Context(), streams, args)
		},
	}
	options.addFlags(command.Flags())
	options.addRunFlags(command.Flags())
	options.output = outputFlag(command.Flags())
	return command
}

func (o *stopOptions) run(ctx context.Context, streams IOStreams, args []string) error {
	spec, plan, err := o.load(streams, args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	env, err := o.open(ctx, spec, plan, false, "")
	if err != nil {
		return err
	}
	return o.withProgress(streams, func(progress printer.Progress) error {
		return runSteps(streams.Out, printer.Format(o.output.value), env, progress, env.StopSteps, func(runner *steps.Runner) ([]steps.Result, error) {
			return runner.Up(ctx)
		})
	})
}
