// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"net/netip"
	"slices"

	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
)

// wiring is what the ports and mounts of a cluster follow from.
type wiring struct {
	env     *v1alpha1.Environment
	plan    *netplan.Plan
	cluster v1alpha1.Cluster
}

func (w wiring) has(parts ...v1alpha1.Part) bool {
	return slices.ContainsFunc(parts, func(part v1alpha1.Part) bool { return slices.Contains(w.cluster.Parts, part) })
}

// hasGarden says whether the garden is in the cluster, however it is made.
func (w wiring) hasGarden() bool { return w.has(v1alpha1.PartControlPlane, v1alpha1.PartGarden) }

// openPort is a port of the control-plane node that Gardener's local setup reaches at addresses of the engine's host: kind's
// extraPortMappings, as example/gardener-local/kind/cluster has them from Since until before Until. From v1.141 on load balancers are
// containers of their own, and from v1.142 on no port is mapped.
type openPort struct {
	since, until gardener.Feature
	node, host   int32
	// wanted says whether a cluster has it.
	wanted func(wiring) bool
	// addresses on the host; node counts up with each of them.
	addresses func(wiring) []netip.Addr
}

// Changes of the mapped ports.
const (
	gardenListensTwice gardener.Feature = 97
	operatorHasSeed    gardener.Feature = 101
	dnsOfSeedIsBound   gardener.Feature = 109
	vpnByTLS           gardener.Feature = 114
	bastions           gardener.Feature = 123
	seedsOnPort443     gardener.Feature = 128
	httpConnect        gardener.Feature = 130
	selfHostedShoots   gardener.Feature = 140
)

func openPorts() []openPort {
	seed := func(w wiring) bool { return w.has(v1alpha1.PartSeed) }
	return []openPort{
		// The ingress gateway of the seed: kube-apiservers, the VPN, and what connects by HTTP.
		{0, gardener.LoadBalancerContainers, 30443, 443, func(w wiring) bool { return seed(w) && (w.hasGarden() || w.plan.Gardener.Has(seedsOnPort443)) }, wiring.listenAddresses},
		{0, seedsOnPort443, 30443, 9443, func(w wiring) bool { return seed(w) && !w.hasGarden() }, wiring.listenAddresses},
		{vpnByTLS, gardener.LoadBalancerContainers, 32132, 8132, seed, wiring.listenAddresses},
		{httpConnect, gardener.LoadBalancerContainers, 32443, 8443, seed, wiring.listenAddresses},
		{bastions, gardener.LoadBalancerContainers, 30022, 22, func(w wiring) bool { return seed(w) && w.hasGarden() }, hostAddresses("22")},
		// The virtual garden.
		{0, operatorHasSeed, 30443, 443, func(w wiring) bool { return w.has(v1alpha1.PartGarden) && !seed(w) }, hostAddresses("1")},
		{gardenListensTwice, operatorHasSeed, 31443, 443, func(w wiring) bool { return w.has(v1alpha1.PartGarden) }, hostAddresses("3")},
		{operatorHasSeed, gardener.LoadBalancerContainers, 31443, 443, func(w wiring) bool { return w.has(v1alpha1.PartGarden) }, hostAddresses("3")},
		{gardener.LoadBalancerContainers, gardener.GardenletResource, 31443, 443, wiring.hasGarden, hostAddresses("3")},
		{selfHostedShoots, gardener.GardenletResource, 30003, 443, wiring.hasGarden, hostAddresses("4")},
		// The garden's etcd and the seed's DNS: on loopback only, where upstream listens everywhere.
		{0, gardener.GardenletResource, 32379, 32379, func(w wiring) bool { return w.has(v1alpha1.PartControlPlane) }, wiring.loopback},
		{0, dnsOfSeedIsBound, 30053, 5353, wiring.hasDNSPort, wiring.loopback},
		{dnsOfSeedIsBound, selfHostedShoots, 30053, 5353, wiring.hasDNSPort, hostAddresses("1")},
	}
}

