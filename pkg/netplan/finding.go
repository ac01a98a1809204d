// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"net/netip"
	"strings"
)

// Level says how much a finding matters.
type Level string

// The levels.
const (
	// LevelOK is a comparison that came out as it should.
	LevelOK Level = "ok"
	// LevelWarning is something that people should know, and that works.
	LevelWarning Level = "warning"
	// LevelViolation is a rule broken.
	LevelViolation Level = "violation"
)

// Finding is what a rule found about one or two ranges.
type Finding struct {
	Rule  string `json:"rule"`
	Level Level  `json:"level"`
	// A and B are the ranges compared; B is empty where a rule looks at one only.
	A Range `json:"a"`
	B Range `json:"b,omitzero"`
	// Overlap is the part that A and B share, or the part of A that lies where it must not.
	Overlap netip.Prefix `json:"overlap,omitzero"`
	// Text says what was compared, or what is wrong.
	Text string `json:"text"`
	// Remedy says what to do. Empty when there is nothing to do.
	Remedy string `json:"remedy,omitempty"`
}

// recorder collects the findings of one rule.
type recorder struct {
	rule     string
	findings []Finding
}

func (r *recorder) add(level Level, a, b Range, overlap netip.Prefix, text, remedy string) {
	r.findings = append(r.findings, Finding{Rule: r.rule, Level: level, A: a, B: b, Overlap: overlap, Text: text, Remedy: remedy})
}

// disjoint demands that two ranges share no address. Ranges that are not set are not compared.
func (r *recorder) disjoint(a, b Range, remedy string) {
	if !a.Prefix.IsValid() || !b.Prefix.IsValid() || a.Prefix.Addr().Is4() != b.Prefix.Addr().Is4() {
		return
	}
	overlap, shared := Intersection(a.Prefix, b.Prefix)
	if !shared {
		r.add(LevelOK, a, b, netip.Prefix{}, "disjoint", "")
		return
	}
	r.add(LevelViolation, a, b, overlap, "overlap", remedy)
}

// pairwise demands that ranges are disjoint from each other. It is for a handful of ranges; see sharedNodes for many.
func (r *recorder) pairwise(remedy string, ranges ...Range) {
	for i := range ranges {
		for j := i + 1; j < len(ranges); j++ {
			r.disjoint(ranges[i], ranges[j], remedy)
		}
	}
}

// inside demands that a lies in outer.
func (r *recorder) inside(a, outer Range, remedy string) {
	if !a.Prefix.IsValid() || !outer.Prefix.IsValid() || a.Prefix.Addr().Is4() != outer.Prefix.Addr().Is4() {
		return
	}
	if Contains(outer.Prefix, a.Prefix) {
		r.add(LevelOK, a, outer, netip.Prefix{}, "inside", "")
		return
	}
	overlap, _ := Intersection(a.Prefix, outer.Prefix)
	r.add(LevelViolation, a, outer, overlap, "not inside", remedy)
}

// equal demands that two ranges are the same.
func (r *recorder) equal(a, b Range, remedy string) {
	if !a.Prefix.IsValid() || !b.Prefix.IsValid() || a.Prefix.Addr().Is4() != b.Prefix.Addr().Is4() {
		return
	}
	if a.Prefix.Masked() == b.Prefix.Masked() {
		r.add(LevelOK, a, b, netip.Prefix{}, "the same", "")
		return
	}
	overlap, _ := Intersection(a.Prefix, b.Prefix)
	r.add(LevelViolation, a, b, overlap, "differ", remedy)
}

func (r *recorder) ok(a Range, text string) { r.add(LevelOK, a, Range{}, netip.Prefix{}, text, "") }
func (r *recorder) warn(a Range, text, remedy string) {
	r.add(LevelWarning, a, Range{}, netip.Prefix{}, text, remedy)
}

func (r *recorder) violation(a Range, text, remedy string) {
	r.add(LevelViolation, a, Range{}, netip.Prefix{}, text, remedy)
}

// Sentence says what the finding is about: both sides with where they were read, and the part that they share.
func (f Finding) Sentence() string {
	text := f.A.place()
	if f.B.Name != "" {
		text += " and " + f.B.place()
	}
	text += ": " + f.Text
	if f.Overlap.IsValid() {
		text += " in " + f.Overlap.String()
	}
	return text
}

func (r Range) place() string {
	text := r.Name
	if r.Prefix.IsValid() {
		text = strings.TrimSpace(text + " " + r.Prefix.String())
	}
	if r.Where != "" {
		text += " (" + r.Where + ")"
	}
	return text
}
