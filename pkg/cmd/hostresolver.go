// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/hostresolver"
	"github.com/gardener/kindling/pkg/hosts"
)

// newHostResolverCommand is run by up and down with the rights of root. It writes the files that package hostresolver knows, and no others.
func newHostResolverCommand() *cobra.Command {
	command := &cobra.Command{Use: environment.ResolverCommand, Hidden: true, Short: "Tell the resolver of this machine of the DNS server"}
	host := hostresolver.Host{Root: "/", OS: runtime.GOOS}
	for _, change := range []struct {
		name string
		do   func(context.Context, hostresolver.Settings) error
	}{{environment.ResolverSet, host.Set}, {environment.ResolverUnset, host.Unset}} {
		var kind string
		var servers, entries []string
		one := &cobra.Command{
			Use:  change.name,
			Args: cobra.NoArgs,
			RunE: func(command *cobra.Command, _ []string) error {
				settings, err := resolverSettings(kind, servers, entries)
				if err != nil {
					return &UsageError{err}
				}
				return hidden(change.do(command.Context(), settings))
			},
		}
		one.Flags().StringVar(&kind, environment.ResolverKind, "", "resolver")
		one.Flags().StringSliceVar(&servers, environment.ResolverServer, nil, "address of the server")
		one.Flags().StringSliceVar(&entries, environment.ResolverHost, nil, "ADDRESS=NAME for the hosts file")
		command.AddCommand(one)
	}
	return command
}

func resolverSettings(kind string, servers, entries []string) (hostresolver.Settings, error) {
	settings := hostresolver.Settings{Kind: hostresolver.Kind(kind)}
	for _, text := range servers {
		address, err := netip.ParseAddr(text)
		if err != nil {
			return settings, fmt.Errorf("%s is no address of a server", text)
		}
		settings.Nameservers = append(settings.Nameservers, address)
	}
	for _, text := range entries {
		address, name, _ := strings.Cut(text, "=")
		parsed, err := netip.ParseAddr(address)
		if err != nil {
			return settings, fmt.Errorf("%s is no entry of a hosts file", text)
		}
		settings.Hosts = append(settings.Hosts, hosts.Entry{Address: parsed, Name: name})
	}
	return settings, settings.Check()
}
