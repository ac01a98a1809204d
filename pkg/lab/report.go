// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"net/netip"
	"slices"
)

// Path is the way that packets took, read from the address that the server saw.
type Path string

// The paths.
const (
	// PathVPN came out of the VPN's client in the shoot.
	PathVPN Path = "VPN"
	// PathDirect came from a seed pod, past the VPN.
	PathDirect Path = "direct"
	// PathNone had no answer.
	PathNone Path = "none"
)

// Result is what came of a check.
type Result struct {
	// Check is logs, port-forward, metrics or connect.
	Check string `json:"check"`
	// From is the pod that asked.
	From string `json:"from"`
	// To is the pod that was asked.
	To   string     `json:"to"`
	Path Path       `json:"path"`
	Peer netip.Addr `json:"peer,omitzero"`
	// Error says why there was no answer.
	Error string `json:"error,omitempty"`
}

// OK says whether there was an answer.
func (r Result) OK() bool { return r.Path != PathNone }

// Phase is a row of checks at one time.
type Phase struct {
	// Name is "VPN up" or says what was removed.
	Name string `json:"name"`
	// Checks are kube-apiserver's: what a user sees.
	Checks []Result `json:"checks"`
	// Connects are tries of seed pods to reach the machine's kubelet by their own routes.
	Connects []Result `json:"connects"`
}

// Verdict says whether a person who looks at the checks sees that the VPN is broken.
type Verdict string

// The verdicts.
const (
	// VerdictVisible says that no check is green with a broken VPN.
	VerdictVisible Verdict = "visible"
	// VerdictHidden says that a check is green with a broken VPN, past it: gardenlet's check of the tunnel is such a one.
	VerdictHidden Verdict = "hidden"
	// VerdictNotBroken says that the VPN carries packets still.
	VerdictNotBroken Verdict = "not broken"
	// VerdictBroken says that checks were red before anything was broken.
	VerdictBroken Verdict = "broken from the start"
)

// Report is what a run of the laboratory showed.
type Report struct {
	Options
	// Machine is the address of the kubelet, MetricsService the one of the Service of metrics-server.
	Machine        netip.Addr `json:"machine"`
	MetricsService netip.Addr `json:"metricsService"`
	Phases         []Phase    `json:"phases"`
	Verdict        Verdict    `json:"verdict"`
	// Bypasses are the pods that reach the kubelet past the VPN in the last phase.
	Bypasses []string `json:"bypasses,omitempty"`
}

// judge fills in what follows from the phases.
func (r *Report) judge() {
	r.Verdict = verdict(r.Phases)
	for _, result := range r.Phases[len(r.Phases)-1].Connects {
		if result.Path == PathDirect && result.From != SeedNode2 {
			r.Bypasses = append(r.Bypasses, result.From)
		}
	}
}

func verdict(phases []Phase) Verdict {
	last := phases[len(phases)-1]
	green := func(result Result) bool { return result.OK() }
	red := func(result Result) bool { return !result.OK() }
	direct := func(result Result) bool { return result.Path == PathDirect }
	switch {
	case slices.ContainsFunc(phases[0].Checks, red):
		return VerdictBroken
	case len(phases) > 1 && !slices.ContainsFunc(last.Checks, green):
		return VerdictVisible
	case len(phases) > 1 && slices.ContainsFunc(last.Checks, direct):
		return VerdictHidden
	default:
		return VerdictNotBroken
	}
}
