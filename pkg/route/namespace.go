// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route

import (
	"fmt"
	"net/netip"
)

// Map is a NETMAP rule: addresses in From become the address with the same host part in To. The host part is what To's length leaves
// open, as for iptables, so that 10.250.0.0/16 mapped to 242.0.0.0/8 becomes 242.250.0.0/16. The first rule that matches wins.
type Map struct {
	From netip.Prefix `json:"from"`
	To   netip.Prefix `json:"to"`
}

// Validate returns an error for a rule that can't be followed: no prefixes, two families, or a To with less room than From. Decide
// and Partition pass such a rule over.
func (m Map) Validate() error {
	switch {
	case !m.From.IsValid() || !m.To.IsValid():
		return fmt.Errorf("map from %v to %v: give two prefixes", m.From, m.To)
	case m.From.Addr().BitLen() != m.To.Addr().BitLen():
		return fmt.Errorf("map from %v to %v: use prefixes of one family", m.From, m.To)
	case m.From.Bits() < m.To.Bits():
		return fmt.Errorf("map from %v to %v: several addresses would become one; use a range of at least the size /%d", m.From, m.To, m.From.Bits())
	}
	return nil
}

// Image returns what the rule makes of an address, and false for an address, or a rule, that does not match.
func (m Map) Image(address netip.Addr) (netip.Addr, bool) {
	address = address.WithZone("")
	if m.Validate() != nil || !m.From.Contains(address) {
		return netip.Addr{}, false
	}
	return combine(m.To, address), true
}

// origin is the reverse of Image.
func (m Map) origin(image netip.Addr) netip.Addr { return combine(m.From, image) }

// combine returns the network part of a prefix with the host part of an address of the same family.
func combine(network netip.Prefix, host netip.Addr) netip.Addr {
	head, tail, bits := network.Addr().As16(), host.As16(), network.Bits()
	if host.Is4() {
		bits += 96
	}
	for i := range tail {
		mask := byte(0xff) >> min(max(bits-8*i, 0), 8)
		tail[i] = head[i]&^mask | tail[i]&mask
	}
	if host.Is4() {
		return netip.AddrFrom16(tail).Unmap()
	}
	return netip.AddrFrom16(tail)
}

// Namespace is a network namespace, as far as a packet that leaves it is concerned. Maps are taken before routes, as for packets
// that are forwarded. For a packet made in the namespace, the kernel asks in addition for some route to the address
// before it is mapped; pods always have one, their default route.
type Namespace struct {
	Name string `json:"name"`
	// Table of the namespace; nil has no route, not even a local one.
	Table *Table `json:"-"`
	Maps  []Map  `json:"maps,omitempty"`
}

// Decision is what becomes of a packet, and why.
type Decision struct {
	Class Class `json:"class"`
	// Destination is the address that was looked up, after Map.
	Destination netip.Addr `json:"destination"`
	// Map is the rule that changed the destination, one of the namespace's; nil when none did.
	Map *Map `json:"map,omitempty"`
	// Route that decided; nil without one. It belongs to the table and is not to be changed.
	Route *Route `json:"route,omitempty"`
	// Reason is a part of a sentence, for people.
	Reason string `json:"reason"`
}

// Decide says what becomes of a packet to an address. What only the state of a running kernel shows is not considered: neighbours that
// do not answer, policy rules, and firewalls other than Maps.
func (n *Namespace) Decide(address netip.Addr) Decision {
	d := n.choose(address).decision()
	if !address.IsValid() {
		d.Reason = "no address"
	}
	return d
}

// choice is what a decision is made of.
type choice struct {
	destination netip.Addr
	rule        *Map
	route       *Route
}

func (c choice) decision() Decision {
	class, reason := classify(c.route)
	return Decision{Class: class, Destination: c.destination, Map: c.rule, Route: c.route, Reason: reason}
}

// image returns what an address with the same choice is looked up as.
func (c choice) image(address netip.Addr) netip.Addr {
	if c.rule == nil {
		return address
	}
	return combine(c.rule.To, address)
}

func (n *Namespace) choose(address netip.Addr) choice {
	c := choice{destination: address.WithZone("")}
	for i := range n.Maps {
		if image, ok := n.Maps[i].Image(address); ok {
			c.destination, c.rule = image, &n.Maps[i]
			break
		}
	}
	c.route = n.Table.lookup(c.destination)
	return c
}
