// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package vpn

import (
	"net/netip"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/route"
)

// Devices of the VPN.
const (
	tunDevice  = "tun0"
	tapDevice  = "tap0"
	bondDevice = "bond0"
	// linkDevice is the tunnel to the first VPN client in the shoot, on top of the bond.
	linkDevice = "bond0-ip6tnl0"
)

// pod returns the routes of every pod that Calico wires: one next hop for everything, which the node answers for.
func pod(family netplan.Family) []route.Route {
	if family.IPFamily == v1alpha1.IPv6 {
		// The next hop is the link-local address of the node's side of the pod's interface, the same on each as its MAC address is.
		return []route.Route{{Destination: everywhere(family.IPFamily), Gateway: netip.MustParseAddr("fe80::ecee:eeff:feee:eeee"), Device: "eth0"}}
	}
	gateway := netip.MustParseAddr("169.254.1.1")
	return []route.Route{
		{Destination: everywhere(family.IPFamily), Gateway: gateway, Device: "eth0"},
		{Destination: netip.PrefixFrom(gateway, 32), Device: "eth0"},
	}
}

func everywhere(family v1alpha1.IPFamily) netip.Prefix {
	if family == v1alpha1.IPv6 {
		return netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	}
	return netip.PrefixFrom(netip.IPv4Unspecified(), 0)
}

// ipv4Transfer says that the VPN's own network is 192.168.123.0/24, which is so for IPv4 shoots before the VPN of Gardener v1.116.
func (n *Network) ipv4Transfer() bool {
	return n.Shoot.IPFamily == v1alpha1.IPv4 && !n.Plan.Gardener.Has(gardener.NewVPN)
}

// forth returns the routes that the VPN gives to its client in the seed: the networks of the shoot, or the ranges that they are
// mapped to.
func (n *Network) forth() []route.Route {
	base := route.Route{Device: tunDevice}
	switch {
	case n.HA && n.Plan.Gardener.Has(gardener.NewVPN):
		base.Device = linkDevice
	case n.HA:
		base.Device = bondDevice
		base.Gateway = netip.MustParseAddr("192.168.123.194") // the first VPN client in the shoot
	case n.ipv4Transfer():
		base.Gateway = netip.MustParseAddr("192.168.123.2")
	}
	var routes []route.Route
	for _, network := range n.tunnelled() {
		r := base
		r.Destination = network
		if n.Generation == GenerationMapped {
			r.Destination = n.mappedRange(network)
		}
		routes = append(routes, r)
	}
	switch {
	case n.HA && n.ipv4Transfer():
		routes = append(routes, route.Route{Destination: netip.MustParsePrefix("192.168.123.192/26"), Device: bondDevice})
	case n.ipv4Transfer():
		routes = append(routes, route.Route{Destination: netip.MustParsePrefix("192.168.123.2/32"), Device: tunDevice})
	}
	return routes
}

// server returns the routes of a VPN server with high availability: it joins clients, and has nothing but its own network.
func (n *Network) server() []route.Route {
	if !n.HA || !n.ipv4Transfer() {
		return nil
	}
	return []route.Route{{Destination: netip.MustParsePrefix("192.168.123.0/26"), Device: tapDevice}}
}

// back returns the routes by which answers leave vpn-shoot for the seed.
func (n *Network) back() []route.Route {
	switch {
	case n.HA && n.ipv4Transfer():
		return []route.Route{{Destination: netip.MustParsePrefix("192.168.123.192/26"), Device: bondDevice}}
	case n.ipv4Transfer():
		return []route.Route{{Destination: netip.MustParsePrefix("192.168.123.0/24"), Gateway: netip.MustParseAddr("192.168.123.5"), Device: tunDevice}}
	case n.HA:
		// In force there is a route for the address of each pod of kube-apiserver; seed pods stand for them.
		return []route.Route{{Destination: n.sources(), Device: linkDevice}}
	default:
		return []route.Route{{Destination: n.sources(), Device: tunDevice}}
	}
}

// sources is where vpn-shoot sees connections come from.
func (n *Network) sources() netip.Prefix {
	switch {
	case n.Generation == GenerationMapped:
		return mappedSeedPods()
	case n.HA && n.ipv4Transfer():
		return netip.MustParsePrefix("192.168.123.192/26")
	case n.ipv4Transfer():
		return netip.MustParsePrefix("192.168.123.0/24")
	default:
		return n.Family.SeedPods
	}
}

// The ranges that the VPN maps addresses to, as Gardener reserves them.
func mappedSeedPods() netip.Prefix { return netip.MustParsePrefix("241.0.0.0/8") }
func mappedNodes() netip.Prefix    { return netip.MustParsePrefix("242.0.0.0/8") }
func mappedServices() netip.Prefix { return netip.MustParsePrefix("243.0.0.0/8") }
func mappedPods() netip.Prefix     { return netip.MustParsePrefix("244.0.0.0/8") }

func (n *Network) mappedRange(network netip.Prefix) netip.Prefix {
	switch network {
	case n.Shoot.Nodes:
		return mappedNodes()
	case n.Shoot.Services:
		return mappedServices()
	default:
		return mappedPods()
	}
}

// maps returns the rules that rewrite addresses of the shoot before they are routed. Each network becomes the first of its size in
// the reserved range; the host part stays.
func (n *Network) maps() []route.Map {
	if n.Generation != GenerationMapped {
		return nil
	}
	var maps []route.Map
	for _, network := range n.tunnelled() {
		maps = append(maps, route.Map{From: network, To: netip.PrefixFrom(n.mappedRange(network).Addr(), network.Bits())})
	}
	return maps
}

// reverse returns the rules of the other end.
func reverse(maps []route.Map) []route.Map {
	reversed := make([]route.Map, len(maps))
	for i, m := range maps {
		reversed[i] = route.Map{From: m.To, To: m.From}
	}
	return reversed
}

// MappedRanges are the ranges that the VPN maps networks of shoots to.
func MappedRanges() []netip.Prefix {
	return []netip.Prefix{mappedNodes(), mappedServices(), mappedPods()}
}
