// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package vpn predicts the way from kube-apiserver to the kubelets, pods and services of a shoot: through Gardener's VPN, or past it.
// It builds the routing tables that an environment will have from its address plan, and knows no engine and no cluster.
//
// The tables are those of a VPN that is up, with one client in the shoot. What they hold was read from the VPN's own sources (github.com/gardener/vpn2) at the versions that Gardener used.
package vpn

import (
	"fmt"
	"net/netip"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/route"
)

// Names of the pods whose network namespaces a packet passes.
const (
	KubeAPIServer = "kube-apiserver"
	VPNSeedServer = "vpn-seed-server"
	VPNShoot      = "vpn-shoot"
)

// Generation is how the VPN routes.
type Generation string

// The generations.
const (
	// GenerationPlain has a route for each network of the shoot.
	GenerationPlain Generation = "plain routes"
	// GenerationMapped rewrites IPv4 addresses of the shoot into reserved ranges, so that they may overlap with the seed's.
	GenerationMapped Generation = "mapped addresses"
)

// Network is the VPN of a shoot.
type Network struct {
	Plan   *netplan.Plan
	Shoot  netplan.Shoot
	Family netplan.Family
	// HA is a control plane with high availability: kube-apiserver has the VPN's devices itself, and dials itself.
	HA         bool
	Generation Generation
	// Guard says that the environment forbids seed pods to reach kubelets of machines directly.
	Guard bool
	// The namespaces, as the VPN leaves them once its tunnel is up.
	KubeAPIServer, VPNSeedServer, VPNShoot route.Namespace
}

// New returns the VPN of a shoot of a plan.
func New(plan *netplan.Plan, shoot netplan.Shoot, guard bool) (*Network, error) {
	family, ok := plan.Family(shoot.IPFamily)
	if !ok {
		return nil, fmt.Errorf("shoot %s has the family %s, and environment %s has not", shoot.Name, shoot.IPFamily, plan.Environment)
	}
	n := &Network{
		Plan: plan, Shoot: shoot, Family: family, Guard: guard,
		HA: shoot.FailureTolerance != v1alpha1.FailureToleranceNone && shoot.FailureTolerance != "",
	}
	if n.HA && shoot.IPFamily == v1alpha1.IPv6 && !plan.Gardener.Has(gardener.VPNByDefault) {
		return nil, &UnsupportedError{Shoot: shoot.Name, Gardener: plan.Gardener.String()}
	}
	n.Generation = n.generation()
	return n, n.buildNamespaces()
}

func (n *Network) buildNamespaces() error {
	kubeAPIServer, vpnSeedServer := pod(n.Family), append(pod(n.Family), n.server()...)
	client := map[bool]*[]route.Route{true: &kubeAPIServer, false: &vpnSeedServer}[n.HA]
	*client = append(*client, n.forth()...)
	n.KubeAPIServer, n.VPNSeedServer = route.Namespace{Name: KubeAPIServer}, route.Namespace{Name: VPNSeedServer}
	n.VPNShoot = route.Namespace{Name: VPNShoot, Maps: reverse(n.maps())}
	n.client().Maps = n.maps()
	for _, part := range []struct {
		namespace *route.Namespace
		routes    []route.Route
	}{
		{&n.KubeAPIServer, kubeAPIServer}, {&n.VPNSeedServer, vpnSeedServer}, {&n.VPNShoot, append(pod(n.Family), n.back()...)},
	} {
		table, err := route.NewTable(part.routes)
		if err != nil {
			return fmt.Errorf("routes of %s: %w", part.namespace.Name, err)
		}
		part.namespace.Table = table
	}
	return nil
}

// UnsupportedError says that a version of Gardener has no VPN for a shoot.
type UnsupportedError struct{ Shoot, Gardener string }

// Error implements error.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("shoot %s: the VPN of Gardener %s with high availability is for IPv4 only: set failureTolerance to none, or spec.gardener.version to v1.115 or later",
		e.Shoot, e.Gardener)
}

// client is the namespace whose routing table decides about the VPN.
func (n *Network) client() *route.Namespace {
	if n.HA {
		return &n.KubeAPIServer
	}
	return &n.VPNSeedServer
}

// generation follows the versions of Gardener in which shoots and seeds may have the same IPv4 addresses. With high availability the
// VPN maps only where they do.
func (n *Network) generation() Generation {
	version, ipv4 := n.Plan.Gardener, n.Shoot.IPFamily == v1alpha1.IPv4
	switch {
	case ipv4 && !n.HA && version.Has(gardener.OverlapWithoutHA), ipv4 && n.HA && version.Has(gardener.OverlapWithHA) && n.overlaps():
		return GenerationMapped
	default:
		return GenerationPlain
	}
}

// overlaps says whether a network of the shoot overlaps with the pods of the seed.
func (n *Network) overlaps() bool {
	for _, prefix := range n.tunnelled() {
		if prefix.Overlaps(n.Family.SeedPods) {
			return true
		}
	}
	return false
}

// tunnelled are the networks that the VPN is told of. Without spec.networking.nodes it knows nothing of nodes.
func (n *Network) tunnelled() []netip.Prefix {
	networks := []netip.Prefix{n.Shoot.Services, n.Shoot.Pods}
	if n.Shoot.Nodes.IsValid() {
		networks = append(networks, n.Shoot.Nodes)
	}
	return networks
}
