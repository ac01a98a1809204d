// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"slices"
	"strings"
)

// Cure is one of the three things that, together, leave nothing but the VPN.
type Cure string

// The cures.
const (
	CureSplit Cure = "split"
	CureGuard Cure = "guard"
	CureNodes Cure = "nodes"
)

// Explain says what to do for a cure that is missing.
func (c Cure) Explain() string {
	switch c {
	case CureSplit:
		return "split: give machines addresses of their own, outside Seed.spec.networks.pods (spec.layout: Split; machines made before need to be made anew)"
	case CureGuard:
		return "guard: forbid seed pods to connect to kubelets of machines (spec.calico.machinePool.guard: true; kindling up applies it)"
	case CureNodes:
		return "nodes: set Shoot.spec.networking.nodes to a range that holds all machines, so that the VPN has a route for them"
	default:
		return string(c)
	}
}

// Name of a verdict.
type Name string

// The verdicts.
const (
	// Pass: the VPN is used, proved by breaking it.
	Pass Name = "PASS"
	// Fail: a check failed.
	Fail Name = "FAIL"
	// NoFault: nothing failed, and the VPN was not broken to be sure.
	NoFault Name = "NO FAULT FOUND"
	// NotProven: nothing failed, and something that the proof needs could not be found out.
	NotProven Name = "NOT PROVEN"
)

// Verdict is what all results together say.
type Verdict struct {
	Name Name   `json:"name"`
	Text string `json:"text"`
	// Bypass is the name of the way past the VPN, if there is one.
	Bypass string `json:"bypass,omitempty"`
	// Missing are the cures that are missing, by what was seen.
	Missing []Cure `json:"missingCures,omitempty"`
}

// OK says whether the verdict is none to worry about.
func (v Verdict) OK() bool { return v.Name == Pass || v.Name == NoFault }

// Judge gives the verdict. PASS needs all four: the negative control can't connect, every path works, none does while the VPN is
// broken, and all work after it is restored. A part that was left out on demand is not asked for, and named.
func Judge(r *Report) Verdict {
	failed, unknown := with(r.Results, Failed), with(r.Results, Unknown)
	bypasses, missing := bypasses(r.Results), missing(r.Results)
	switch {
	case r.SeedOnly:
		return judgeSeed(failed, unknown)
	case len(bypasses) > 0:
		return Verdict{Name: Fail, Bypass: strings.Join(bypasses, "; and "), Missing: missing, Text: "the VPN is BYPASSED by " + strings.Join(bypasses, "; and ") + missingText(missing)}
	case slices.ContainsFunc(failed, func(result Result) bool { return result.Part == PartPositive }):
		return Verdict{Name: Fail, Missing: missing, Text: "the VPN does not work, and nothing goes past it: " + names(failed) + " failed"}
	case len(failed) > 0:
		return Verdict{Name: Fail, Missing: missing, Text: names(failed) + " failed; no way past the VPN was seen" + missingText(missing)}
	case len(unknown) > 0:
		return Verdict{Name: NotProven, Text: names(unknown) + " could not be found out"}
	case r.Break == BreakNone || r.Break == "":
		return Verdict{Name: NoFault, Text: "nothing failed" + without(r) + "; the VPN was not broken to be sure: --break seed does that"}
	}
	if r.Break == BreakSeed && !r.HA && len(with(r.Part(PartRoutes), Passed)) == 0 {
		// Without high availability kube-apiserver asks the proxy beside the VPN server: with it gone nothing works, VPN or not.
		return Verdict{Name: NotProven, Text: "without high availability the seed's end is the way past the VPN as well, so that routes have to tell them apart: " +
			"don't leave out part " + string(PartRoutes) + ", or use --break shoot"}
	}
	if part := unproved(r); part != "" {
		return Verdict{Name: NotProven, Text: fmt.Sprintf("part %s has no result that proves anything", part)}
	}
	return Verdict{Name: Pass, Text: "the VPN is used: nothing worked without it, and all does with it" + without(r)}
}

func judgeSeed(failed, unknown []Result) Verdict {
	switch {
	case len(failed) > 0:
		return Verdict{Name: Fail, Text: names(failed) + " failed: gardenlet would not start, or not always"}
	case len(unknown) > 0:
		return Verdict{Name: NotProven, Text: names(unknown) + " could not be found out"}
	default:
		return Verdict{Name: Pass, Text: "the cluster has the networks that the Seed says"}
	}
}

// unproved returns the first part that PASS needs and that has no passed result.
func unproved(r *Report) Part {
	for _, part := range []Part{PartControl, PartPositive, PartBreak, PartBroken, PartRestore, PartAfter} {
		passed := with(r.Part(part), Passed)
		enough := len(passed) > 0
		if part == PartPositive || part == PartBroken || part == PartAfter {
			enough = len(passed) == len(Paths())
		}
		if !enough && !r.Skips(part) {
			return part
		}
	}
	return ""
}

func with(results []Result, status Status) []Result {
	var found []Result
	for _, result := range results {
		if result.Status == status {
			found = append(found, result)
		}
	}
	return found
}

// bypasses lists the ways past the VPN that were seen, the ones that were used before those that are open.
func bypasses(results []Result) []string {
	var names []string
	for _, part := range []Part{PartBroken, PartRoutes, PartControl, PartStatic} {
		for _, result := range results {
			name := bypassOf(result)
			if name == "" || result.Part != part || slices.Contains(names, name) || name == wayRouted && slices.Contains(names, wayDirect) {
				continue
			}
			names = append(names, name)
		}
	}
	return names
}

// missing lists the cures that failed results show to be missing.
func missing(results []Result) []Cure {
	var cures []Cure
	for _, cure := range []Cure{CureSplit, CureNodes, CureGuard} {
		if slices.ContainsFunc(results, func(r Result) bool { return r.Status == Failed && slices.Contains(r.Missing, cure) }) {
			cures = append(cures, cure)
		}
	}
	return cures
}

func missingText(cures []Cure) string {
	if len(cures) == 0 {
		return ""
	}
	var texts []string
	for _, cure := range cures {
		texts = append(texts, string(cure))
	}
	return "; of the three cures, missing: " + strings.Join(texts, ", ")
}

func without(r *Report) string {
	var parts []string
	for _, part := range r.SkippedParts {
		parts = append(parts, string(part))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (without " + strings.Join(parts, ", ") + ", left out on demand)"
}

// names lists checks by part and name.
func names(results []Result) string {
	var texts []string
	for _, result := range results {
		texts = append(texts, string(result.Part)+"/"+result.Check)
	}
	return strings.Join(texts, ", ")
}
