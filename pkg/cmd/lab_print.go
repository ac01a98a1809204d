// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/lab"
	"github.com/gardener/kindling/pkg/printer"
)

func printLab(w io.Writer, report *lab.Report) error {
	guard := "no guard"
	if report.Guard {
		guard = "guard"
	}
	if _, err := fmt.Fprintf(w, "layout %s, control plane %s, %s\n\n", report.Layout, availability(report.HA), guard); err != nil {
		return err
	}
	headings := []string{"CHECK", "FROM", "TO"}
	for _, phase := range report.Phases {
		headings = append(headings, strings.ToUpper(phase.Name))
	}
	if err := printer.Table(w, headings, labRows(report)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", labVerdict(report))
	return err
}

// labRows has a row for each check of the first phase; a pod that a later phase does not have is removed there.
func labRows(report *lab.Report) [][]string {
	var rows [][]string
	for _, first := range allResults(report.Phases[0]) {
		name := first.Check
		if name == "connect" {
			name = "connect by own routes"
		}
		if first.From == lab.SeedNode2 {
			name = "connect (nodes may)"
		}
		row := []string{name, first.From, first.To}
		for _, phase := range report.Phases {
			row = append(row, labCell(phase, first))
		}
		rows = append(rows, row)
	}
	return rows
}

func allResults(phase lab.Phase) []lab.Result {
	return slices.Concat(phase.Checks, phase.Connects)
}

func labCell(phase lab.Phase, like lab.Result) string {
	for _, result := range allResults(phase) {
		if result.Check != like.Check || result.From != like.From || result.To != like.To {
			continue
		}
		switch result.Path {
		case lab.PathVPN:
			return fmt.Sprintf("ok, VPN (from %s)", result.Peer)
		case lab.PathDirect:
			return fmt.Sprintf("ok, DIRECT (from %s)", result.Peer)
		default:
			return result.Error
		}
	}
	return "removed"
}

func labVerdict(report *lab.Report) string {
	last := report.Phases[len(report.Phases)-1]
	var lines []string
	switch report.Verdict {
	case lab.VerdictHidden:
		lines = append(lines, fmt.Sprintf("The fault is HIDDEN: %s, the port-forward that gardenlet checks the tunnel with is still green.", last.Name))
	case lab.VerdictVisible:
		lines = append(lines, fmt.Sprintf("The fault is visible: %s, no check is green.", last.Name))
		if !report.HA && report.Break == lab.SideSeed {
			lines = append(lines, "The proxy that kube-apiserver asks has gone with vpn-seed-server; --break shoot leaves it.")
		}
	case lab.VerdictNotBroken:
		lines = append(lines, "All checks are green: the VPN is not broken.")
	case lab.VerdictBroken:
		lines = append(lines, "Checks failed before anything was broken.")
	}
	if len(report.Bypasses) > 0 {
		lines = append(lines, fmt.Sprintf("Past the VPN, directly, the kubelet is reached by: %s.", strings.Join(report.Bypasses, ", ")))
	} else {
		lines = append(lines, "No seed pod reaches the kubelet past the VPN.")
	}
	return strings.Join(lines, "\n")
}
