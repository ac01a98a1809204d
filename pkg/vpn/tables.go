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
	// LinkDevice is the tunnel to the first VPN client in the shoot, on top of the bond.
	LinkDevice = "bond0-ip6tnl0"
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

// transfer is the VPN's own network.
func (n *Network) transfer() netip.Prefix {
	version := n.Plan.Gardener
	switch {
	case n.ipv4Transfer() && n.HA:
		return netip.MustParsePrefix("192.168.123.192/26") // the part of the clients
	case n.ipv4Transfer():
		return netip.MustParsePrefix("192.168.123.0/24")
	case version.Has(gardener.WideVPNTransferIPv6):
		return netip.MustParsePrefix("fd8f:6d53:b97a:1::/96")
	default:
		return netip.MustParsePrefix("fd8f:6d53:b97a:1::/120")
	}
}

// ipv4Transfer says that the transfer network is IPv4: for IPv4 shoots before the VPN was written anew.
func (n *Network) ipv4Transfer() bool {
	return n.Shoot.IPFamily == v1alpha1.IPv4 && !n.Plan.Gardener.Has(gardener.VPNByDefault)
}

// device is where the routes of the transfer network are, at both ends.
func (n *Network) device() string {
	if n.HA {
		return bondDevice
	}
	return tunDevice
}

// forth returns the routes that the VPN gives to its client in the seed: the networks of the shoot, or the ranges that they are
// mapped to, and the transfer network.
func (n *Network) forth() []route.Route {
	base := route.Route{Device: n.device()}
	switch {
	case n.HA && !n.ipv4Transfer():
		base.Device = LinkDevice
	case n.HA:
		base.Gateway = netip.MustParseAddr("192.168.123.194") // the VPN client in the shoot
	case n.ipv4Transfer():
		base.Gateway = netip.MustParseAddr("192.168.123.2") // OpenVPN's way to say: through the tunnel
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
	return append(routes, route.Route{Destination: n.transfer(), Device: n.device()})
}

// server returns the routes of a VPN server with high availability: it joins clients, and has nothing but its own network.
func (n *Network) server() []route.Route {
	switch {
	case !n.HA:
		return nil
	case n.ipv4Transfer():
		return []route.Route{{Destination: netip.MustParsePrefix("192.168.123.0/26"), Device: tapDevice}}
	default:
		return []route.Route{{Destination: netip.MustParsePrefix("fd8f:6d53:b97a:1::100:0/112"), Device: tapDevice}}
	}
}

// back returns the routes by which answers leave vpn-shoot for the seed.
func (n *Network) back() []route.Route {
	routes := []route.Route{{Destination: n.transfer(), Device: n.device()}}
	switch {
	case n.HA && !n.ipv4Transfer():
		// In force there is a route for the address of each pod of kube-apiserver; their range stands for them.
		routes = append(routes, route.Route{Destination: n.sources(), Device: LinkDevice})
	case n.sources() != n.transfer():
		routes = append(routes, route.Route{Destination: n.sources(), Device: tunDevice})
	}
	return routes
}

// sources is where vpn-shoot sees connections come from: an address of the device that they left by, where it has one of their family,
// and else the pod's.
func (n *Network) sources() netip.Prefix {
	switch {
	case n.Generation == GenerationMapped:
		return mappedSeedPods()
	case n.ipv4Transfer(), !n.HA && n.Shoot.IPFamily == v1alpha1.IPv6:
		return n.transfer()
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
