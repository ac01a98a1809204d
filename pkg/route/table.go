// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/gaissmai/bart"
)

// Table holds the routes of a network namespace for lookups. It does not change after NewTable; any number of goroutines may use it.
//
// It stands for a namespace without policy rules other than the kernel's own, as pods have it. The kernel then does two lookups for
// an address. In IPv4, the first is in tables local and main at once, which are one trie until somebody adds a policy rule: the
// longest prefix of both wins, and local wins only among equal prefixes. The second is in table default. In IPv6, the first
// is in table local and the second in main; nothing leads to table default.
type Table struct {
	first, second bart.Table[*Route]
}

// stage is the lookup, of the two, that a route takes part in; none for a table that only a policy rule would lead to.
type stage int

const (
	stageNone stage = iota
	stageFirst
	stageSecond
)

func stageOf(r *Route) stage {
	is4 := r.Destination.Addr().Is4()
	switch table := tableName(r.Table); {
	case table == TableLocal, table == "" && is4:
		return stageFirst
	case table == "", table == TableDefault && is4:
		return stageSecond
	default:
		return stageNone
	}
}

// tableName returns the name of a table that may be given by its number; main is empty.
func tableName(table string) string {
	switch table {
	case "main", "254":
		return ""
	case "255":
		return TableLocal
	case "253":
		return TableDefault
	default:
		return table
	}
}

// NewTable prepares routes for lookups. The order of equal routes is that of the kernel's list: the first one wins. A family without
// any route in table local gets the local addresses that can be known, see localRoutes. The error names the first route that no
// kernel would have.
func NewTable(routes []Route) (*Table, error) {
	entries := make([]*Route, 0, len(routes)+4)
	for i := range routes {
		if err := check(&routes[i]); err != nil {
			return nil, fmt.Errorf("route %d (%s): %w", i+1, routes[i], err)
		}
		entry := routes[i]
		entry.NextHops = slices.Clone(entry.NextHops)
		entries = append(entries, &entry)
	}
	entries = append(entries, localRoutes(entries)...)
	entries = slices.DeleteFunc(entries, func(r *Route) bool { return stageOf(r) == stageNone || !r.inForce() })
	slices.SortStableFunc(entries, compareEntries)
	t := &Table{}
	for start := 0; start < len(entries); {
		end := start + 1
		for end < len(entries) && stageOf(entries[end]) == stageOf(entries[start]) && entries[end].Destination == entries[start].Destination {
			end++
		}
		table := &t.first
		if stageOf(entries[start]) == stageSecond {
			table = &t.second
		}
		table.Insert(entries[start].Destination, join(entries[start:end]))
		start = end
	}
	return t, nil
}

// check refuses what can't be a route.
func check(r *Route) error {
	switch d := r.Destination; {
	case !d.IsValid():
		return fmt.Errorf("it has no destination; set one, the default route is 0.0.0.0/0 or ::/0")
	case d != d.Masked():
		return fmt.Errorf("the destination has host bits; use %v", d.Masked())
	}
	for _, hop := range r.hops() {
		if r.Destination.Addr().Is6() && hop.Gateway.Is4() {
			return fmt.Errorf("an IPv6 route can't have the IPv4 gateway %v", hop.Gateway)
		}
	}
	if kind, _ := parseType(string(r.kind())); kind != r.kind() {
		return fmt.Errorf("%q is no type of route", string(r.Type))
	}
	return nil
}

