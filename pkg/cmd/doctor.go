// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/doctor"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/printer"
)

type doctorOptions struct {
	environmentOptions
	fix    bool
	ignore []string
	output *choice
}

func newDoctorCommand(streams IOStreams) *cobra.Command {
	options := &doctorOptions{}
	command := &cobra.Command{
		Use:   "doctor [PROFILE]",
		Short: "Say whether engine, its host and this machine are fit for an environment",
		Long: `Look at the container engine, at its host, and at this machine, and say what an environment would fail at or suffer from, and what to do
about it. Nothing is changed, and nothing is pulled: without a node image in the engine, nothing is known of its host.

The exit code is 4 when something fatal is found. --fix does what is safe: it removes containers and the network of dead environments, removes
a damaged manifest from the cache, and raises limits of the engine's host. What takes the rights of root is only shown.`,
		Example: `  kindling doctor
  kindling doctor ha-single-zone -o json
  kindling doctor --fix --ignore routes,proxy`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE: func(command *cobra.Command, args []string) error {
			return options.run(command.Context(), streams, args)
		},
	}
	flags := command.Flags()
	options.addFlags(flags)
	flags.DurationVar(&options.timeout, "timeout", time.Minute, "time for all of it")
	flags.BoolVar(&options.fix, "fix", false, "do what is safe, and show what takes the rights of root")
	flags.StringSliceVar(&options.ignore, "ignore", nil, "checks whose findings don't count, by their identities")
	options.output = outputFlag(flags)
	return command
}

func (o *doctorOptions) run(ctx context.Context, streams IOStreams, args []string) error {
	if _, err := doctor.Find(o.ignore); err != nil {
		return &UsageError{fmt.Errorf("--ignore: %w", err)}
	}
	spec, plan, err := o.load(streams, args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	containerEngine, info, engineErr := detectEngine(ctx, o.engine)
	if engineErr != nil && !is[*engine.UnavailableError](engineErr) {
		return engineErr
	}
	env, err := o.environmentOf(spec, plan, containerEngine, info)
	if err != nil {
		return err
	}
	results := checkAll(ctx, env, engineErr, o.ignore)
	if o.fix {
		fixed, err := fixFindings(ctx, streams.ErrOut, env, results)
		if err != nil {
			return err
		}
		if fixed {
			if env, err = o.environmentOf(spec, plan, containerEngine, info); err != nil { // an environment asks for some things once
				return err
			}
			results = checkAll(ctx, env, engineErr, o.ignore)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := printDoctor(streams.Out, printer.Format(o.output.value), results); err != nil {
		return err
	}
	return fatalFindings(results)
}

// checkAll finds all facts out, and holds them to the checks. engineErr is why there is no engine.
func checkAll(ctx context.Context, env *environment.Environment, engineErr error, ignored []string) []doctor.Result {
	facts := env.DoctorFacts(ctx, engineErr)
	facts.KindNetwork = doctor.Known(kindNetworkProblem())
	return doctor.Run(facts, ignored)
}

// fixFindings does what can be done about findings that count. A fix that fails does not keep the others from being done.
func fixFindings(ctx context.Context, w io.Writer, env *environment.Environment, results []doctor.Result) (fixed bool, err error) {
	var errs []error
	for _, result := range results {
		for _, finding := range result.Findings {
			if finding.Fix == nil || result.Status == doctor.Ignored {
				continue
			}
			text, err := env.DoctorFix(ctx, *finding.Fix)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", result.Check, err))
				continue
			}
			fixed = true
			if _, err := fmt.Fprintf(w, "%s: %s\n", result.Check, text); err != nil {
				return fixed, err
			}
		}
	}
	return fixed, errors.Join(errs...)
}

// fatalFindings ends a command when something fatal was found that is not ignored; the findings have been printed.
func fatalFindings(results []doctor.Result) error {
	var fatal []string
	for _, result := range results {
		if result.Status == doctor.Status(doctor.Fatal) {
			fatal = append(fatal, result.Check)
		}
	}
	if len(fatal) == 0 {
		return nil
	}
	return &hostNotFit{fmt.Errorf("not fit for this environment: %s", strings.Join(fatal, ", "))}
}

// printDoctor writes a line for each check, and what to do about each finding.
func printDoctor(w io.Writer, format printer.Format, results []doctor.Result) error {
	if format != printer.FormatTable {
		return printer.Encode(w, format, results)
	}
	var rows [][]string
	for _, result := range results {
		rows = append(rows, []string{result.Check, string(result.Status), doctorFound(result)})
	}
	if err := printer.Table(w, []string{"CHECK", "RESULT", "FOUND"}, rows); err != nil {
		return err
	}
	for _, result := range results {
		for _, finding := range result.Findings {
			if err := printFinding(w, result, finding); err != nil {
				return err
			}
		}
	}
	return nil
}

// doctorFound is short: findings follow below the table.
func doctorFound(result doctor.Result) string {
	if len(result.Findings) > 1 {
		return fmt.Sprintf("%d findings, see below", len(result.Findings))
	}
	if len(result.Findings) == 1 {
		return "see below"
	}
	return oneLine(result.Found)
}

func printFinding(w io.Writer, result doctor.Result, finding doctor.Finding) error {
	status := string(finding.Severity)
	if result.Status == doctor.Ignored {
		status = string(doctor.Ignored)
	}
	if _, err := fmt.Fprintf(w, "\n%s (%s): %s\n", result.Check, status, finding.Text); err != nil {
		return err
	}
	remedy := finding.Remedy
	switch {
	case remedy == "":
		return nil
	case finding.Fix != nil:
		remedy += "   (or kindling doctor --fix)"
	case finding.Root:
		remedy += "   (takes the rights of root)"
	}
	_, err := fmt.Fprintf(w, "  %s\n", remedy)
	return err
}
