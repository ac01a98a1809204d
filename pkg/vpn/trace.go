// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package vpn

import (
	"fmt"
	"net/netip"

	"go4.org/netipx"

	"github.com/gardener/kindling/pkg/route"
)

// Trace is the predicted way from a pod of the seed to a range.
type Trace struct {
	Environment string `json:"environment,omitempty"`
	Gardener    string `json:"gardener,omitempty"`
	Layout      string `json:"layout,omitempty"`
	Shoot       string `json:"shoot,omitempty"`
	HA          bool   `json:"highAvailability"`
	// Ranges are where the namespaces have their addresses.
	Ranges Ranges `json:"ranges,omitzero"`
	// VPN is the generation of the VPN.
	VPN    Generation `json:"vpn,omitempty"`
	From   string     `json:"from"`
	Target Target     `json:"target"`
	// Pieces of the target, each with one way.
	Pieces []Piece `json:"pieces"`
	// Replies are the seed pods whose answers enter the VPN instead of going back: none, in an environment that works.
	Replies []netip.Prefix `json:"misroutedReplies,omitempty"`
	Verdict Verdict        `json:"verdict"`
	// Notices say what of the environment the verdict does not cover; whoever knows the environment fills them in.
	Notices []string `json:"notices,omitempty"`
}

// Ranges are the ranges of a plan that matter to a way.
type Ranges struct {
	SeedNodes netip.Prefix `json:"seedNodes"`
	SeedPods  netip.Prefix `json:"seedPods"`
	ShootPods netip.Prefix `json:"shootPods"`
}

// Piece is a part of the target whose addresses have one way.
type Piece struct {
	Prefix netip.Prefix `json:"prefix"`
	// Class is what the pod's routing table makes of it.
	Class route.Class `json:"class"`
	// Guarded says that the guard drops connections to kubelets that go this way.
	Guarded bool  `json:"guarded,omitempty"`
	Hops    []Hop `json:"hops"`
}

// Hop is a network namespace on the way.
type Hop struct {
	Namespace string `json:"namespace"`
	// Back says that the hop is on the way of the answers.
	Back bool `json:"back,omitempty"`
	// Destination that was looked up.
	Destination netip.Prefix `json:"destination,omitzero"`
	Map         *route.Map   `json:"map,omitempty"`
	// Route that decided, as ip route prints it; empty where none did.
	Route string `json:"route,omitempty"`
	// Class is set where the hop decides on the VPN.
	Class route.Class `json:"class,omitempty"`
	// Note says what happens there, for people.
	Note string `json:"note"`
}

// Trace follows packets from a pod, one of KubeAPIServer and VPNSeedServer, to a target.
func (n *Network) Trace(from string, target Target) (*Trace, error) {
	trace := &Trace{
		Environment: n.Plan.Environment, Gardener: n.Plan.Gardener.String(), Layout: string(n.Plan.Layout),
		Shoot: n.Shoot.Namespace + "/" + n.Shoot.Name, HA: n.HA, VPN: n.Generation, From: from, Target: target,
		Ranges: Ranges{SeedNodes: n.Family.Container, SeedPods: n.Family.SeedPods, ShootPods: n.Shoot.Pods},
	}
	var before []Hop
	decider := &n.VPNSeedServer
	switch {
	case from == KubeAPIServer && n.HA:
		decider = &n.KubeAPIServer
	case from == KubeAPIServer:
		before = []Hop{n.proxyHop()}
	case from != VPNSeedServer:
		return nil, fmt.Errorf("there is no pod %q to start from: it is %s or %s", from, KubeAPIServer, VPNSeedServer)
	}
	for _, prefix := range target.Prefixes {
		for _, part := range decider.Partition(prefix) {
			trace.Pieces = append(trace.Pieces, n.piece(before, decider, part))
		}
	}
	trace.Replies = Misrouted(n.client(), n.Family.SeedPods)
	trace.Verdict = n.verdict(trace)
	return trace, nil
}

// Observe judges a routing table that was read somewhere, by itself: what lies behind it is not known. seedPods may be invalid; then
// nothing is said of answers.
func Observe(namespace *route.Namespace, target Target, seedPods netip.Prefix) *Trace {
	trace := &Trace{From: namespace.Name, Target: target}
	for _, prefix := range target.Prefixes {
		for _, part := range namespace.Partition(prefix) {
			trace.Pieces = append(trace.Pieces, Piece{
				Prefix: part.Prefix, Class: part.Decision.Class,
				Hops: []Hop{hop(namespace.Name, part.Decision, part.Prefix, part.Decision.Reason)},
			})
		}
	}
	if seedPods.IsValid() {
		trace.Replies = Misrouted(namespace, seedPods)
	}
	trace.Verdict = Judge(target, trace.Pieces, trace.Replies)
	if trace.Verdict.Class == route.ClassDirect || trace.Verdict.Class == ClassMixed {
		trace.Verdict.Why = "the table has no route of the VPN for " + list(rest(trace.Pieces))
		trace.Verdict.Remedy = "if that is a machine: the VPN gets its route from Shoot.spec.networking.nodes, and machines need addresses in that range"
	}
	return trace
}

