// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Timestamp string      `xml:"timestamp,attr"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	ClassName string        `xml:"classname,attr"`
	Name      string        `xml:"name,attr"`
	Failure   *junitMessage `xml:"failure"`
	Error     *junitMessage `xml:"error"`
	Skipped   *junitMessage `xml:"skipped"`
	Output    string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes a report as JUnit XML, a suite for each part, and the verdict as a suite of its own: it can fail where no check does.
func WriteJUnit(w io.Writer, r *Report) error {
	all := junitSuites{Name: "kindling verify " + r.Shoot}
	for _, part := range Parts() {
		if results := r.Part(part); len(results) > 0 {
			all.add(r, string(part), results)
		}
	}
	verdict := Result{Check: string(r.Verdict.Name), Status: Passed, Text: r.Verdict.Text}
	if !r.Verdict.OK() {
		verdict.Status = Failed
		for _, cure := range r.Verdict.Missing {
			verdict.Evidence = append(verdict.Evidence, Evidence{Object: "missing", Text: cure.Explain(), Time: r.Finished})
		}
	}
	all.add(r, "verdict", []Result{verdict})
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return fmt.Errorf("encoding the result: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuites) add(r *Report, name string, results []Result) {
	suite := junitSuite{Name: name, Tests: len(results), Timestamp: stamp(r.Started)}
	for _, result := range results {
		one := junitCase{ClassName: "verify." + name, Name: result.Check}
		message := &junitMessage{Message: result.Text, Text: evidenceText(result.Evidence)}
		switch result.Status {
		case Failed:
			suite.Failures++
			one.Failure = message
		case Unknown:
			suite.Errors++
			one.Error = message
		case Skipped:
			suite.Skipped++
			one.Skipped = message
		default:
			one.Output = strings.TrimSpace(result.Text + "\n" + message.Text)
		}
		suite.Cases = append(suite.Cases, one)
	}
	s.Tests, s.Failures, s.Errors = s.Tests+suite.Tests, s.Failures+suite.Failures, s.Errors+suite.Errors
	s.Suites = append(s.Suites, suite)
}

func evidenceText(evidence []Evidence) string {
	var b strings.Builder
	for _, e := range evidence {
		fmt.Fprintf(&b, "%s %s: %s\n", stamp(e.Time), e.Object, e.Text)
	}
	return b.String()
}
