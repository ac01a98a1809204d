// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"fmt"
	"io"

	"github.com/gardener/kindling/pkg/addressmap"
)

// printAddressMaps prints what is there in each cluster, and what is not as planned.
func printAddressMaps(w io.Writer, maps []*addressmap.Map) error {
	for _, m := range maps {
		if m.Unknown != "" {
			if _, err := fmt.Fprintf(w, "addresses in %s: unknown: %s\n", m.Cluster, m.Unknown); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprintf(w, "addresses in %s\n\n", m.Cluster); err != nil {
			return err
		}
		for _, table := range m.Tables() {
			if err := printTable(w, table.Headings, table.Rows); err != nil {
				return err
			}
		}
	}
	return nil
}
