// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package printer prints results and progress: tables, JSON and YAML on one side; spinner, plain lines or JSON events on the other.
package printer

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"sigs.k8s.io/yaml"
)

// Format of a result.
type Format string

// The formats.
const (
	FormatTable Format = "table"
	FormatJSON  Format = "json"
	FormatYAML  Format = "yaml"
)

// Formats lists all formats.
func Formats() []string { return []string{string(FormatTable), string(FormatJSON), string(FormatYAML)} }

// Encode writes a value as JSON or YAML.
func Encode(w io.Writer, format Format, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the result: %w", err)
	}
	if format == FormatYAML {
		if data, err = yaml.JSONToYAML(data); err != nil {
			return fmt.Errorf("encoding the result: %w", err)
		}
	} else {
		data = append(data, '\n')
	}
	_, err = w.Write(data)
	return err
}

// Table writes rows in columns, with a heading in capital letters. Columns that are empty in every row are left out.
func Table(w io.Writer, headings []string, rows [][]string) error {
	used := make([]bool, len(headings))
	for _, row := range rows {
		for i, cell := range row {
			used[i] = used[i] || cell != ""
		}
	}
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	for _, row := range append([][]string{headings}, rows...) {
		var cells []string
		for i, cell := range row {
			if used[i] {
				cells = append(cells, cell)
			}
		}
		if _, err := fmt.Fprintln(out, strings.TrimRight(strings.Join(cells, "\t"), "\t")); err != nil {
			return err
		}
	}
	return out.Flush()
}
