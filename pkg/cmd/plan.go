// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/hostnet"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/netplan/picture"
	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/render"
)

type planOptions struct {
	selection
	output  *choice
	rules   *choice
	explain bool
	host    bool
	engine  string
}

// planResult is the plan in JSON and YAML.
type planResult struct {
	*netplan.Plan
	Notices  []string          `json:"notices,omitempty"`
	Findings []netplan.Finding `json:"findings"`
}

func newPlanCommand(streams IOStreams) *cobra.Command {
	options := &planOptions{}
	command := &cobra.Command{
		Use:   "plan [PROFILE]",
		Short: "Show the address plan of an environment and hold it to the rules",
		Long: `Show the address plan of an environment: every range, the nodes of every shoot, the pools, and the rules that are broken.

It asks neither an engine nor a cluster, unless --host is given.`,
		Example: `  kindling plan
  kindling plan ha-single-zone --explain
  kindling plan -f environment.yaml --host -o json
  kindling plan ha-single-zone --ip-family dual -o svg > plan.svg`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE: func(command *cobra.Command, args []string) error {
			return options.run(command.Context(), streams, args)
		},
	}
	options.addFlags(command.Flags())
	options.output = outputFlag(command.Flags(), formatSVG)
	options.rules = rulesFlag(command.Flags())
	command.Flags().BoolVar(&options.explain, "explain", false, "list every rule with what it compared")
	command.Flags().BoolVar(&options.host, "host", false, "compare with routes of this host and networks of the engine too")
	engineFlag(command.Flags(), &options.engine)
	return command
}

func (o *planOptions) run(ctx context.Context, streams IOStreams, args []string) error {
	env, plan, err := o.load(streams, args)
	if err != nil {
		return err
	}
	encapsulation := render.Resolve(env.Spec.Calico.Encapsulation)
	subject := plan.Subject(encapsulation)
	if o.host {
		if subject.Host, err = o.hostRanges(ctx); err != nil {
			return err
		}
	}
	result := planResult{
		Plan:     plan,
		Notices:  render.Notices(env, plan, render.Options{Encapsulation: encapsulation}),
		Findings: netplan.Check(subject, netplan.Mode(o.rules.value)),
	}
	if err := o.print(streams.Out, result); err != nil {
		return err
	}
	if violations := netplan.WithLevel(result.Findings, netplan.LevelViolation); len(violations) > 0 {
		return &RulesError{"environment " + env.Metadata.Name, violations}
	}
	return nil
}

func (o *planOptions) print(w io.Writer, result planResult) error {
	switch format := o.output.value; format {
	case formatSVG:
		return picture.SVG(w, result.Plan, result.Findings)
	case string(printer.FormatTable):
		return printPlan(w, result, o.explain)
	default:
		return printer.Encode(w, printer.Format(format), result)
	}
}

func (o *planOptions) hostRanges(ctx context.Context) ([]netplan.HostRange, error) {
	containerEngine, _, err := detectEngine(ctx, o.engine)
	if err != nil {
		return nil, err
	}
	return hostnet.Ranges(ctx, containerEngine)
}
