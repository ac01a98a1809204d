// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/verify"
)

func (o *verifyOptions) print(w io.Writer, report *verify.Report) error {
	switch format := o.output.value; format {
	case formatJUnit:
		return verify.WriteJUnit(w, report)
	case string(printer.FormatTable):
		return printVerify(w, report)
	default:
		return printer.Encode(w, printer.Format(format), report)
	}
}

// printVerify writes a line for each check, the evidence where it is not as it should be, and the verdict.
func printVerify(w io.Writer, report *verify.Report) error {
	heading := "Seed " + report.Seed
	if !report.SeedOnly {
		heading = fmt.Sprintf("shoot %s, control plane in %s %s", report.Shoot, report.Namespace, availability(report.HA))
		if report.VPN != "" {
			heading += ", VPN with " + report.VPN
		}
	}
	if _, err := fmt.Fprintf(w, "%s\n\n", heading); err != nil {
		return err
	}
	var rows [][]string
	last := verify.Part("")
	for _, result := range report.Results {
		part := string(result.Part)
		if result.Part == last {
			part = ""
		}
		last = result.Part
		rows = append(rows, []string{part, result.Check, string(result.Status), oneLine(result.Text)})
	}
	if err := printer.Table(w, []string{"PART", "CHECK", "RESULT", "FOUND"}, rows); err != nil {
		return err
	}
	if err := printEvidence(w, report); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\n%s: %s.\n", report.Verdict.Name, report.Verdict.Text); err != nil {
		return err
	}
	for _, cure := range report.Verdict.Missing {
		if _, err := fmt.Fprintf(w, "  missing %s\n", cure.Explain()); err != nil {
			return err
		}
	}
	return nil
}

func printEvidence(w io.Writer, report *verify.Report) error {
	for _, result := range report.Results {
		if result.Status == verify.Passed || result.Status == verify.Skipped || len(result.Evidence) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s/%s: %s\n", result.Part, result.Check, result.Status); err != nil {
			return err
		}
		for _, evidence := range result.Evidence {
			if _, err := fmt.Fprintf(w, "  %s  %s: %s\n", evidence.Time.UTC().Format("15:04:05"), evidence.Object, oneLine(evidence.Text)); err != nil {
				return err
			}
		}
	}
	return nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
