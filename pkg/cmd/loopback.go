// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/loopback"
)

// newLoopbackCommand is run by up and down with the rights of root. It does nothing but to change addresses of the loopback interface, and
// only those that package loopback allows.
func newLoopbackCommand() *cobra.Command {
	command := &cobra.Command{Use: environment.LoopbackCommand, Hidden: true, Short: "Change the addresses of this machine's loopback interface"}
	for _, change := range []struct {
		name string
		do   func(context.Context, []netip.Addr) error
	}{{environment.LoopbackAdd, loopback.Add}, {environment.LoopbackRemove, loopback.Remove}} {
		command.AddCommand(&cobra.Command{
			Use:  change.name + " ADDRESS…",
			Args: cobra.MinimumNArgs(1),
			RunE: func(command *cobra.Command, args []string) error {
				addresses := make([]netip.Addr, len(args))
				for i, arg := range args {
					address, err := netip.ParseAddr(arg)
					if err != nil || !loopback.Allowed(address) {
						return &UsageError{fmt.Errorf("%s is no address that is put on a loopback interface", arg)}
					}
					addresses[i] = address
				}
				return hidden(change.do(command.Context(), addresses))
			},
		})
	}
	return command
}
