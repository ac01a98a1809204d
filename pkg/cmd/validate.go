// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/internal/bounded"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/inspect"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/printer"
)

type validateOptions struct {
	output  *choice
	rules   *choice
	version string
}

// validateResult is the answer in JSON and YAML.
type validateResult struct {
	Rules     string             `json:"rules"`
	Gardener  gardener.Version   `json:"gardener"`
	Documents []inspect.Document `json:"documents"`
	Findings  []netplan.Finding  `json:"findings"`
}

func newValidateCommand(streams IOStreams) *cobra.Command {
	options := &validateOptions{}
	command := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Hold seed, gardenlet, shoot, kind and IPPool files to the rules",
		Long: `Recognise files of Gardener, kind and Calico in any mix, read their address ranges, and hold them to the rules.

Recognised are Seed, Gardenlet, ManagedSeed, Garden, Shoot, values of the gardenlet chart and of Gardener's kind chart, kind
configurations and IPPools. - reads standard input. The exit code is 1 when a rule is broken.`,
		Example: `  kindling validate seed.yaml shoot.yaml
  kindling validate --rules gardener --gardener-version v1.93.0 values.yaml shoot.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return options.run(streams, args) },
	}
	options.output = outputFlag(command.Flags())
	options.rules = rulesFlag(command.Flags())
	command.Flags().StringVar(&options.version, "gardener-version", gardener.DefaultVersion, "version of Gardener whose rules and reserved ranges count")
	return command
}

func (o *validateOptions) run(streams IOStreams, paths []string) error {
	version, err := gardener.Parse(o.version)
	if err != nil {
		return &UsageError{err}
	}
	files, err := readFiles(streams.In, paths)
	if err != nil {
		return &UsageError{err}
	}
	read, err := inspect.Read(files)
	if err != nil {
		return &UsageError{err}
	}
	read.Subject.Version = version
	result := validateResult{
		Rules: o.rules.value, Gardener: version, Documents: read.Documents,
		Findings: append(read.Findings, netplan.Check(read.Subject, netplan.Mode(o.rules.value))...),
	}
	if format := printer.Format(o.output.value); format != printer.FormatTable {
		err = printer.Encode(streams.Out, format, result)
	} else {
		err = printValidation(streams.Out, result)
	}
	if err == nil && len(netplan.WithLevel(result.Findings, netplan.LevelViolation)) > 0 {
		return refused{}
	}
	return err
}

func printValidation(w io.Writer, result validateResult) error {
	for _, document := range result.Documents {
		if _, err := fmt.Fprintf(w, "%s: %s\n", document.Where, document.Is); err != nil {
			return err
		}
	}
	for _, violation := range netplan.WithLevel(result.Findings, netplan.LevelViolation) {
		if _, err := fmt.Fprintf(w, "violation: %s\n", describe(violation)); err != nil {
			return err
		}
	}
	return printFindings(w, result.Findings, false)
}

func readFiles(in io.Reader, paths []string) ([]inspect.File, error) {
	var files []inspect.File
	for _, path := range paths {
		var data []byte
		var err error
		if path == "-" {
			data, err = bounded.Read(in, inspect.MaxBytes)
		} else {
			data, err = bounded.ReadFile(path, inspect.MaxBytes)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, inspect.File{Name: path, Content: data})
	}
	return files, nil
}
