// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/printer"
)

func rulesFlag(flags *pflag.FlagSet) *choice {
	rules := newChoice(string(netplan.ModeStrict), []string{string(netplan.ModeStrict), string(netplan.ModeGardener)})
	flags.Var(rules, "rules", "strict: the VPN is really used; gardener: exactly what that version of Gardener checks")
	return rules
}

// printFindings prints warnings and how many comparisons were made; with explain every comparison, rule by rule. Violations
// without explain are left to the error.
func printFindings(w io.Writer, findings []netplan.Finding, explain bool) error {
	if explain {
		return explainFindings(w, findings)
	}
	for _, finding := range netplan.WithLevel(findings, netplan.LevelWarning) {
		if _, err := fmt.Fprintf(w, "warning: %s\n", describe(finding)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d comparisons: %d as they should be, %d warnings, %d violations\n", len(findings),
		len(netplan.WithLevel(findings, netplan.LevelOK)), len(netplan.WithLevel(findings, netplan.LevelWarning)),
		len(netplan.WithLevel(findings, netplan.LevelViolation)))
	return err
}

func explainFindings(w io.Writer, findings []netplan.Finding) error {
	byRule := map[string][]netplan.Finding{}
	for _, finding := range findings {
		byRule[finding.Rule] = append(byRule[finding.Rule], finding)
	}
	for _, rule := range netplan.Rules() {
		made := byRule[rule.Name]
		if _, err := fmt.Fprintf(w, "%s: %s\n", rule.Name, rule.Summary); err != nil {
			return err
		}
		var rows [][]string
		for _, finding := range made {
			rows = append(rows, []string{"  " + string(finding.Level), side(finding.A), side(finding.B), finding.Text})
		}
		if len(rows) == 0 {
			rows = [][]string{{"  nothing to compare"}}
		}
		if err := printer.Table(w, []string{"  RESULT", "RANGE", "WITH", "FOUND"}[:len(rows[0])], rows); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

// describe says what a finding is about, both sides, the part that they share, and what to do.
func describe(finding netplan.Finding) string {
	text := finding.Rule + ": " + finding.Sentence()
	if finding.Remedy != "" {
		text += "\n  " + finding.Remedy
	}
	return text
}

func side(r netplan.Range) string { return strings.TrimSpace(r.Name + " " + text(r.Prefix)) }
