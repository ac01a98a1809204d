// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"fmt"
	"net/netip"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
)

// defaults returns the ranges of Gardener's local setup for a family and a layout.
func defaults(family v1alpha1.IPFamily, layout v1alpha1.Layout) v1alpha1.FamilyNetworks {
	networks := v1alpha1.FamilyNetworks{
		Container: "172.18.0.0/24", Pods: "10.0.0.0/15", Services: "10.2.0.0/16",
		ShootPods: "10.3.0.0/16", ShootServices: "10.4.0.0/16", LoadBalancers: "172.18.255.0/24",
		ShootNodesPrefixLength: 20,
	}
	podsBesideMachines, machinesOutside := "10.1.0.0/16", "10.10.0.0/16"
	if family == v1alpha1.IPv6 {
		networks = v1alpha1.FamilyNetworks{
			Container: "fd00:10::/64", Pods: "fd00:10:1::/48", Services: "fd00:10:2::/112",
			ShootPods: "fd00:10:3::/56", ShootServices: "fd00:10:4::/112", LoadBalancers: "fd00:ff::/120",
			ShootNodesPrefixLength: 64,
		}
		podsBesideMachines, machinesOutside = "fd00:10:1::/56", "fd00:10:a::/64"
	}
	if layout != v1alpha1.LayoutSplit {
		networks.Pods = podsBesideMachines
	}
	if layout == v1alpha1.LayoutOutside {
		networks.Machines = machinesOutside
		if family == v1alpha1.IPv6 {
			networks.ShootNodesPrefixLength = 72
		}
	}
	return networks
}

// resolveFamily fills what the environment leaves open. Seed pods and machines follow from the pod CIDR that is in force,
// so that an environment that only moves the pod CIDR still has a split.
func resolveFamily(family v1alpha1.IPFamily, layout v1alpha1.Layout, given v1alpha1.FamilyNetworks) (Family, error) {
	base := defaults(family, layout)
	parse := parser{family: family}
	resolved := Family{
		IPFamily:       family,
		Container:      parse.prefix("container", given.Container, base.Container),
		Pods:           parse.prefix("pods", given.Pods, base.Pods),
		Services:       parse.prefix("services", given.Services, base.Services),
		ShootPods:      parse.prefix("shootPods", given.ShootPods, base.ShootPods),
		ShootServices:  parse.prefix("shootServices", given.ShootServices, base.ShootServices),
		LoadBalancers:  parse.prefix("loadBalancers", given.LoadBalancers, base.LoadBalancers),
		ShootNodesBits: base.ShootNodesPrefixLength,
	}
	if given.ShootNodesPrefixLength != 0 {
		resolved.ShootNodesBits = given.ShootNodesPrefixLength
	}
	seedPods, machines := resolved.Pods, netip.Prefix{}
	switch layout {
	case v1alpha1.LayoutSplit:
		seedPods, machines = Split(resolved.Pods)
	case v1alpha1.LayoutOutside:
		machines = parse.prefix("machines", base.Machines, "")
	}
	resolved.SeedPods = parse.prefixOr("seedPods", given.SeedPods, seedPods)
	resolved.Machines = parse.prefixOr("machines", given.Machines, machines)
	if given.ShootNodesPrefixLength == 0 && resolved.Machines.IsValid() {
		// A machines range smaller than the usual sub-range is given to one shoot as a whole.
		resolved.ShootNodesBits = max(resolved.ShootNodesBits, resolved.Machines.Bits())
	}
	return resolved, parse.err
}

// parser parses prefixes and keeps the first error. Validation of the environment has found errors before; this is the guard
// for callers that skip it.
type parser struct {
	family v1alpha1.IPFamily
	err    error
}

func (p *parser) prefix(field, text, fallback string) netip.Prefix {
	if text == "" {
		text = fallback
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("%s: %w", NetworkField(p.family, field), err)
	}
	return prefix
}

func (p *parser) prefixOr(field, text string, fallback netip.Prefix) netip.Prefix {
	if text == "" {
		return fallback
	}
	return p.prefix(field, text, "")
}

// NetworkField returns the path of a range in the environment file, such as spec.networks.ipv4.seedPods.
func NetworkField(family v1alpha1.IPFamily, field string) string {
	if family == v1alpha1.IPv6 {
		return "spec.networks.ipv6." + field
	}
	return "spec.networks.ipv4." + field
}
