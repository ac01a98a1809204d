// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route

import (
	"net/netip"
	"slices"

	"go4.org/netipx"
)

// Piece is a part of a prefix whose addresses all share one decision.
type Piece struct {
	Prefix netip.Prefix `json:"prefix"`
	// Decision for the piece; its Destination is that of the first address.
	Decision Decision `json:"decision"`
}

// Partition cuts a prefix into pieces with one decision each: sorted, disjoint, and covering the prefix exactly. Neighbours share
// neither route nor map, unless no single prefix would hold both. The result is empty for an invalid prefix.
//
// A decision can only change where a route or a map begins or ends, so that it is made once between two such places.
func (n *Namespace) Partition(prefix netip.Prefix) []Piece {
	if !prefix.IsValid() {
		return nil
	}
	prefix = prefix.Masked()
	last := netipx.PrefixLastIP(prefix)
	cuts := n.cuts(prefix)
	pieces := make([]Piece, 0, 2*len(cuts))
	var parts []netip.Prefix
	from := 0
	before := n.choose(cuts[0])
	for i := 1; i <= len(cuts); i++ {
		end, decided := last, before
		if i < len(cuts) {
			next := n.choose(cuts[i])
			if next.route == before.route && next.rule == before.rule {
				continue
			}
			end, before = cuts[i].Prev(), next
		}
		decision := decided.decision()
		parts = netipx.IPRangeFrom(cuts[from], end).AppendPrefixes(parts[:0])
		for _, part := range parts {
			decision.Destination = decided.image(part.Addr())
			pieces = append(pieces, Piece{part, decision})
		}
		from = i
	}
	return pieces
}

// cuts returns the sorted addresses at which a decision may change, the first address of the prefix among them.
func (n *Namespace) cuts(prefix netip.Prefix) []netip.Addr {
	c := cutter{prefix: prefix, cuts: []netip.Addr{prefix.Addr()}}
	n.Table.within(prefix, c.around)
	for _, rule := range n.Maps {
		if rule.Validate() != nil || !rule.From.Overlaps(prefix) {
			continue
		}
		mapped := rule.From.Masked()
		c.around(mapped)
		if prefix.Bits() > mapped.Bits() {
			mapped = prefix
		}
		image := netip.PrefixFrom(combine(rule.To, mapped.Addr()), mapped.Bits())
		n.Table.within(image, func(inside netip.Prefix) {
			c.around(netip.PrefixFrom(rule.origin(inside.Addr()), inside.Bits()))
		})
	}
	slices.SortFunc(c.cuts, netip.Addr.Compare)
	return slices.Compact(c.cuts)
}

// within calls a function with the destinations of all routes inside a prefix.
func (t *Table) within(prefix netip.Prefix, visit func(netip.Prefix)) {
	if t == nil {
		return
	}
	for destination := range t.first.Subnets(prefix) {
		visit(destination)
	}
	for destination := range t.second.Subnets(prefix) {
		visit(destination)
	}
}

// cutter collects cuts inside a prefix.
type cutter struct {
	prefix netip.Prefix
	cuts   []netip.Addr
}

// around cuts where the addresses of a prefix begin and where they have ended.
func (c *cutter) around(inside netip.Prefix) {
	for _, address := range []netip.Addr{inside.Addr(), netipx.PrefixLastIP(inside).Next()} {
		if c.prefix.Contains(address) {
			c.cuts = append(c.cuts, address)
		}
	}
}
