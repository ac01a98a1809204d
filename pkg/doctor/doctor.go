// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package doctor holds the checks of what an environment needs before it is made: of the engine, of its host, and of this machine. A check is a
// value that judges facts; who finds them out, and how, is not its affair.
package doctor

import (
	"fmt"
	"slices"
)

// Severity says what a finding means.
type Severity string

// The severities.
const (
	// Fatal findings end up: what was made until then would be for nothing.
	Fatal Severity = "fatal"
	// Warning is what works for a while, or badly.
	Warning Severity = "warning"
	// Note is to be known.
	Note Severity = "note"
)

// Check is a check. Its ID is stable: documentation, scripts and --ignore refer to it.
type Check struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Why it matters.
	Why string `json:"why"`
	// Severity of its worst finding.
	Severity Severity `json:"severity"`
	judge    func(Facts) verdict
}

// Fix is what --fix does about a finding.
type Fix struct {
	Kind FixKind `json:"kind"`
	// Target is what it is done to: a container, a network, a file, or a setting NAME=VALUE.
	Target string `json:"target"`
}

// FixKind says what is done.
type FixKind string

// The kinds.
const (
	RemoveContainer FixKind = "remove-container"
	RemoveNetwork   FixKind = "remove-network"
	RemoveFile      FixKind = "remove-file"
	// RaiseLimit sets a limit of the engine's host, by a container with its rights.
	RaiseLimit FixKind = "raise-limit"
)

// Finding is something that is not as it should be.
type Finding struct {
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
	// Remedy says what to do: a command wherever there is one.
	Remedy string `json:"remedy,omitempty"`
	// Root says that the remedy takes the rights of root, which --fix does not ask for.
	Root bool `json:"root,omitempty"`
	// Fix is nil where --fix can do nothing.
	Fix *Fix `json:"fix,omitempty"`
}

// Status is what came of a check.
type Status string

// The states beside the severities.
const (
	OK      Status = "ok"
	Unclear Status = "unknown"
	Ignored Status = "ignored"
)

// Result is what came of a check.
type Result struct {
	Check string `json:"check"`
	// Status is ok, unknown, ignored, or the severity of the worst finding.
	Status Status `json:"status"`
	// Found is in words.
	Found    string    `json:"found"`
	Findings []Finding `json:"findings,omitempty"`
}

// verdict is what a check makes of facts: what it found in words, or why it can't tell.
type verdict struct {
	found, unknown string
	findings       []Finding
}

// Find returns the checks of these identities; an error names one that is none.
func Find(ids []string) ([]Check, error) {
	var found []Check
	for _, id := range ids {
		i := slices.IndexFunc(Checks(), func(c Check) bool { return c.ID == id })
		if i < 0 {
			return nil, &UnknownError{ID: id}
		}
		found = append(found, Checks()[i])
	}
	return found, nil
}

// UnknownError says that there is no such check.
type UnknownError struct{ ID string }

// Error implements error.
func (e *UnknownError) Error() string {
	var ids []string
	for _, check := range Checks() {
		ids = append(ids, check.ID)
	}
	return fmt.Sprintf("there is no check %q; there are %v", e.ID, ids)
}

// Run holds facts to all checks, in their order. Those whose identity is ignored keep their findings.
func Run(facts Facts, ignored []string) []Result {
	var results []Result
	for _, check := range Checks() {
		v := check.judge(facts)
		result := Result{Check: check.ID, Status: OK, Found: v.found, Findings: v.findings}
		switch {
		case v.unknown != "":
			result.Status, result.Found = Unclear, v.unknown
		case len(v.findings) > 0:
			result.Status = Status(worst(v.findings))
			if result.Found == "" {
				result.Found = v.findings[0].Text
			}
		}
		if len(v.findings) > 0 && slices.Contains(ignored, check.ID) {
			result.Status = Ignored
		}
		results = append(results, result)
	}
	return results
}

func worst(findings []Finding) Severity {
	for _, severity := range []Severity{Fatal, Warning} {
		if slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == severity }) {
			return severity
		}
	}
	return Note
}
