// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/logs"
	"github.com/gardener/kindling/pkg/printer"
)

type logsOptions struct {
	environmentOptions
	out    string
	output *choice
}

// logsResult is what the command says of its archive.
type logsResult struct {
	Archive string `json:"archive"`
	logs.Summary
}

func newLogsCommand(streams IOStreams) *cobra.Command {
	options := &logsOptions{}
	command := &cobra.Command{
		Use:   "logs [PROFILE]",
		Short: "Collect what an issue needs in one archive, without secrets",
		Long: `Write kindling-NAME-TIME.tar.gz: versions, address plan, environment, journals of nodes, logs of pods, events and objects of each cluster,
and logs of registry, caches and DNS server. Long files have their end only. INDEX.txt in it says where each file is from, and what is
missing, and why: it works with an API server that is down and without an engine, too.

Secrets are never asked for, and what looks like a password, token or private key is removed from everything. Look through the archive
nevertheless before you give it away.`,
		Example:           "  kindling logs\n  kindling logs ha-single-zone --out /tmp",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE: func(command *cobra.Command, args []string) error {
			return options.run(command.Context(), streams, args)
		},
	}
	options.addFlags(command.Flags())
	command.Flags().StringVar(&options.out, "out", ".", "folder for the archive")
	command.Flags().DurationVar(&options.timeout, "timeout", 5*time.Minute, "time for all of it")
	options.output = outputFlag(command.Flags())
	return command
}

func (o *logsOptions) run(ctx context.Context, streams IOStreams, args []string) error {
	spec, plan, err := o.load(streams, args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	containerEngine, info, engineErr := detectEngine(ctx, o.engine)
	env, err := o.environmentOf(spec, plan, containerEngine, info)
	if err != nil {
		return err
	}
	sources, err := env.LogSources(ctx, engineErr)
	if err != nil {
		return err
	}
	versions := logs.Source{Name: "version", Collect: func(_ context.Context, add logs.Add) error {
		add("version.json", "kindling version", func(w io.Writer) error { return printer.Encode(w, printer.FormatJSON, knownVersions()) })
		return nil
	}}
	now := time.Now().UTC()
	name := "kindling-" + spec.Metadata.Name + "-" + now.Format("20060102T150405Z")
	result := logsResult{Archive: filepath.Join(o.out, name+".tar.gz")}
	if result.Summary, err = writeArchive(ctx, result.Archive, name, now, append([]logs.Source{versions}, sources...)); err != nil {
		return err
	}
	return o.print(streams, result)
}

// writeArchive makes a file that is the user's alone, and leaves none behind when it can't be finished.
func writeArchive(ctx context.Context, file, folder string, now time.Time, sources []logs.Source) (logs.Summary, error) {
	opened, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return logs.Summary{}, fmt.Errorf("making the archive: %w: give another folder with --out", err)
	}
	summary, err := logs.Write(ctx, opened, folder, now, sources)
	if closeErr := opened.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(file)
	}
	return summary, err
}

func (o *logsOptions) print(streams IOStreams, result logsResult) error {
	if format := printer.Format(o.output.value); format != printer.FormatTable {
		return printer.Encode(streams.Out, format, result)
	}
	for _, missing := range result.Missing {
		if _, err := fmt.Fprintf(streams.ErrOut, "missing: %s\n", missing); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(streams.Out, "%s: %d files\n", result.Archive, result.Files)
	return err
}
