// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import "slices"

// Mode chooses the rules.
type Mode string

// The modes.
const (
	// ModeStrict holds all rules: addresses of a shoot never overlap with those of its seed, so that the VPN is really used.
	ModeStrict Mode = "strict"
	// ModeGardener holds exactly what the version of Gardener checks.
	ModeGardener Mode = "gardener"
)

// Rule is a rule about addresses. Its name is stable: troubleshooting and scripts refer to it.
type Rule struct {
	Name    string
	Summary string
	// Modes in which the rule holds.
	Modes []Mode
	check func(*Subject, *recorder)
}

// RuleHost is the name of the rule about what the host uses already.
const RuleHost = "host"

// Rules returns all rules in the order in which they are reported.
func Rules() []Rule {
	strict, both, gardenerOnly := []Mode{ModeStrict}, []Mode{ModeStrict, ModeGardener}, []Mode{ModeGardener}
	return []Rule{
		{"split", "seed pods and machines are disjoint; both lie inside the pod CIDR, or machines lie outside of it", strict, checkSplit},
		{"cluster-ranges", "pod CIDR, seed services, container network and load-balancer range are disjoint", strict, checkClusterRanges},
		{"pod-cidr-size", "kubeadm gives every node a /24 or /64 of the pod CIDR: /8 to /24, /48 to /64", strict, checkPodCIDRSize},
		{"seed-matches-cluster", "a Seed names the container network, the seed pods and the seed services of its cluster", strict, checkSeedMatchesCluster},
		{"nodes-set", "a shoot with workers names its nodes: without them the VPN has no route to the machines", strict, checkNodesSet},
		{"nodes-inside-machines", "the nodes of each shoot lie inside machines", strict, checkNodesInside},
		{"shoot-ranges", "nodes, pods and services of a shoot are disjoint", strict, checkShootRanges},
		{"shoot-nodes", "nodes of different shoots are disjoint", strict, checkShootNodes},
		{"shoot-seed", "nodes, pods and services of a shoot are disjoint from container network, seed pods and seed services", strict, checkShootSeed},
		{"gardener", "what this version of Gardener compares between a shoot and its seed", gardenerOnly, checkGardener},
		{"reserved-ranges", "the VPN's transfer network and Gardener's mapping ranges are untouched", strict, checkReserved},
		{"pools", "Calico accepts the pools, and the machine pool is never chosen by itself", strict, checkPools},
		{"provider-local", "provider-local admits nodes only in 10.0.0.0/16 and fd00:10:1:100::/56 (from v1.128)", both, checkProviderLocal},
		{"families", "the VPN and provider-local can serve the families of a shoot", strict, checkFamilies},
		{"fault-visible", "a broken VPN is seen", strict, checkFaultVisible},
		{RuleHost, "no route and no other network of the host covers a planned range", strict, checkHost},
	}
}

// Check holds a subject to all rules of a mode and returns every comparison made, violations or not, in the order of the rules.
func Check(subject *Subject, mode Mode) []Finding {
	r := &recorder{}
	for _, rule := range Rules() {
		if slices.Contains(rule.Modes, mode) {
			r.rule = rule.Name
			rule.check(subject, r)
		}
	}
	return r.findings
}

// WithLevel returns the findings of a level.
func WithLevel(findings []Finding, level Level) []Finding {
	var selected []Finding
	for _, finding := range findings {
		if finding.Level == level {
			selected = append(selected, finding)
		}
	}
	return selected
}