// localRoutes returns what table local holds at least, for each family that shows none of it, as when only `ip route` was
// read: the loopback addresses, and every preferred source address. The kernel refuses a preferred source that is not an
// address of the namespace, so that each one is known to be local.
func localRoutes(routes []*Route) []*Route {
	var given4, given6 bool
	for _, r := range routes {
		if tableName(r.Table) == TableLocal {
			given4 = given4 || r.Destination.Addr().Is4()
			given6 = given6 || r.Destination.Addr().Is6()
		}
	}
	var local []*Route
	seen := map[netip.Addr]bool{}
	add := func(destination netip.Prefix, device string) {
		if given := destination.Addr().Is4() && given4 || destination.Addr().Is6() && given6; given || seen[destination.Addr()] {
			return
		}
		seen[destination.Addr()] = true
		local = append(local, &Route{Destination: destination, Type: TypeLocal, Device: device, Table: TableLocal})
	}
	add(netip.PrefixFrom(netip.AddrFrom4([4]byte{127}), 8), "lo")
	add(netip.PrefixFrom(netip.IPv6Loopback(), 128), "lo")
	for _, r := range routes {
		if source := r.Source.WithZone(""); source.IsValid() && !source.IsUnspecified() {
			add(netip.PrefixFrom(source, source.BitLen()), r.Device)
		}
	}
	return local
}

// inForce says whether a packet without a TOS can take the route.
func (r *Route) inForce() bool {
	if !plainTOS(r.TOS) {
		return false
	}
	switch r.kind() {
	case TypeBlackhole, TypeUnreachable, TypeProhibit, TypeThrow:
		return true
	default:
		return slices.ContainsFunc(r.hops(), func(hop NextHop) bool { return !hop.Dead })
	}
}

// plainTOS says whether a route's TOS is none, in any of the ways it is printed.
func plainTOS(tos string) bool {
	return tos == "" || tos == "0" || tos == "0x0" || tos == "0x00" || tos == "default"
}

// compareEntries orders routes as the kernel lists them for one destination: in IPv4 table local before main, then by metric, and in
// IPv6 by router preference at last. The sort is stable, so that equal routes stay in the order they were given.
func compareEntries(a, b *Route) int {
	return cmp.Or(
		cmp.Compare(stageOf(a), stageOf(b)),
		a.Destination.Addr().Compare(b.Destination.Addr()),
		cmp.Compare(a.Destination.Bits(), b.Destination.Bits()),
		cmp.Compare(tableRank(a), tableRank(b)),
		cmp.Compare(a.Metric, b.Metric),
		cmp.Compare(preferenceRank(a), preferenceRank(b)),
	)
}

func tableRank(r *Route) int {
	if tableName(r.Table) == TableLocal {
		return 0
	}
	return 1
}

func preferenceRank(r *Route) int {
	switch {
	case r.Destination.Addr().Is4():
		return 0
	case r.Preference == "high":
		return -1
	case r.Preference == "low":
		return 1
	default:
		return 0
	}
}

// join returns the route that decides among those of one destination, best first. That is the first one, but IPv6 routes with
// gateways and the same metric are one multipath route, even where they are listed one by one.
func join(entries []*Route) *Route {
	best := entries[0]
	if !joins(best) {
		return best
	}
	joined := *best
	for _, other := range entries[1:] {
		if joins(other) && other.Metric == best.Metric && preferenceRank(other) == preferenceRank(best) {
			joined.NextHops = append(joined.hops(), other.hops()...)
		}
	}
	if len(joined.NextHops) == len(best.NextHops) {
		return best
	}
	joined.Gateway, joined.Device, joined.OnLink, joined.LinkDown, joined.Dead = netip.Addr{}, "", false, false, false
	return &joined
}

func joins(r *Route) bool {
	return r.Destination.Addr().Is6() && r.kind() == TypeUnicast && r.hops()[0].Gateway.IsValid()
}

// Lookup returns the route that the kernel takes for an address, and false when there is none, or only routes of type throw. An
// IPv4-mapped IPv6 address is taken for what it is, an IPv6 address; the zone of an address does not matter. The slice in the
// route is shared with the table and not to be changed.
func (t *Table) Lookup(address netip.Addr) (Route, bool) {
	if r := t.lookup(address); r != nil {
		return *r, true
	}
	return Route{}, false
}

func (t *Table) lookup(address netip.Addr) *Route {
	if t == nil || !address.IsValid() {
		return nil
	}
	if r, ok := t.first.Lookup(address); ok && r.Type != TypeThrow {
		return r
	}
	if r, ok := t.second.Lookup(address); ok && r.Type != TypeThrow {
		return r
	}
	return nil
}
