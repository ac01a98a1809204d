// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package route decides, from the routing tables of a network namespace, what becomes of a packet to an address: it enters
// Gardener's VPN, leaves directly, stays in the namespace or is dropped. It decides as the Linux kernel does for a packet made in
// that namespace. The package is pure: tables come from text, or from Go values.
package route

import (
	"net/netip"
	"strconv"
	"strings"
)

// Type of a route, as `ip route` names it.
type Type string

// Types of routes. The empty Type is TypeUnicast.
const (
	TypeUnicast   Type = "unicast"
	TypeLocal     Type = "local"
	TypeBroadcast Type = "broadcast"
	TypeAnycast   Type = "anycast"
	TypeMulticast Type = "multicast"
	// TypeBlackhole, TypeUnreachable and TypeProhibit drop what they match, with different errors.
	TypeBlackhole   Type = "blackhole"
	TypeUnreachable Type = "unreachable"
	TypeProhibit    Type = "prohibit"
	// TypeThrow ends the lookup in its table, as if the table had no route.
	TypeThrow Type = "throw"
)

// Names of the tables that are looked at without policy rules. The table main is the empty string in Route.Table.
const (
	TableLocal   = "local"
	TableDefault = "default"
)

// Route is an entry of a routing table.
type Route struct {
	// Destination without host bits; the default route is 0.0.0.0/0 or ::/0.
	Destination netip.Prefix `json:"destination"`
	Type        Type         `json:"type,omitempty"`
	// Gateway is the next hop; it may be an IPv6 address in an IPv4 route.
	Gateway netip.Addr `json:"gateway,omitzero"`
	Device  string     `json:"device,omitempty"`
	// Metric is the priority: the lowest is taken.
	Metric uint32 `json:"metric,omitempty"`
	// Source is the preferred source address (src).
	Source netip.Addr `json:"source,omitzero"`
	// Preference is the router preference of an IPv6 route (pref): high, low, or empty for medium.
	Preference string `json:"preference,omitempty"`
	// TOS is the type of service that a packet must have, as `ip route` names it; empty for any. Packets of kubelet's and kube-apiserver's
	// connections have none, so that a route with a TOS is never taken.
	TOS string `json:"tos,omitempty"`
	// Table is a name or a number; empty for main.
	Table  string `json:"table,omitempty"`
	OnLink bool   `json:"onLink,omitempty"`
	// LinkDown says that the device has no carrier. The route is in force.
	LinkDown bool `json:"linkDown,omitempty"`
	// Dead says that the device is down. The route is not in force.
	Dead bool `json:"dead,omitempty"`
	// NextHops of a multipath route, which has neither Gateway nor Device then.
	NextHops []NextHop `json:"nextHops,omitempty"`
}

// NextHop is one way of a multipath route.
type NextHop struct {
	Gateway netip.Addr `json:"gateway,omitzero"`
	Device  string     `json:"device,omitempty"`
	// Weight is the share of connections that go this way, relative to the other next hops.
	Weight   uint16 `json:"weight,omitempty"`
	OnLink   bool   `json:"onLink,omitempty"`
	LinkDown bool   `json:"linkDown,omitempty"`
	Dead     bool   `json:"dead,omitempty"`
}

// kind returns the type with its default.
func (r *Route) kind() Type {
	if r.Type == "" {
		return TypeUnicast
	}
	return r.Type
}

// hops returns the ways out, whether the route is multipath or not.
func (r *Route) hops() []NextHop {
	if len(r.NextHops) > 0 {
		return r.NextHops
	}
	return []NextHop{{Gateway: r.Gateway, Device: r.Device, OnLink: r.OnLink, LinkDown: r.LinkDown, Dead: r.Dead}}
}

// String returns the route on one line, as `ip route` prints it, without what does not matter for its choice. Parse reads it back.
func (r Route) String() string {
	var words words
	if kind := r.kind(); kind != TypeUnicast {
		words.add(string(kind))
	}
	words.add(r.destination())
	words.pair("tos", r.TOS)
	words.hop(r.Destination.Addr(), r.Gateway, r.Device)
	words.pair("table", r.Table)
	if r.Source.IsValid() {
		words.pair("src", r.Source.String())
	}
	if r.Metric != 0 {
		words.pair("metric", strconv.FormatUint(uint64(r.Metric), 10))
	}
	words.flags(r.OnLink, r.LinkDown, r.Dead)
	switch {
	case r.Preference != "":
		words.pair("pref", r.Preference)
	case r.Destination.Bits() == 0 && r.Destination.Addr().Is6() && !r.showsFamily():
		// `default dev tun0` would be read as IPv4; this is how IPv6 shows in what `ip -6 route` prints.
		words.pair("pref", "medium")
	}
	for _, hop := range r.NextHops {
		words.add("nexthop")
		words.hop(r.Destination.Addr(), hop.Gateway, hop.Device)
		if hop.Weight != 0 {
			words.pair("weight", strconv.Itoa(int(hop.Weight)))
		}
		words.flags(hop.OnLink, hop.LinkDown, hop.Dead)
	}
	return strings.Join(words, " ")
}

// destination is an address alone for a host route, as `ip route` prints it.
func (r *Route) destination() string {
	switch d := r.Destination; {
	case !d.IsValid():
		return "invalid"
	case d.Bits() == 0:
		return "default"
	case d.IsSingleIP():
		return d.Addr().String()
	default:
		return d.String()
	}
}

// showsFamily says whether an address beside the destination shows the family.
func (r *Route) showsFamily() bool {
	if r.Source.IsValid() {
		return true
	}
	for _, hop := range r.hops() {
		if hop.Gateway.IsValid() {
			return true
		}
	}
	return r.Gateway.IsValid()
}

// words of a printed route.
type words []string

func (w *words) add(word string) { *w = append(*w, word) }

func (w *words) pair(name, value string) {
	if value != "" {
		*w = append(*w, name, value)
	}
}

func (w *words) hop(destination, gateway netip.Addr, device string) {
	if gateway.IsValid() {
		w.add("via")
		if destination.Is4() && !gateway.Is4() {
			w.add("inet6")
		}
		w.add(gateway.String())
	}
	w.pair("dev", device)
}

func (w *words) flags(onLink, linkDown, dead bool) {
	if dead {
		w.add("dead")
	}
	if onLink {
		w.add("onlink")
	}
	if linkDown {
		w.add("linkdown")
	}
}
