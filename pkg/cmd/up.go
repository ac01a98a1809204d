// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/doctor"
	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

type upOptions struct {
	environmentOptions
	dryRun   bool
	merge    bool
	recreate []string
	// ignore names checks whose fatal findings are only told.
	ignore []string
	output *choice
	seedAs *choice
	// starting makes no cluster.
	starting bool
}

// recreateAll is --recreate without a step.
const recreateAll = "all"

func seedAsFlag(flags *pflag.FlagSet) *choice {
	var forms []string
	for _, form := range render.SeedForms() {
		forms = append(forms, string(form))
	}
	form := newChoice("", forms)
	flags.Var(form, "seed-as", "form of seed.yaml (default: what that version of Gardener is set up with)")
	return form
}

func newUpCommand(streams IOStreams) *cobra.Command {
	options := &upOptions{}
	command := &cobra.Command{
		Use:   "up [PROFILE]",
		Short: "Bring an environment up, or bring it back to what its file says",
		Long: `Bring an environment up: container network, clusters, Calico with both pools and the guard, seed.yaml and shoot.yaml.

Whatever is there already is looked at first and left when it is as wanted, so the same command goes on after an interruption,
repairs what was changed by hand, and applies a changed file. What can't be changed in place is named, and made again only with
--recreate.`,
		Example: `  kindling up
  kindling up ha-single-zone --merge
  kindling up -f environment.yaml --dry-run
  kindling up -f environment.yaml --recreate=cluster/gardener-local`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE: func(command *cobra.Command, args []string) error {
			return options.run(command.Context(), streams, args)
		},
	}
	flags := command.Flags()
	options.addFlags(flags)
	options.addUpFlags(flags)
	return command
}

func (o *upOptions) addUpFlags(flags *pflag.FlagSet) {
	o.addRunFlags(flags)
	flags.BoolVar(&o.dryRun, "dry-run", false, "only say what would be done; the exit code is 3 when something would")
	flags.BoolVar(&o.merge, "merge", false, "merge the kubeconfig into $KUBECONFIG or ~/.kube/config, and make its context the current one")
	flags.StringSliceVar(&o.recreate, "recreate", nil, "remove and make again what can't be changed in place: --recreate=STEP,... or --recreate for every step")
	flags.Lookup("recreate").NoOptDefVal = recreateAll
	flags.StringSliceVar(&o.ignore, "ignore-checks", nil, "checks of kindling doctor whose fatal findings are only told, by their identities")
	o.output = outputFlag(flags)
	o.seedAs = seedAsFlag(flags)
}

func (o *upOptions) run(ctx context.Context, streams IOStreams, args []string) error {
	spec, plan, err := o.checked(streams, args)
	if err != nil {
		return err
	}
	return o.bringUp(ctx, streams, spec, plan)
}

func (o *upOptions) bringUp(ctx context.Context, streams IOStreams, spec *v1alpha1.Environment, plan *netplan.Plan) error {
	if _, err := doctor.Find(o.ignore); err != nil {
		return &UsageError{fmt.Errorf("--ignore-checks: %w", err)}
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	env, err := o.open(ctx, spec, plan, o.merge, render.SeedForm(o.seedAs.value))
	if err != nil {
		return err
	}
	if err := o.checkRecreate(env); err != nil {
		return err
	}
	if o.dryRun {
		return observe(ctx, streams, env, printer.Format(o.output.value), "up would change")
	}
	return o.withProgress(streams, func(progress printer.Progress) error {
		if err := o.preflight(env, progress); err != nil {
			return err
		}
		env.Privileged.Asking = progress.Pause
		said := env.Notices()
		noteAll(progress, said)
		err := o.up(ctx, streams, env, progress)
		noteAll(progress, slices.DeleteFunc(env.Notices(), func(notice string) bool { return slices.Contains(said, notice) }))
		return err
	})
}

// preflight ends up before anything is made where a check finds something fatal in what is known anyway. What takes asking, steps tell by themselves
// before they make anything that depends on it.
func (o *upOptions) preflight(env *environment.Environment, progress printer.Progress) error {
	var errs []error
	for _, result := range doctor.Run(env.PreflightFacts(), o.ignore) {
		for _, finding := range result.Findings {
			switch {
			case finding.Severity != doctor.Fatal:
			case result.Status == doctor.Ignored:
				progress.Note("ignored: " + result.Check + ": " + finding.Text)
			default:
				errs = append(errs, fmt.Errorf("%s: %s\n%s, or go on with --ignore-checks %s", result.Check, finding.Text, finding.Remedy, result.Check))
			}
		}
	}
	if len(errs) > 0 {
		return &hostNotFit{errors.Join(errs...)}
	}
	return nil
}

func noteAll(progress printer.Progress, notices []string) {
	for _, notice := range notices {
		progress.Note(notice)
	}
}

// checkRecreate refuses names that are no steps: a typing error must not look like a choice.
func (o *upOptions) checkRecreate(env *environment.Environment) error {
	list, err := env.Steps()
	if err != nil {
		return err
	}
	for _, name := range o.recreate {
		if name != recreateAll && !slices.ContainsFunc(list, func(step steps.Step) bool { return step.Name == name }) {
			return &UsageError{fmt.Errorf("--recreate: there is no step %q", name)}
		}
	}
	return nil
}

func (o *upOptions) up(ctx context.Context, streams IOStreams, env *environment.Environment, progress printer.Progress) error {
	list := func() (steps.List, error) {
		if o.starting {
			if err := env.CheckWasUp(ctx); err != nil {
				return nil, err
			}
		}
		return env.Steps()
	}
	format := printer.Format(o.output.value)
	err := runSteps(streams.Out, format, env, progress, list, func(runner *steps.Runner) ([]steps.Result, error) {
		runner.Recreate = func(step string) bool {
			return slices.Contains(o.recreate, step) || slices.Contains(o.recreate, recreateAll)
		}
		return runner.Up(ctx)
	})
	if err != nil || format != printer.FormatTable {
		return err
	}
	return printNext(streams.Out, env)
}

// runSteps does something with steps while no other kindling works on the environment, and prints what came of each.
func runSteps(w io.Writer, format printer.Format, env *environment.Environment, progress printer.Progress,
	list func() (steps.List, error), do func(*steps.Runner) ([]steps.Result, error),
) error {
	unlock, err := env.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	all, err := list()
	if err != nil {
		return err
	}
	results, err := do(&steps.Runner{Steps: all, Emit: progress.Emit})
	progress.Close()
	if printErr := printRun(w, format, results); printErr != nil {
		return printErr
	}
	return err
}

// printRun prints what came of each step, and how long it took.
func printRun(w io.Writer, format printer.Format, results []steps.Result) error {
	if format != printer.FormatTable {
		return printer.Encode(w, format, results)
	}
	var rows [][]string
	for _, result := range results {
		action := string(result.Action)
		if result.Err != nil {
			action = "failed"
			if is[*steps.NeedError](result.Err) {
				action = "not done"
			}
		}
		rows = append(rows, []string{result.Step, action, fmt.Sprintf("%.1fs", result.Seconds), result.Observation.Text})
	}
	return printTable(w, []string{"STEP", "RESULT", "TIME", "FOUND"}, rows)
}

func printNext(w io.Writer, env *environment.Environment) error {
	_, err := fmt.Fprintf(w, "export KUBECONFIG=%s\n", env.Kubeconfig())
	return err
}
