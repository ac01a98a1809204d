// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package vpn

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/gardener/kindling/pkg/netplan"
)

// Target is what a packet is for.
type Target struct {
	// Name is nodes, pods or services, or the address or CIDR as it was written.
	Name     string         `json:"name"`
	Prefixes []netip.Prefix `json:"prefixes"`
	// What says in words what the ranges are.
	What string `json:"what,omitempty"`
}

// String lists the ranges.
func (t Target) String() string { return list(t.Prefixes) }

// NewTarget returns a target that is no part of a plan.
func NewTarget(name, what string, prefixes ...netip.Prefix) Target {
	return Target{Name: name, Prefixes: prefixes, What: what}
}

// Names of targets.
const (
	TargetNodes    = "nodes"
	TargetPods     = "pods"
	TargetServices = "services"
)

// Target resolves nodes, pods, services, an address or a CIDR.
func (n *Network) Target(name string) (Target, error) {
	switch name {
	case TargetNodes:
		if n.Shoot.Nodes.IsValid() {
			return NewTarget(name, "nodes of shoot "+n.Shoot.Name, n.Shoot.Nodes), nil
		}
		return NewTarget(name, "no nodes are set: machines have addresses of seed pods", n.Family.SeedPods), nil
	case TargetPods:
		return NewTarget(name, "pods of shoot "+n.Shoot.Name, n.Shoot.Pods), nil
	case TargetServices:
		return NewTarget(name, "services of shoot "+n.Shoot.Name, n.Shoot.Services), nil
	}
	prefix, err := ParsePrefix(name)
	if err != nil {
		return Target{}, err
	}
	if prefix.Addr().Is4() != n.Family.SeedPods.Addr().Is4() {
		return Target{}, fmt.Errorf("%s is of another family than shoot %s, which has %s", name, n.Shoot.Name, n.Shoot.IPFamily)
	}
	return NewTarget(name, n.describe(prefix), prefix), nil
}

// ParsePrefix reads an address or a CIDR without host bits.
func ParsePrefix(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		address, err := netip.ParseAddr(text)
		if err != nil || address.Zone() != "" {
			return netip.Prefix{}, fmt.Errorf("%q is neither an address nor a CIDR, nor one of %s, %s, %s", text, TargetNodes, TargetPods, TargetServices)
		}
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("%q is no CIDR: write one such as 10.0.0.0/16", text)
	}
	if prefix != prefix.Masked() {
		return netip.Prefix{}, fmt.Errorf("%s has host bits: write %s, or the address alone", text, prefix.Masked())
	}
	return prefix, nil
}

// describe says which range of the plan holds a prefix; the first in the list that does.
func (n *Network) describe(prefix netip.Prefix) string {
	for _, known := range n.ranges() {
		if known.Prefix.IsValid() && netplan.Contains(known.Prefix, prefix) {
			return "in " + known.Name + " " + known.Prefix.String()
		}
	}
	return "in no range of the plan"
}

// ranges are the ranges that an address can lie in, the narrowest first.
func (n *Network) ranges() []netplan.Range {
	return []netplan.Range{
		{Name: "nodes of shoot " + n.Shoot.Name, Prefix: n.Shoot.Nodes},
		{Name: "pods of shoot " + n.Shoot.Name, Prefix: n.Shoot.Pods},
		{Name: "services of shoot " + n.Shoot.Name, Prefix: n.Shoot.Services},
		{Name: "machines", Prefix: n.Family.Machines},
		{Name: "seed pods", Prefix: n.Family.SeedPods},
		{Name: "seed services", Prefix: n.Family.Services},
		{Name: "container network", Prefix: n.Family.Container},
	}
}

// carries says whether an address range is one that the VPN is told of.
func (n *Network) carries(prefix netip.Prefix) bool {
	for _, network := range n.tunnelled() {
		if netplan.Contains(network, prefix) {
			return true
		}
	}
	return false
}
