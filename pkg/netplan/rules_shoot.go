// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
)

func checkNodesSet(s *Subject, r *recorder) {
	for _, shoot := range s.Shoots {
		switch {
		case shoot.Workerless:
			continue
		case shoot.Nodes.Prefix.IsValid():
			r.ok(shoot.Nodes, "set")
		case s.Layout == v1alpha1.LayoutLegacy:
			r.warn(shoot.Nodes, "not set, as the layout Legacy has it", "see the rule fault-visible")
		default:
			r.violation(shoot.Nodes, "nodes is missing: the VPN gets no route for machines, so kube-apiserver (with high availability) or "+
				"vpn-seed-server (without) reaches the kubelets directly over the seed pod network, and the tunnel check stays green with the VPN broken",
				"set spec.networking.nodes to a range inside machines and disjoint from the seed's pods, and give machines their addresses from it")
		}
	}
}

func checkNodesInside(s *Subject, r *recorder) {
	for _, shoot := range s.Shoots {
		for _, c := range s.Clusters {
			r.inside(shoot.Nodes, c.Machines, "machines get addresses from the machine pool only: choose nodes inside it, or leave them out")
		}
	}
}

func checkShootRanges(s *Subject, r *recorder) {
	for _, shoot := range s.Shoots {
		r.pairwise("move one of the two", shoot.Nodes, shoot.Pods, shoot.Services)
	}
}

// checkShootNodes sorts the nodes of all shoots by address, so that a range can only overlap with the last one that reaches
// as far: no comparison of each with each.
func checkShootNodes(s *Subject, r *recorder) {
	nodes := make([]Range, 0, len(s.Shoots))
	for _, shoot := range s.Shoots {
		if shoot.Nodes.Prefix.IsValid() {
			nodes = append(nodes, shoot.Nodes)
		}
	}
	slices.SortStableFunc(nodes, func(a, b Range) int {
		return cmp.Or(a.Prefix.Addr().Compare(b.Prefix.Addr()), cmp.Compare(a.Prefix.Bits(), b.Prefix.Bits()))
	})
	violations := len(r.findings)
	var open []Range // ranges that contain the current address, outermost first
	for _, current := range nodes {
		for len(open) > 0 && !open[len(open)-1].Prefix.Contains(current.Prefix.Addr()) {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			r.disjoint(open[len(open)-1], current, "give each shoot nodes of its own, or leave the field out to get the next free range")
		}
		open = append(open, current)
	}
	if len(r.findings) == violations && len(nodes) > 1 {
		r.ok(Range{Name: fmt.Sprintf("nodes of %d shoots", len(nodes))}, "disjoint")
	}
}

func checkShootSeed(s *Subject, r *recorder) {
	seeds := seedsByName(s)
	for _, shoot := range s.Shoots {
		for _, seed := range seeds.of(shoot) {
			for _, own := range []Range{shoot.Nodes, shoot.Pods, shoot.Services} {
				for _, other := range []Range{seed.Nodes, seed.Pods, seed.Services} {
					r.disjoint(own, other, "replies of the seed to that range would go into the tunnel, or requests past it: move one of the two")
				}
			}
		}
	}
}

// seedIndex finds the seeds that a shoot can run on.
type seedIndex struct {
	byName map[string][]SeedRanges
	all    []SeedRanges
}

func seedsByName(s *Subject) seedIndex {
	index := seedIndex{byName: map[string][]SeedRanges{}}
	seen := map[[3]netip.Prefix]bool{}
	for _, seed := range s.Seeds {
		index.byName[seed.Name] = append(index.byName[seed.Name], seed)
		// Seeds with the same ranges give a shoot without a seed the same answer.
		if key := [3]netip.Prefix{seed.Nodes.Prefix, seed.Pods.Prefix, seed.Services.Prefix}; !seen[key] {
			seen[key] = true
			index.all = append(index.all, seed)
		}
	}
	return index
}

func (i seedIndex) of(shoot ShootRanges) []SeedRanges {
	if shoot.Seed == "" {
		return i.all
	}
	return i.byName[shoot.Seed]
}

func checkReserved(s *Subject, r *recorder) {
	ranges := []Range{}
	for _, c := range s.Clusters {
		ranges = append(ranges, c.Container, c.Pods, c.Machines, c.Services)
	}
	for _, seed := range s.Seeds {
		ranges = append(ranges, seed.Nodes, seed.Pods, seed.Services, seed.ShootPods, seed.ShootServices)
	}
	for _, shoot := range s.Shoots {
		ranges = append(ranges, shoot.Nodes, shoot.Pods, shoot.Services)
	}
	seen, all := map[netip.Prefix]bool{}, s.Version.ReservedRanges()
	for _, planned := range ranges {
		if seen[planned.Prefix] {
			continue
		}
		seen[planned.Prefix] = true
		for _, reserved := range all {
			r.disjoint(planned, Range{Name: reserved.Purpose, Where: "Gardener " + s.Version.String(), Prefix: reserved.Prefix},
				"Gardener keeps that range for itself: move the planned one")
		}
	}
}

func checkProviderLocal(s *Subject, r *recorder) {
	admitted := providerLocalNodes(s.Version)
	for _, shoot := range s.Shoots {
		for _, prefix := range admitted {
			outer := Range{Name: "range that provider-local admits", Where: "Gardener " + s.Version.String(), Prefix: prefix}
			r.inside(shoot.Nodes, outer, "the range is compiled into provider-local: choose machines and nodes inside it, or an older Gardener")
		}
	}
}

func checkFamilies(s *Subject, r *recorder) {
	for _, shoot := range s.Shoots {
		at := Range{Name: "shoot " + shoot.Name, Where: shoot.Where}
		switch {
		case len(shoot.Families) > 1 && !shoot.Workerless:
			r.violation(at, "dual-stack with workers: provider-local writes the one string in spec.networking.nodes into a pool of each family, and one of them is wrong",
				"choose one family for the shoot")
		case slices.Contains(shoot.Families, v1alpha1.IPv6) && shoot.HighlyAvailable && !s.Version.Has(gardener.NewVPN):
			r.violation(at, "the highly available VPN of Gardener "+s.Version.String()+" can only do IPv4", "set failureTolerance none, or use Gardener v1.116 or newer")
		case slices.Contains(shoot.Families, v1alpha1.IPv6) && !shoot.Workerless && !shoot.SourceNAT && s.Version.Has(gardener.SplitPodCIDR):
			r.warn(at, "IPv6 with workers: with machines inside the pod CIDR nothing outside knows the way back to pods of the shoot",
				"set spec.networking.providerConfig.ipv6.sourceNATEnabled: true, so that they are hidden behind their node")
		default:
			r.ok(at, "served")
		}
	}
}
