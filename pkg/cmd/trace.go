// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/vpn"
	"github.com/gardener/kindling/pkg/vpn/picture"
)

// Formats of a trace beside those of every command.
const (
	formatDOT = "dot"
	formatSVG = "svg"
)

type traceOptions struct {
	selection
	shoot      string
	from       *choice
	to         string
	routes     string
	kubeconfig string
	namespace  string
	output     *choice
	// elsewhere says that tables come from a file or from pods.
	elsewhere bool
}

func newTraceCommand(streams IOStreams) *cobra.Command {
	options := &traceOptions{}
	command := &cobra.Command{
		Use:   "trace [PROFILE]",
		Short: "Predict whether kube-apiserver reaches kubelets through the VPN",
		Long: `Follow packets from kube-apiserver to the nodes, pods or services of a shoot, hop by hop, with the route that decides at each, and say
whether they go through the VPN, and if not, why and which setting would change it.

The tables come from the address plan of an environment, before anything exists; or with --routes from what ip route printed somewhere,
as it is quoted in issues; or with --kubeconfig and --namespace from running pods of a control plane, where they are read by exec.

The exit code is 0 for each verdict.`,
		Example: `  kindling trace
  kindling trace ha-single-zone --to 10.0.200.5
  kindling trace -f environment.yaml -o svg > trace.svg
  ip route | kindling trace --routes - --to 10.1.54.75
  kindling trace --kubeconfig seed.kubeconfig --namespace shoot--local--local`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE: func(command *cobra.Command, args []string) error {
			options.elsewhere = command.Flags().Changed("routes") || command.Flags().Changed("kubeconfig")
			return options.run(command.Context(), streams, args)
		},
	}
	flags := command.Flags()
	options.addFlags(flags)
	flags.StringVar(&options.shoot, "shoot", "", "name of the shoot, or NAMESPACE/NAME (default: the first one of the environment)")
	options.from = newChoice("", []string{vpn.KubeAPIServer, vpn.VPNSeedServer})
	flags.Var(options.from, "from", "pod that packets come from (default: "+vpn.KubeAPIServer+"; with --routes and --kubeconfig, the pod whose table it is)")
	flags.StringVar(&options.to, "to", "", "nodes, pods, services, an address or a CIDR (default: nodes; with --kubeconfig, the machines that are there)")
	flags.StringVar(&options.routes, "routes", "", "file with the output of ip route or ip -j route, or - for standard input")
	flags.StringVar(&options.kubeconfig, "kubeconfig", "", "kubeconfig of the seed, to read tables from running pods")
	flags.StringVar(&options.namespace, "namespace", "", "namespace of the control plane in the seed, such as shoot--local--local")
	options.output = outputFlag(flags, formatDOT, formatSVG)
	command.MarkFlagsMutuallyExclusive("routes", "kubeconfig")
	command.MarkFlagsRequiredTogether("kubeconfig", "namespace")
	return command
}

func (o *traceOptions) run(ctx context.Context, streams IOStreams, args []string) error {
	trace, err := o.trace(ctx, streams, args)
	if err != nil {
		return err
	}
	switch format := o.output.value; format {
	case formatDOT:
		return picture.DOT(streams.Out, trace)
	case formatSVG:
		return picture.SVG(streams.Out, trace)
	case string(printer.FormatTable):
		return printTrace(streams.Out, trace)
	default:
		return printer.Encode(streams.Out, printer.Format(format), trace)
	}
}

// check refuses flags that don't go together. named says that a profile is given.
func (o *traceOptions) check(named bool) error {
	switch {
	case o.routes == "-" && o.file == "-":
		return errors.New("standard input can be the environment or the routes, not both")
	case o.elsewhere && o.routes == "" && o.kubeconfig == "":
		return errors.New("--routes and --kubeconfig need the name of a file")
	case o.elsewhere && o.shoot != "" && o.file == "" && !named:
		return errors.New("--shoot is a shoot of an environment: give a profile or a file too")
	}
	return nil
}

func (o *traceOptions) trace(ctx context.Context, streams IOStreams, args []string) (*vpn.Trace, error) {
	if err := o.check(len(args) > 0); err != nil {
		return nil, &UsageError{err}
	}
	// With tables from somewhere else an environment is needed only for the names of ranges.
	var network *vpn.Network
	var notices []string
	if !o.elsewhere || o.file != "" || len(args) > 0 {
		var err error
		if network, notices, err = o.network(streams, args); err != nil {
			return nil, err
		}
	}
	switch {
	case o.routes != "":
		return o.fromText(streams.In, network)
	case o.kubeconfig != "":
		return o.fromPods(ctx, network)
	}
	target, err := o.target(network)
	if err != nil {
		return nil, err
	}
	from := o.from.value
	if from == "" {
		from = vpn.KubeAPIServer
	}
	trace, err := network.Trace(from, target)
	if err != nil {
		return nil, err
	}
	trace.Notices = notices
	return trace, nil
}

// network is the VPN of the chosen shoot, and what the environment does not cover.
func (o *traceOptions) network(streams IOStreams, args []string) (*vpn.Network, []string, error) {
	env, plan, err := o.load(streams, args)
	if err != nil {
		return nil, nil, err
	}
	shoot, err := findShoot(plan, o.shoot)
	if err != nil {
		return nil, nil, &UsageError{err}
	}
	network, err := vpn.New(plan, shoot, render.HasGuard(env))
	return network, render.Notices(env, plan, render.Options{Encapsulation: env.Spec.Calico.Encapsulation}), err
}

func findShoot(plan *netplan.Plan, name string) (netplan.Shoot, error) {
	for _, shoot := range plan.Shoots {
		if name == "" || name == shoot.Name || name == shoot.Namespace+"/"+shoot.Name {
			return shoot, nil
		}
	}
	if name == "" {
		return netplan.Shoot{}, fmt.Errorf("environment %s has no shoots: there is nothing to trace to", plan.Environment)
	}
	return netplan.Shoot{}, fmt.Errorf("environment %s has no shoot %q: kindling plan lists them", plan.Environment, name)
}

// target is what --to says; network may be nil, and then only addresses are known.
func (o *traceOptions) target(network *vpn.Network) (vpn.Target, error) {
	to := o.to
	if to == "" {
		to = vpn.TargetNodes
	}
	if network == nil {
		prefix, err := vpn.ParsePrefix(to)
		if err != nil {
			return vpn.Target{}, &UsageError{fmt.Errorf("%w; without an environment, --to needs an address or a CIDR", err)}
		}
		return vpn.NewTarget(to, "", prefix), nil
	}
	target, err := network.Target(to)
	if err != nil {
		return vpn.Target{}, &UsageError{err}
	}
	return target, nil
}
