// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/addressmap/page"
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// formatHTML is a format of status beside those of every command.
const formatHTML = "html"

type statusOptions struct {
	environmentOptions
	output *choice
	seedAs *choice
	watch  bool
	// interval is the time between two looks.
	interval time.Duration
}

func newStatusCommand(streams IOStreams) *cobra.Command {
	options := &statusOptions{}
	command := &cobra.Command{
		Use:   "status [PROFILE]",
		Short: "Say of each step whether it is as wanted, and what differs",
		Long: `Look at every step of an environment and change nothing. The exit code is 3 when a step is not as wanted.

Below the steps is what is there in each cluster: nodes, pools with the blocks of each node, machines and shoots, and what of it is not as
the address plan has it. That does not change the exit code: Gardener and other people make pools and shoots too.

-o html writes one page with all of it, the checks of kindling doctor and the picture of kindling plan, which loads nothing from elsewhere.

--watch looks again and again until it is interrupted, and prints what changed: steps, and address maps as a whole. With -o json each
change is a whole status.`,
		Example:           "  kindling status\n  kindling status --watch\n  kindling status ha-single-zone -o json\n  kindling status -o html > status.html",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE: func(command *cobra.Command, args []string) error {
			return options.run(command.Context(), streams, args)
		},
	}
	options.addFlags(command.Flags())
	command.Flags().DurationVar(&options.timeout, "timeout", time.Minute, "time for one look")
	command.Flags().BoolVarP(&options.watch, "watch", "w", false, "go on looking, and print what changes")
	command.Flags().DurationVar(&options.interval, "interval", 5*time.Second, "time between two looks of --watch")
	options.output = outputFlag(command.Flags(), formatHTML)
	options.seedAs = seedAsFlag(command.Flags())
	return command
}

func (o *statusOptions) run(ctx context.Context, streams IOStreams, args []string) error {
	spec, plan, err := o.load(streams, args)
	if err != nil {
		return err
	}
	look := func(ctx context.Context) (page.Status, *environment.Environment, error) {
		return o.look(ctx, spec, plan)
	}
	if o.watch {
		return o.keepLooking(ctx, streams, look)
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	result, env, err := look(ctx)
	if err != nil {
		return err
	}
	if err := o.print(streams.Out, result); err != nil {
		return err
	}
	return judge(ctx, streams, env, result.Steps, "not as wanted")
}

// look opens the environment anew, because it remembers what it has seen.
func (o *statusOptions) look(ctx context.Context, spec *v1alpha1.Environment, plan *netplan.Plan) (page.Status, *environment.Environment, error) {
	result := page.Status{Environment: plan.Environment, Plan: plan}
	env, err := o.open(ctx, spec, plan, false, render.SeedForm(o.seedAs.value))
	if err != nil {
		return result, nil, err
	}
	list, err := env.Steps()
	if err != nil {
		return result, nil, err
	}
	result.Steps = (&steps.Runner{Steps: list}).Observe(ctx)
	result.Clusters = env.AddressMaps(ctx, result.Steps)
	if o.output.value == formatHTML {
		result.Checks = checkAll(ctx, env, nil, nil)
	}
	return result, env, nil
}

func (o *statusOptions) print(w io.Writer, result page.Status) error {
	switch format := o.output.value; format {
	case formatHTML:
		return page.HTML(w, result)
	case string(printer.FormatTable):
		if err := printObservations(w, printer.FormatTable, result.Steps); err != nil {
			return err
		}
		return printAddressMaps(w, result.Clusters)
	default:
		return printer.Encode(w, printer.Format(format), result)
	}
}

// observe looks at every step, prints what was found and what is not covered, and returns differencesFound when something is not as wanted.
func observe(ctx context.Context, streams IOStreams, env *environment.Environment, format printer.Format, what string) error {
	list, err := env.Steps()
	if err != nil {
		return err
	}
	results := (&steps.Runner{Steps: list}).Observe(ctx)
	if err := printObservations(streams.Out, format, results); err != nil {
		return err
	}
	return judge(ctx, streams, env, results, what)
}

// judge prints what is not covered, and returns the errors of steps, or differencesFound when something is not as wanted.
func judge(ctx context.Context, streams IOStreams, env *environment.Environment, results []steps.Result, what string) error {
	if err := printNotices(streams.ErrOut, env.Notices()); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	differing := 0
	var errs []error
	for _, result := range results {
		if !result.IsAsWanted() {
			differing++
		}
		if result.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", result.Step, result.Err))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if differing > 0 {
		return &differencesFound{fmt.Sprintf("%s: %d of %d steps", what, differing, len(results))}
	}
	return nil
}

func printObservations(w io.Writer, format printer.Format, results []steps.Result) error {
	if format != printer.FormatTable {
		return printer.Encode(w, format, results)
	}
	var rows [][]string
	for _, result := range results {
		found := result.Observation.Text
		if result.Err != nil {
			found = "see below"
		}
		rows = append(rows, []string{result.Step, string(result.Observation.State), found})
		for _, difference := range result.Observation.Differences {
			text := fmt.Sprintf("%s is %s, wanted %s", difference.Field, difference.Have, difference.Want)
			if difference.Recreate {
				text += " (needs --recreate=" + result.Step + ")"
			}
			rows = append(rows, []string{"", "", text})
		}
	}
	return printTable(w, []string{"STEP", "STATE", "FOUND"}, rows)
}
