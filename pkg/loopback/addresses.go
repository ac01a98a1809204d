// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package loopback knows the addresses that Gardener's local setup publishes ports on, and puts them on the loopback interface of this
// machine. Those of another machine are put there by a container.
package loopback

import (
	"net/netip"
	"slices"

	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
)

// Load balancers have the addresses with these last bytes, one each.
const (
	firstLoadBalancer = 224
	lastLoadBalancer  = 255
)

// Addresses returns those of the loopback interface that a version of Gardener needs, in order: those that ports are published on by what
// kindling makes, and those of the load balancers that Gardener makes. 127.0.0.1 and ::1 are there anyway, and addresses that the file
// names outside of the load balancers' range are the user's own.
func Addresses(plan *netplan.Plan, published []netip.Addr) []netip.Addr {
	var all []netip.Addr
	for _, address := range published {
		if isOwn(plan, address) {
			all = append(all, address)
		}
	}
	for _, family := range plan.Families {
		if plan.Gardener.Has(gardener.LoadBalancerContainers) {
			all = append(all, loadBalancers(family.LoadBalancers)...)
		}
	}
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all)
}

// isOwn says whether an address is one that is added: of the load balancers' range, or beside the host's own loopback address.
func isOwn(plan *netplan.Plan, address netip.Addr) bool {
	if address == netip.IPv6Loopback() || address == netip.MustParseAddr("127.0.0.1") || address.IsUnspecified() {
		return false
	}
	inRange := slices.ContainsFunc(plan.Families, func(family netplan.Family) bool { return family.LoadBalancers.Contains(address) })
	return inRange || besideLoopback(address)
}

func besideLoopback(address netip.Addr) bool {
	return netip.MustParsePrefix("127.0.0.0/8").Contains(address) || netip.MustParsePrefix("::/120").Contains(address)
}

// loadBalancers returns the addresses of a range that have one of the last bytes.
func loadBalancers(prefix netip.Prefix) []netip.Addr {
	var all []netip.Addr
	for last := firstLoadBalancer; last <= lastLoadBalancer; last++ {
		bytes := prefix.Masked().Addr().AsSlice()
		bytes[len(bytes)-1] |= byte(last)
		if address, ok := netip.AddrFromSlice(bytes); ok {
			all = append(all, address)
		}
	}
	return all
}

// Allowed says whether an address may be put on a loopback interface: only private ones, and those beside the host's own loopback address. Who
// may run this program as root can so do nothing else with it.
func Allowed(address netip.Addr) bool {
	switch {
	case !address.IsValid(), address.Zone() != "", address.Is4In6(), address.IsUnspecified(), address == netip.IPv6Loopback():
		return false
	case address == netip.MustParseAddr("127.0.0.1"):
		return false
	}
	return address.IsPrivate() || besideLoopback(address)
}
