// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/lab"
	"github.com/gardener/kindling/pkg/printer"
)

// labOptions say what is built, for all commands of the laboratory.
type labOptions struct {
	layout  *choice
	ha      bool
	noGuard bool
}

func newLabCommand(streams IOStreams) *cobra.Command {
	command := &cobra.Command{
		Use:   "lab",
		Short: "Play the fault with real packets, in network namespaces of this machine",
		Long: `Build seed nodes, kube-apiserver, the VPN and a machine as network namespaces, wired as Calico wires pods, with a real tunnel and
real servers, and see which way the packets take.

It needs Linux, and neither cluster nor container engine. It runs as root, or in a user namespace of its own; it touches nothing of the
host, and leaves nothing behind.`,
	}
	command.AddCommand(newLabRunCommand(streams), newLabShellCommand(streams), newLabSandboxCommand(), newLabComponentCommand(streams))
	return command
}

func (o *labOptions) addFlags(flags *pflag.FlagSet) {
	o.layout = newChoice("split", []string{"split", "outside", "legacy"})
	flags.Var(o.layout, "layout", "where machines get their addresses")
	flags.BoolVar(&o.ha, "ha", false, "control plane with high availability: kube-apiserver has the VPN's devices itself")
	flags.BoolVar(&o.noGuard, "no-guard", false, "without the policy that forbids seed pods to reach kubelets directly; the layout legacy never has it")
}

func (o *labOptions) options() lab.Options {
	layout := map[string]v1alpha1.Layout{
		"split": v1alpha1.LayoutSplit, "outside": v1alpha1.LayoutOutside, "legacy": v1alpha1.LayoutLegacy,
	}[o.layout.value]
	return lab.Options{Layout: layout, HA: o.ha, Guard: !o.noGuard && layout != v1alpha1.LayoutLegacy, Break: lab.SideNone}
}

// labSelf is how the laboratory starts this program for its own processes.
func labSelf() (lab.Program, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, to start it again in namespaces: %w", err)
	}
	return lab.Program{executable, "lab"}, nil
}

type labRunOptions struct {
	labOptions
	breakSide *choice
	output    *choice
}

func newLabRunCommand(streams IOStreams) *cobra.Command {
	options := &labRunOptions{}
	command := &cobra.Command{
		Use:   "run",
		Short: "Check with the VPN up, break it, check again",
		Long: `Play what the report of the fault tells: ask for logs, a port-forward and metrics with the VPN up, break the VPN, and ask again with
new connections. A check that is green with a broken VPN hides the fault.

The servers tell from which address they were asked: that is the way that the packets took. Beside kube-apiserver's checks every seed pod
tries to reach the kubelet by its own routes, which shows what the guard is for.

The VPN is the one of the Gardener version that the fault was reported for (` + lab.GardenerVersion + `), for IPv4. The exit code is 0 for
each verdict, and 1 when a check fails before anything is broken.`,
		Example: `  kindling lab run --layout legacy    # the fault: green with a broken VPN
  kindling lab run                    # the cure
  kindling lab run --ha --no-guard --break seed`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return options.run(command.Context(), streams) },
	}
	options.addFlags(command.Flags())
	options.breakSide = newChoice(string(lab.SideShoot), []string{string(lab.SideShoot), string(lab.SideSeed), string(lab.SideNone)})
	command.Flags().Var(options.breakSide, "break", "which side of the VPN is removed, as scaling vpn-shoot or vpn-seed-server to 0 does")
	options.output = outputFlag(command.Flags())
	return command
}

func (o *labRunOptions) run(ctx context.Context, streams IOStreams) error {
	self, err := labSelf()
	if err != nil {
		return err
	}
	opts := o.options()
	opts.Break = lab.Side(o.breakSide.value)
	report, err := self.Run(ctx, opts, streams.ErrOut, labProgress(streams.ErrOut))
	if err != nil {
		return ended(ctx, err)
	}
	if format := printer.Format(o.output.value); format != printer.FormatTable {
		err = printer.Encode(streams.Out, format, report)
	} else {
		err = printLab(streams.Out, report)
	}
	if err == nil && report.Verdict == lab.VerdictBroken {
		return refused{}
	}
	return err
}

// ended tells an interruption from other ends of a laboratory.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &labInterrupted{ctx.Err()}
	}
	return err
}

func labProgress(w io.Writer) func(string) {
	return func(line string) { _, _ = fmt.Fprintf(w, "lab: %s\n", line) }
}

func newLabShellCommand(streams IOStreams) *cobra.Command {
	options := &labOptions{}
	command := &cobra.Command{
		Use:   "shell NAMESPACE [-- COMMAND...]",
		Short: "Look around in a namespace of a laboratory that is built for it",
		Long: "Build a laboratory with the VPN up and run $SHELL, or a command, in one of its network namespaces: " + strings.Join(lab.Names(false), ", ") +
			"; with --ha " + lab.VPNSeedServer + "-0 and -1.\n\nIn there, ip netns exec NAME leads to the others. All ends with the shell. The exit code is the command's, where it fails.",
		Example: `  kindling lab shell kube-apiserver --ha
  kindling lab shell vpn-seed-server --layout legacy -- ip route`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return lab.Names(options.ha), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(command *cobra.Command, args []string) error {
			return options.shell(command.Context(), streams, args[0], args[1:])
		},
	}
	options.addFlags(command.Flags())
	return command
}

func (o *labOptions) shell(ctx context.Context, streams IOStreams, namespace string, command []string) error {
	self, err := labSelf()
	if err != nil {
		return err
	}
	if err := lab.CheckName(namespace, o.ha); err != nil {
		return &UsageError{err}
	}
	if len(command) == 0 {
		command = []string{shellOfUser()}
	}
	code, err := self.Shell(ctx, o.options(), lab.ShellOptions{Namespace: namespace, Command: command}, labProgress(streams.ErrOut))
	if err != nil {
		return ended(ctx, err)
	}
	if code != 0 {
		return &commandFailed{code}
	}
	return nil
}

// shellOfUser is what $SHELL says, or the shell that every system has.
func shellOfUser() string {
	if shell := os.Getenv("SHELL"); shell != "" {
		return shell
	}
	return "/bin/sh"
}

// newLabSandboxCommand is the first process inside.
func newLabSandboxCommand() *cobra.Command {
	return &cobra.Command{
		Use: "sandbox", Hidden: true, Args: cobra.NoArgs, Short: "Started by the other commands",
		RunE: func(command *cobra.Command, _ []string) error { return lab.Sandbox(command.Context()) },
	}
}

// newLabComponentCommand is a process of a pod inside.
func newLabComponentCommand(streams IOStreams) *cobra.Command {
	return &cobra.Command{
		Use: "component", Hidden: true, Args: cobra.NoArgs, Short: "Started by the other commands",
		RunE: func(command *cobra.Command, _ []string) error {
			return lab.Component(command.Context(), streams.In, streams.Out)
		},
	}
}
