// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package cmd holds the commands, one file each: flags become options, options go into one call, and its result is printed.
package cmd

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// IOStreams are where commands read and write. Results go to Out, everything else to ErrOut.
type IOStreams struct {
	In     io.Reader
	Out    io.Writer
	ErrOut io.Writer
}

// Main runs the program with its arguments, prints the error if there is one, and returns the exit code.
func Main(ctx context.Context, streams IOStreams, args []string) int {
	err := execute(ctx, streams, args)
	if message := Message(err); message != "" {
		_, _ = fmt.Fprintf(streams.ErrOut, "kindling: %s\n", message)
	}
	return ExitCode(err)
}

func execute(ctx context.Context, streams IOStreams, args []string) error {
	started := false
	root := NewCommand(streams)
	root.SetArgs(args)
	root.PersistentPreRunE = func(command *cobra.Command, _ []string) error {
		// Flags that exclude each other are looked at later than other errors of the command line, and are of their kind.
		err := command.ValidateFlagGroups()
		started = err == nil
		return err
	}
	err := root.ExecuteContext(ctx)
	if err != nil && !started {
		// Nothing ran: the error is about the command line.
		return &UsageError{err}
	}
	return err
}

// NewCommand returns the root command with all others below it.
func NewCommand(streams IOStreams) *cobra.Command {
	root := &cobra.Command{
		Use:   "kindling",
		Short: "Make kind clusters for a local Gardener in which a broken VPN is seen",
		Long: `kindling makes the kind clusters in which a local Gardener is bootstrapped.

The pod CIDR of a cluster is split into seed pods and machines, with a Calico pool for each, so that
Shoot.spec.networking.nodes can be set, the VPN has a route for machines, and a broken VPN is seen.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(
		newUpCommand(streams),
		newDownCommand(streams),
		newStopCommand(streams),
		newStartCommand(streams),
		newStatusCommand(streams),
		newDoctorCommand(streams),
		newLogsCommand(streams),
		newPlanCommand(streams),
		newRenderCommand(streams),
		newValidateCommand(streams),
		newTraceCommand(streams),
		newLabCommand(streams),
		newVerifyCommand(streams),
		newCacheCommand(streams),
		newProfilesCommand(streams),
		newKindUpCommand(streams),
		newKindDownCommand(streams),
		newVersionCommand(streams),
		newLoopbackCommand(),
		newHostResolverCommand(),
	)
	return root
}
