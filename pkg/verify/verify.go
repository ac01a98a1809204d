// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package verify judges what was seen of a living shoot: whether its API server reaches kubelets, pods and services through the VPN and
// in no other way. It knows no client; pkg/verify/live looks, breaks and restores.
package verify

import (
	"slices"
	"time"
)

// Part is a group of checks that are made together.
type Part string

// The parts, in the order in which they are made.
const (
	PartStatic   Part = "static"
	PartRoutes   Part = "routes"
	PartControl  Part = "negative-control"
	PartPositive Part = "positive"
	PartBreak    Part = "break"
	PartBroken   Part = "broken"
	PartRestore  Part = "restore"
	PartAfter    Part = "after"
)

// Parts lists all parts, in the order in which they are made.
func Parts() []Part {
	return []Part{PartStatic, PartRoutes, PartControl, PartPositive, PartBreak, PartBroken, PartRestore, PartAfter}
}

// Skippable are the parts that a user may leave out.
func Skippable() []string {
	return []string{string(PartStatic), string(PartRoutes), string(PartControl)}
}

// Side is which end of the VPN is broken.
type Side string

// The sides.
const (
	BreakNone  Side = "none"
	BreakSeed  Side = "seed"
	BreakShoot Side = "shoot"
)

// Sides lists all sides.
func Sides() []string { return []string{string(BreakNone), string(BreakSeed), string(BreakShoot)} }

// Status of a check.
type Status string

// The states. A warning is worth knowing and fails nothing; unknown could not be found out.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Warning Status = "warning"
	Skipped Status = "skipped"
	Unknown Status = "unknown"
)

// Evidence is something that was seen.
type Evidence struct {
	// Object that it was seen at, such as "Pod shoot--local--local/machine-a".
	Object string `json:"object"`
	// Text is a route, an address, or the text of an error.
	Text string    `json:"text"`
	Time time.Time `json:"time"`
}

// Result is the outcome of a check.
type Result struct {
	Check  string `json:"check"`
	Part   Part   `json:"part"`
	Status Status `json:"status"`
	Text   string `json:"text"`
	// Missing are the cures that the outcome shows to be missing.
	Missing  []Cure     `json:"missingCures,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"`
}

// Report is all that was seen of a shoot, and the verdict.
type Report struct {
	// Shoot as NAMESPACE/NAME, and the namespace of its control plane in the seed.
	Shoot     string `json:"shoot,omitempty"`
	Seed      string `json:"seed,omitempty"`
	Namespace string `json:"controlPlane,omitempty"`
	// HA is a control plane with high availability: kube-apiserver has the VPN's devices itself.
	HA bool `json:"highAvailability"`
	// VPN is the generation of the VPN, as its routes show it.
	VPN      string    `json:"vpn,omitempty"`
	Break    Side      `json:"break"`
	SeedOnly bool      `json:"seedOnly,omitempty"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	// SkippedParts were left out on demand.
	SkippedParts []Part   `json:"skippedParts,omitempty"`
	Results      []Result `json:"results"`
	// Unrestored is the file that says what is still changed; empty where all is as it was.
	Unrestored string  `json:"unrestored,omitempty"`
	Verdict    Verdict `json:"verdict"`
}

// Part returns the results of a part.
func (r *Report) Part(part Part) []Result {
	var results []Result
	for _, result := range r.Results {
		if result.Part == part {
			results = append(results, result)
		}
	}
	return results
}

// Skips says whether a part was left out on demand.
func (r *Report) Skips(part Part) bool { return slices.Contains(r.SkippedParts, part) }
