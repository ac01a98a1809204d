// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"fmt"
	"net/netip"

	"go4.org/netipx"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
)

// ExhaustedError says that machines has no room for the nodes of a shoot.
type ExhaustedError struct {
	Shoot    string
	Field    string
	Machines netip.Prefix
	Bits     int
	Capacity int
}

// Error implements error.
func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("%s: no free /%d is left in machines %s for the nodes of shoot %s (it holds %d): "+
		"choose a longer prefix with %s, enlarge machines, or give the shoot nodes of its own",
		e.Field, e.Bits, e.Machines, e.Shoot, e.Capacity, "shootNodesPrefixLength")
}

// planShoots gives each shoot its ranges. Shoots that name nodes keep them; the others get the free sub-ranges of machines in
// the order of the list, so that a shoot keeps its range when others are appended.
func planShoots(plan *Plan, shoots []v1alpha1.Shoot) ([]Shoot, error) {
	planned := make([]Shoot, len(shoots))
	taken := map[v1alpha1.IPFamily]*netipx.IPSetBuilder{}
	for _, family := range plan.Families {
		taken[family.IPFamily] = &netipx.IPSetBuilder{}
	}
	for i, shoot := range shoots {
		family, _ := plan.Family(shoot.IPFamily)
		planned[i] = Shoot{
			Name: shoot.Name, Namespace: shoot.Namespace, Seed: shoot.Seed,
			IPFamily: shoot.IPFamily, FailureTolerance: shoot.FailureTolerance,
			Pods: family.ShootPods, Services: family.ShootServices,
		}
		if shoot.Nodes == "" || taken[shoot.IPFamily] == nil {
			continue
		}
		nodes, err := netip.ParsePrefix(shoot.Nodes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shootField(i, "nodes"), err)
		}
		planned[i].Nodes = nodes
		taken[shoot.IPFamily].AddPrefix(nodes)
	}
	for _, family := range plan.Families {
		if err := allocate(family, taken[family.IPFamily], planned); err != nil {
			return nil, err
		}
	}
	return planned, nil
}

// allocate walks machines once from its first sub-range to its last.
func allocate(family Family, takenBuilder *netipx.IPSetBuilder, shoots []Shoot) error {
	if !family.Machines.IsValid() {
		return nil
	}
	taken, err := takenBuilder.IPSet()
	if err != nil {
		return fmt.Errorf("collecting the nodes that shoots name: %w", err)
	}
	next := netip.PrefixFrom(family.Machines.Addr(), family.ShootNodesBits).Masked()
	for i := range shoots {
		if shoots[i].IPFamily != family.IPFamily || shoots[i].Nodes.IsValid() {
			continue
		}
		for Contains(family.Machines, next) && taken.OverlapsPrefix(next) {
			next = following(next)
		}
		if !Contains(family.Machines, next) {
			return &ExhaustedError{
				Shoot: shoots[i].Namespace + "/" + shoots[i].Name, Field: shootField(i, "nodes"),
				Machines: family.Machines, Bits: family.ShootNodesBits,
				Capacity: capacity(family.Machines, family.ShootNodesBits),
			}
		}
		shoots[i].Nodes = next
		next = following(next)
	}
	return nil
}

// following returns the next prefix of the same length, or an invalid one after the last address of the family.
func following(prefix netip.Prefix) netip.Prefix {
	next := netipx.PrefixLastIP(prefix).Next()
	if !next.IsValid() {
		return netip.Prefix{}
	}
	return netip.PrefixFrom(next, prefix.Bits())
}

// capacity is the number of sub-ranges in a range, at most 2^30 so that it fits an int.
func capacity(outer netip.Prefix, bits int) int {
	if bits < outer.Bits() {
		return 0
	}
	return 1 << min(bits-outer.Bits(), 30)
}

func shootField(index int, field string) string {
	return fmt.Sprintf("spec.shoots[%d].%s", index, field)
}
