// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/steps"
)

type downOptions struct {
	environmentOptions
	output *choice
	// keepBackups leaves the folder for backups of etcd.
	keepBackups bool
}

func newDownCommand(streams IOStreams) *cobra.Command {
	options := &downOptions{}
	command := &cobra.Command{
		Use:   "down [PROFILE]",
		Short: "Take an environment down: clusters, container network, files, kubeconfig entries",
		Long: `Take down what kindling made for an environment, and nothing else.

The container network goes with the last container that uses it. A cluster or a network of the same name that kindling did not
make is left.`,
		Example:           "  kindling down\n  kindling down ha-single-zone",
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

func (o *downOptions) run(ctx context.Context, streams IOStreams, args []string) error {
	spec, plan, err := o.load(streams, args)
	if err != nil {
		return err
	}
	return o.takeDown(ctx, streams, spec, plan)
}

func (o *downOptions) takeDown(ctx context.Context, streams IOStreams, spec *v1alpha1.Environment, plan *netplan.Plan) error {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	env, err := o.open(ctx, spec, plan, false, "")
	if err != nil {
		return err
	}
	env.KeepBackups = o.keepBackups
	return o.withProgress(streams, func(progress printer.Progress) error {
		env.Privileged.Asking = progress.Pause
		return runSteps(streams.Out, printer.Format(o.output.value), env, progress, env.Steps, func(runner *steps.Runner) ([]steps.Result, error) {
			results, err := runner.Down(ctx)
			return withUndo(results), err
		})
	})
}

// withUndo leaves out steps that there is nothing to undo of.
func withUndo(results []steps.Result) []steps.Result {
	var selected []steps.Result
	for _, result := range results {
		if result.Action != steps.ActionSkipped {
			selected = append(selected, result)
		}
	}
	return selected
}