func (w wiring) hasDNSPort() bool {
	return w.has(v1alpha1.PartControlPlane) || w.hasGarden() && w.plan.Gardener.Has(operatorHasSeed)
}

// listenAddresses of the seed's ingress gateway.
func (w wiring) listenAddresses() []netip.Addr {
	if len(w.cluster.ListenAddresses) > 0 {
		var addresses []netip.Addr
		for _, text := range w.cluster.ListenAddresses {
			if address, err := netip.ParseAddr(text); err == nil { // as validated
				addresses = append(addresses, address)
			}
		}
		return addresses
	}
	var addresses []netip.Addr
	for _, ending := range w.endings() {
		addresses = append(addresses, w.hostAddress(ending)...)
	}
	return addresses
}

// endings are the last parts of the addresses that a seed listens on: one for all, then one for each zone when there are several.
func (w wiring) endings() []string {
	if !w.hasGarden() {
		return []string{"2"}
	}
	zones := map[string]bool{}
	for _, node := range w.cluster.Nodes {
		zones[node.Zone] = true
	}
	endings := []string{"1"}
	if len(zones) > 1 {
		endings = append(endings, []string{"10", "11", "12"}[:min(len(zones), 3)]...)
	}
	return endings
}

func (w wiring) hostAddress(ending string) []netip.Addr {
	var addresses []netip.Addr
	for _, family := range w.plan.Families {
		addresses = append(addresses, w.plan.HostAddress(family, ending))
	}
	return addresses
}

func hostAddresses(ending string) func(wiring) []netip.Addr {
	return func(w wiring) []netip.Addr { return w.hostAddress(ending) }
}

func (w wiring) loopback() []netip.Addr {
	var addresses []netip.Addr
	for _, family := range w.plan.Families {
		if family.IPFamily == v1alpha1.IPv6 {
			addresses = append(addresses, netip.IPv6Loopback())
		} else {
			addresses = append(addresses, netip.MustParseAddr("127.0.0.1"))
		}
	}
	return addresses
}

// isLoadBalancer says whether an address is one of those that are added to the host.
func (w wiring) isLoadBalancer(address netip.Addr) bool {
	return slices.ContainsFunc(w.plan.Families, func(family netplan.Family) bool { return family.LoadBalancers.Contains(address) })
}

// portMappings of the first control-plane node. Addresses of both families share a port of the node; each further address of a family
// has the next one.
func (w wiring) portMappings() []kindv1alpha4.PortMapping {
	var mappings []kindv1alpha4.PortMapping
	for _, port := range openPorts() {
		if !w.plan.Gardener.Has(port.since) || w.plan.Gardener.Has(port.until) || !port.wanted(w) {
			continue
		}
		counts := map[bool]int32{}
		for _, address := range port.addresses(w) {
			if w.env.Spec.ClustersOnly && w.isLoadBalancer(address) {
				continue
			}
			mappings = append(mappings, kindv1alpha4.PortMapping{
				ContainerPort: port.node + counts[address.Is4()], HostPort: port.host, ListenAddress: address.String(), Protocol: kindv1alpha4.PortMappingProtocolTCP,
			})
			counts[address.Is4()]++
		}
	}
	return mappings
}

// Published returns the addresses of the engine's host that ports of an environment are published on: those of the nodes, and those of the DNS
// server where there is one.
func Published(env *v1alpha1.Environment, plan *netplan.Plan) []netip.Addr {
	var addresses []netip.Addr
	if HasResolvConf(env, plan) {
		addresses = DNSAddresses(plan)
	}
	for _, cluster := range env.Spec.Clusters {
		for _, mapping := range (wiring{env, plan, cluster}).portMappings() {
			if address, err := netip.ParseAddr(mapping.ListenAddress); err == nil && !slices.Contains(addresses, address) {
				addresses = append(addresses, address)
			}
		}
	}
	return addresses
}
