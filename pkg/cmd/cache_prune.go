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

	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/printer"
)

type cachePruneOptions struct {
	cacheOptions
	profile string
	all     bool
	dryRun  bool
}

func newCachePruneCommand(streams IOStreams) *cobra.Command {
	options := &cachePruneOptions{}
	command := &cobra.Command{
		Use:   "prune {HOST…|--all}",
		Short: "Remove what caches keep",
		Long: `Remove what caches keep: of the named hosts, or of all caches. A cache that runs is stopped meanwhile, and nodes pull from the
registry that it caches.

The registry that images are pushed to is pruned only when it is named, by localhost or localhost:5001: what was pushed is nowhere else.`,
		Example: "  kindling cache prune --all --dry-run\n  kindling cache prune quay.io registry.k8s.io",
		RunE: func(command *cobra.Command, args []string) error {
			return options.run(command.Context(), streams, args)
		},
	}
	flags := command.Flags()
	options.addFlags(flags)
	flags.DurationVar(&options.timeout, "timeout", 10*time.Minute, "time for all of it")
	flags.StringVar(&options.profile, "profile", "", "built-in environment; with a file, what the file has is laid over it")
	flags.BoolVar(&options.all, "all", false, "all caches, without the registry that images are pushed to")
	flags.BoolVar(&options.dryRun, "dry-run", false, "only say what would be removed")
	options.output = outputFlag(flags)
	return command
}

func (o *cachePruneOptions) run(ctx context.Context, streams IOStreams, hosts []string) error {
	if o.all == (len(hosts) > 0) {
		return &UsageError{errors.New("name the hosts whose images are to be removed, or say --all")}
	}
	var args []string
	if o.profile != "" {
		args = []string{o.profile}
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	env, err := o.openSelected(ctx, streams, args)
	if err != nil {
		return err
	}
	unlock, err := env.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	pruned, err := env.PruneCaches(ctx, hosts, o.dryRun, func(text string) { _, _ = fmt.Fprintln(streams.ErrOut, text) })
	if err != nil {
		return err
	}
	return printPruned(streams.Out, printer.Format(o.output.value), pruned, o.dryRun)
}

func printPruned(w io.Writer, format printer.Format, pruned []environment.Cache, dryRun bool) error {
	if format != printer.FormatTable {
		return printer.Encode(w, format, pruned)
	}
	what := "removed"
	if dryRun {
		what = "would be removed"
	}
	var rows [][]string
	var sum int64
	for _, cache := range pruned {
		sum += cache.Bytes
		rows = append(rows, []string{cache.Host, printer.Bytes(cache.Bytes), cache.Folder})
	}
	if err := printTable(w, []string{"HOST", "SIZE", "FOLDER"}, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s %s\n", printer.Bytes(sum), what)
	return err
}
