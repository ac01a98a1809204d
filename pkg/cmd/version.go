// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/calico"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/printer"
)

type versionResult struct {
	Version  string   `json:"version"`
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	Gardener string   `json:"gardener"`
	Calico   []string `json:"calico"`
}

func newVersionCommand(streams IOStreams) *cobra.Command {
	command := &cobra.Command{
		Use:   "version",
		Short: "Show the version of kindling, and which Gardener and Calico it knows",
		Args:  cobra.NoArgs,
	}
	output := outputFlag(command.Flags())
	command.RunE = func(*cobra.Command, []string) error {
		result := knownVersions()
		if format := printer.Format(output.value); format != printer.FormatTable {
			return printer.Encode(streams.Out, format, result)
		}
		_, err := fmt.Fprintf(streams.Out, "kindling %s, %s, %s\nGardener %s by default\nCalico %v pinned\n",
			result.Version, result.Go, result.Platform, result.Gardener, result.Calico)
		return err
	}
	return command
}

func knownVersions() versionResult {
	result := versionResult{
		Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Gardener: gardener.DefaultVersion, Calico: calico.PinnedVersions(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		result.Version = info.Main.Version
	}
	return result
}