// proxyHop is kube-apiserver without high availability: it has no route into the VPN, and asks the proxy beside the VPN server.
func (n *Network) proxyHop() Hop {
	seedPods := n.Family.SeedPods
	decision := n.KubeAPIServer.Decide(seedPods.Addr().Next())
	h := hop(KubeAPIServer, decision, seedPods, "asks the HTTP CONNECT proxy in "+VPNSeedServer)
	h.Class = "" // the way to the proxy is not the one that is asked for
	return h
}

func (n *Network) piece(before []Hop, decider *route.Namespace, part route.Piece) Piece {
	piece := Piece{Prefix: part.Prefix, Class: part.Decision.Class}
	piece.Hops = append(piece.Hops, before...)
	note := part.Decision.Reason
	if part.Decision.Map != nil && !n.HA {
		note += "; so it is for the proxy's packets, others leave by their own routes"
	}
	piece.Hops = append(piece.Hops, hop(decider.Name, part.Decision, part.Prefix, note))
	switch piece.Class {
	case route.ClassVPN:
		piece.Hops = append(piece.Hops, n.throughVPN(part)...)
	case route.ClassDirect:
		piece.Guarded = n.Guard && n.holdsMachines(part.Prefix)
		piece.Hops = append(piece.Hops, n.pastVPN(part.Prefix, piece.Guarded))
	}
	return piece
}

// throughVPN are the hops in the shoot, and the way back.
func (n *Network) throughVPN(part route.Piece) []Hop {
	note := "leaves the tunnel, and goes on with the address of " + VPNShoot
	forth := Hop{Namespace: VPNShoot, Note: note}
	image := netip.PrefixFrom(part.Decision.Destination, part.Prefix.Bits())
	if arrived := n.VPNShoot.Partition(image); len(arrived) == 1 {
		forth = hop(VPNShoot, arrived[0].Decision, image, note)
	}
	forth.Class = "" // what is beside the VPN here is inside the shoot
	back := n.VPNShoot.Decide(n.sources().Addr().Next())
	answer := hop(VPNShoot, back, n.sources(), "sends answers into the tunnel")
	answer.Back = true
	return []Hop{forth, answer}
}

// pastVPN is the node of the seed, which knows where every pod is.
func (n *Network) pastVPN(to netip.Prefix, guarded bool) Hop {
	h := Hop{Namespace: "seed node", Class: route.ClassDirect, Note: "knows the way to every pod of the seed, machines too"}
	switch {
	case guarded:
		h.Class, h.Note = route.ClassDropped, "the guard drops connections of seed pods to kubelets of machines"
	case !n.holdsMachines(to):
		h.Note = "no machine has an address there"
	}
	return h
}

// holdsMachines says whether a machine can have an address there, whatever range it should have got it from.
func (n *Network) holdsMachines(prefix netip.Prefix) bool {
	for _, machines := range []netip.Prefix{n.Shoot.Nodes, n.Family.Machines, n.Family.SeedPods} {
		if machines.IsValid() && machines.Overlaps(prefix) {
			return true
		}
	}
	return false
}

// hop is what a decision looks like to people.
func hop(namespace string, decision route.Decision, destination netip.Prefix, note string) Hop {
	h := Hop{Namespace: namespace, Destination: destination, Map: decision.Map, Class: decision.Class, Note: note}
	if decision.Map != nil {
		if image, ok := decision.Map.Image(destination.Addr()); ok {
			h.Destination = netip.PrefixFrom(image, destination.Bits())
		}
	}
	if decision.Route != nil {
		h.Route = decision.Route.String()
	}
	return h
}

// Misrouted returns the parts of a range that a namespace sends into the VPN. For the pods of the seed there must be none: answers to
// them would get lost, which is what overlapping networks do.
func Misrouted(namespace *route.Namespace, seedPods netip.Prefix) []netip.Prefix {
	var set netipx.IPSetBuilder
	// Addresses are mapped when a connection begins, which is not so with answers.
	answers := route.Namespace{Table: namespace.Table}
	for _, part := range answers.Partition(seedPods) {
		if part.Decision.Class == route.ClassVPN {
			set.AddPrefix(part.Prefix)
		}
	}
	misrouted, err := set.IPSet()
	if err != nil {
		return nil // prefixes of a partition are valid
	}
	return misrouted.Prefixes()
}
