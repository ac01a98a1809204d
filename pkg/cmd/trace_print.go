// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"fmt"
	"io"

	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/vpn"
)

func printTrace(w io.Writer, trace *vpn.Trace) error {
	if err := printTraceHeading(w, trace); err != nil {
		return err
	}
	var rows [][]string
	for _, piece := range trace.Pieces {
		for i, hop := range piece.Hops {
			destination := vpn.Text(piece.Prefix)
			if i > 0 {
				destination = ""
			}
			rows = append(rows, append([]string{destination}, hopCells(hop)...))
		}
	}
	if err := printer.Table(w, []string{"TO", "IN", "ROUTE", "WAY", "WHAT"}, rows); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\n%s.\n", trace.Verdict.Text); err != nil {
		return err
	}
	for _, line := range []struct{ name, text string }{{"why", trace.Verdict.Why}, {"what to do", trace.Verdict.Remedy}} {
		if line.text == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "  %s: %s\n", line.name, line.text); err != nil {
			return err
		}
	}
	return printNotices(w, trace.Notices)
}

func printTraceHeading(w io.Writer, trace *vpn.Trace) error {
	heading := fmt.Sprintf("from %s to %s", trace.From, trace.Target.Name)
	if trace.Target.What != "" {
		heading += fmt.Sprintf(" (%s)", trace.Target.What)
	}
	if trace.Environment != "" {
		heading = fmt.Sprintf("environment %s, Gardener %s, layout %s; shoot %s %s; VPN with %s\n%s",
			trace.Environment, trace.Gardener, trace.Layout, trace.Shoot, availability(trace.HA), trace.VPN, heading)
	}
	_, err := fmt.Fprintf(w, "%s\n\n", heading)
	return err
}

// availability says in words whether a control plane is highly available.
func availability(ha bool) string {
	if ha {
		return "with high availability"
	}
	return "without high availability"
}

func hopCells(hop vpn.Hop) []string {
	note := hop.Note
	if hop.Map != nil {
		note = fmt.Sprintf("%s becomes %s; %s", hop.Map.From, hop.Map.To, note)
	}
	name := hop.Namespace
	if hop.Back {
		name += ", answers"
	}
	return []string{name, hop.Route, string(hop.Class), note}
}
