// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/printer"
)

type cacheOptions struct {
	environmentOptions
	output *choice
}

func newCacheCommand(streams IOStreams) *cobra.Command {
	options := &cacheOptions{}
	command := &cobra.Command{
		Use:   "cache [PROFILE]",
		Short: "Show registry and pull-through caches: state, size, hits",
		Long: `Show the registry that images are pushed to, and the caches that nodes pull other images through: whether they work, how much they
keep, and how often they had what was asked for since they were started.

Environments share them, and what they keep outlives clusters. Images that the engine itself pulls, such as those of nodes, don't come
through a cache.`,
		Example:           "  kindling cache\n  kindling cache -f environment.yaml -o json\n  kindling cache prune quay.io",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE: func(command *cobra.Command, args []string) error {
			return options.run(command.Context(), streams, args)
		},
	}
	options.addFlags(command.Flags())
	command.Flags().DurationVar(&options.timeout, "timeout", time.Minute, "time for all of it")
	options.output = outputFlag(command.Flags())
	command.AddCommand(newCachePruneCommand(streams))
	return command
}

func (o *cacheOptions) run(ctx context.Context, streams IOStreams, args []string) error {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	env, err := o.openSelected(ctx, streams, args)
	if err != nil {
		return err
	}
	caches, err := env.Caches(ctx)
	if err != nil {
		return err
	}
	return printCaches(streams.Out, printer.Format(o.output.value), caches)
}

func (o *cacheOptions) openSelected(ctx context.Context, streams IOStreams, args []string) (*environment.Environment, error) {
	spec, plan, err := o.load(streams, args)
	if err != nil {
		return nil, err
	}
	return o.open(ctx, spec, plan, false, "")
}

func printCaches(w io.Writer, format printer.Format, caches []environment.Cache) error {
	if format != printer.FormatTable {
		return printer.Encode(w, format, caches)
	}
	var rows [][]string
	for _, cache := range caches {
		row := []string{cache.Host, cache.Container, cache.State, printer.Bytes(cache.Bytes), "-", "-", "-", "-", "-", cache.Folder}
		if c := cache.Counters; c != nil {
			copy(row[4:], []string{
				strconv.FormatInt(c.Requests, 10), strconv.FormatInt(c.Hits, 10), strconv.FormatInt(c.Misses, 10), printer.Bytes(c.BytesPulled), printer.Bytes(c.BytesServed),
			})
		}
		rows = append(rows, row)
	}
	return printTable(w, []string{"HOST", "CONTAINER", "STATE", "SIZE", "REQUESTS", "HITS", "MISSES", "PULLED", "SERVED", "FOLDER"}, rows)
}
