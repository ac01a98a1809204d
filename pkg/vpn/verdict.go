// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package vpn

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/route"
)

// Verdict is the answer to the question: through the VPN?
type Verdict struct {
	// ThroughVPN is true when all addresses of the target go through the VPN, and answers find their way back.
	ThroughVPN bool `json:"throughVPN"`
	// Class is the class of all pieces, or "mixed".
	Class route.Class `json:"class"`
	Text  string      `json:"text"`
	// Why and Remedy are set when not all goes through the VPN.
	Why    string `json:"why,omitempty"`
	Remedy string `json:"remedy,omitempty"`
}

// ClassMixed is the class of a target with several ways.
const ClassMixed route.Class = "mixed"

// Judge gives the verdict on pieces alone, without the plan that explains them.
func Judge(target Target, pieces []Piece, replies []netip.Prefix) Verdict {
	v := Verdict{Class: classOf(pieces)}
	switch v.Class {
	case route.ClassVPN:
		v.Text = target.String() + " goes through the VPN"
	case route.ClassDirect:
		v.Text = target.String() + " is reached DIRECTLY, past the VPN"
		if guarded(pieces) {
			v.Text = target.String() + " leaves past the VPN, and the guard drops connections to kubelets there"
		}
	case ClassMixed:
		v.Text = "only a part of " + target.String() + " goes through the VPN; the rest is " + list(rest(pieces))
	default:
		v.Text = fmt.Sprintf("%s is %s", target, v.Class)
	}
	lost := slices.ContainsFunc(pieces, answersLost)
	v.ThroughVPN = v.Class == route.ClassVPN && len(replies) == 0 && !lost
	if lost {
		v.Text += "; answers from the shoot don't come back by it"
	}
	if len(replies) > 0 {
		v.Text += "; answers to seed pods in " + list(replies) + " enter the VPN too, and get lost"
	}
	return v
}

// answersLost says that the shoot has no way into the tunnel for the answers.
func answersLost(piece Piece) bool {
	return slices.ContainsFunc(piece.Hops, func(hop Hop) bool { return hop.Back && hop.Class != route.ClassVPN })
}

func classOf(pieces []Piece) route.Class {
	var class route.Class
	for _, piece := range pieces {
		switch class {
		case "", piece.Class:
			class = piece.Class
		default:
			return ClassMixed
		}
	}
	return class
}

func guarded(pieces []Piece) bool {
	for _, piece := range pieces {
		if !piece.Guarded {
			return false
		}
	}
	return true
}

// rest is what does not go through the VPN.
func rest(pieces []Piece) []netip.Prefix {
	var prefixes []netip.Prefix
	for _, piece := range pieces {
		if piece.Class != route.ClassVPN {
			prefixes = append(prefixes, piece.Prefix)
		}
	}
	return prefixes
}

// list names the first prefixes; a table can cut a range into thousands.
func list(prefixes []netip.Prefix) string {
	const shown = 4
	var texts []string
	for i, prefix := range prefixes {
		if i == shown {
			texts = append(texts, fmt.Sprintf("%d more", len(prefixes)-shown))
			break
		}
		texts = append(texts, Text(prefix))
	}
	return strings.Join(texts, ", ")
}

// Text is a prefix as people write it: a single address without its length.
func Text(prefix netip.Prefix) string {
	if prefix.IsSingleIP() {
		return prefix.Addr().String()
	}
	return prefix.String()
}

// verdict explains the verdict by the plan, and names the setting that changes it.
func (n *Network) verdict(trace *Trace) Verdict {
	v := Judge(trace.Target, trace.Pieces, trace.Replies)
	switch {
	case len(trace.Replies) > 0:
		v.Why = "networks of the shoot overlap with the seed's pods " + n.Family.SeedPods.String()
		v.Remedy = "give shoot and seed disjoint ranges; kindling plan --explain shows which overlap"
	case v.ThroughVPN:
	case trace.From == VPNSeedServer && n.HA:
		v.Why = fmt.Sprintf("with high availability %s has the routes of the VPN, and %s has none for the shoot", KubeAPIServer, trace.From)
		v.Remedy = "ask for --from " + KubeAPIServer
	case trace.Target.Name == TargetNodes && !n.Shoot.Nodes.IsValid():
		v.Why = fmt.Sprintf("Shoot.spec.networking.nodes is not set (layout %s), so that the VPN has no route for nodes", n.Plan.Layout)
		v.Remedy = n.nodesRemedy()
	case v.Class == route.ClassDirect && !n.carries(trace.Target.Prefixes[0]):
		v.Why, v.Remedy = n.outside(trace.Target.Prefixes[0])
	case v.Class == ClassMixed:
		v.Why = "the VPN carries " + list(n.tunnelled()) + " and nothing else"
	}
	return v
}

func (n *Network) nodesRemedy() string {
	if n.Plan.Gardener.Has(gardener.SplitPodCIDR) {
		return "leave spec.layout out, or set it to Split"
	}
	return "set spec.layout: Split, which gives machines a half of the pod CIDR, and shoots nodes in it"
}

// outside explains an address that the VPN does not carry.
func (n *Network) outside(prefix netip.Prefix) (why, remedy string) {
	if !n.Shoot.Nodes.IsValid() {
		return "the VPN carries " + list(n.tunnelled()) + ", and this is " + n.describe(prefix), n.nodesRemedy()
	}
	why = fmt.Sprintf("it is outside nodes %s of shoot %s (%s), and the VPN has no route for it", n.Shoot.Nodes, n.Shoot.Name, n.describe(prefix))
	if !n.holdsMachines(prefix) {
		return why, ""
	}
	return why, "a machine with this address did not get it from the pool of its shoot: see its annotation " +
		netplan.PoolAnnotation(n.Shoot.IPFamily) + ", and make it anew"
}
