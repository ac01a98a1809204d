// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/calico/ippool"
	"github.com/gardener/kindling/pkg/gardener"
)

// Range is an address range with the name that people know it by, and where it was read: a field path or a file.
type Range struct {
	Name   string       `json:"name"`
	Where  string       `json:"where,omitempty"`
	Prefix netip.Prefix `json:"prefix,omitzero"`
}

// Subject is what the rules look at. It comes from a plan, or from files that people bring.
type Subject struct {
	Version gardener.Version
	// Layout is empty where only files are known.
	Layout v1alpha1.Layout
	// NetworkPlugin is empty where only files are known.
	NetworkPlugin v1alpha1.NetworkPlugin
	// Clusters has an entry per cluster and family.
	Clusters []ClusterRanges
	// Seeds has an entry per seed and family.
	Seeds  []SeedRanges
	Shoots []ShootRanges
	Pools  []PoolSettings
	// Host are ranges that the host uses already.
	Host []HostRange
}

// HostRange is a range that the host uses already.
type HostRange struct {
	Range
	// EngineNetwork says that it is a network of the container engine, which admits no second network in the same range; other
	// ranges are routes.
	EngineNetwork bool
}

// ClusterRanges are the ranges of a cluster in one family. Ranges that are not known are invalid and not compared.
type ClusterRanges struct {
	Container, Pods, SeedPods, Machines, Services, LoadBalancers Range
}

// SeedRanges are the ranges of a Seed.
type SeedRanges struct {
	Name                                            string
	Nodes, Pods, Services, ShootPods, ShootServices Range
}

// ShootRanges are the ranges of a Shoot.
type ShootRanges struct {
	Name  string
	Where string
	// Seed is empty when the shoot names none: it may then be scheduled to each.
	Seed     string
	Families []v1alpha1.IPFamily
	// Workerless shoots need no nodes.
	Workerless      bool
	HighlyAvailable bool
	// SourceNAT says that an IPv6 shoot hides its pods behind their node.
	SourceNAT             bool
	Nodes, Pods, Services Range
}

// PoolSettings are the settings of an IPPool.
type PoolSettings struct {
	Name  string
	Where string
	Spec  ippool.Spec
	// Machines says that the pool is meant for machines.
	Machines bool
}

// Subject returns what the rules look at in a plan.
func (p *Plan) Subject(encapsulation v1alpha1.Encapsulation) *Subject {
	subject := &Subject{Version: p.Gardener, Layout: p.Layout, NetworkPlugin: p.NetworkPlugin}
	for _, family := range p.Families {
		subject.Clusters = append(subject.Clusters, family.cluster())
		for _, cluster := range p.Clusters {
			subject.Seeds = append(subject.Seeds, family.seed(cluster.Seed))
		}
	}
	for i, shoot := range p.Shoots {
		subject.Shoots = append(subject.Shoots, shoot.ranges(i))
	}
	for _, pool := range p.Pools {
		subject.Pools = append(subject.Pools, PoolSettings{
			Name: pool.Name, Spec: pool.Spec(encapsulation), Machines: pool.Machines,
			Where: NetworkField(pool.IPFamily, map[bool]string{true: "machines", false: "seedPods"}[pool.Machines]),
		})
	}
	return subject
}

func (f Family) cluster() ClusterRanges {
	named := func(name, field string, prefix netip.Prefix) Range {
		return Range{Name: name, Where: NetworkField(f.IPFamily, field), Prefix: prefix}
	}
	return ClusterRanges{
		Container:     named("container network", "container", f.Container),
		Pods:          named("pod CIDR", "pods", f.Pods),
		SeedPods:      named("seed pods", "seedPods", f.SeedPods),
		Machines:      named("machines", "machines", f.Machines),
		Services:      named("seed services", "services", f.Services),
		LoadBalancers: named("load-balancer range", "loadBalancers", f.LoadBalancers),
	}
}

func (f Family) seed(name string) SeedRanges {
	cluster := f.cluster()
	return SeedRanges{
		Name: name, Nodes: cluster.Container, Pods: cluster.SeedPods, Services: cluster.Services,
		ShootPods:     Range{Name: "shoot pods", Where: NetworkField(f.IPFamily, "shootPods"), Prefix: f.ShootPods},
		ShootServices: Range{Name: "shoot services", Where: NetworkField(f.IPFamily, "shootServices"), Prefix: f.ShootServices},
	}
}

func (s Shoot) ranges(index int) ShootRanges {
	name := s.Namespace + "/" + s.Name
	named := func(kind, where string, prefix netip.Prefix) Range {
		return Range{Name: kind + " of shoot " + name, Where: where, Prefix: prefix}
	}
	return ShootRanges{
		Name: name, Where: fmt.Sprintf("spec.shoots[%d]", index), Seed: s.Seed,
		Families:        []v1alpha1.IPFamily{s.IPFamily},
		HighlyAvailable: s.FailureTolerance != v1alpha1.FailureToleranceNone,
		SourceNAT:       true, // as shoot.yaml is rendered
		Nodes:           named("nodes", shootField(index, "nodes"), s.Nodes),
		Pods:            named("pods", NetworkField(s.IPFamily, "shootPods"), s.Pods),
		Services:        named("services", NetworkField(s.IPFamily, "shootServices"), s.Services),
	}
}

// WithDefaults fills pods and services from the seed's shootDefaults, as Gardener's admission does when the families fit.
func (s ShootRanges) WithDefaults(seed SeedRanges) ShootRanges {
	fill := func(own *Range, fallback Range) {
		if !own.Prefix.IsValid() && fallback.Prefix.IsValid() && slices.Contains(s.Families, FamilyOf(fallback.Prefix)) {
			own.Prefix, own.Where = fallback.Prefix, fallback.Where
		}
	}
	if !s.Workerless {
		fill(&s.Pods, seed.ShootPods)
	}
	fill(&s.Services, seed.ShootServices)
	return s
}
