// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package hostnet collects the ranges that a host uses already: networks of the container engine, and routes.
package hostnet

import (
	"context"
	"net/netip"
	"strings"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/netplan"
)

// route is a route of the host.
type route struct {
	prefix netip.Prefix
	device string
}

// Ranges returns the ranges of the engine's networks, and of this host's routes that are none of them.
func Ranges(ctx context.Context, e *engine.Engine) ([]netplan.HostRange, error) {
	networks, err := e.Networks(ctx)
	if err != nil {
		return nil, err
	}
	routes, err := hostRoutes()
	if err != nil {
		return nil, err
	}
	return combine(networks, routes), nil
}

// combine leaves out routes that say nothing: the default ones, loopback addresses (the load-balancer range is made of them), and
// those of the engine's own networks.
func combine(networks []*engine.Network, routes []route) []netplan.HostRange {
	var ranges []netplan.HostRange
	engines := map[netip.Prefix]bool{}
	for _, network := range networks {
		for _, prefix := range network.Prefixes {
			engines[prefix] = true
			if network.Name != netplan.ContainerNetwork { // it is the environment's own, or compared when it is adopted
				ranges = append(ranges, netplan.HostRange{
					Range:         netplan.Range{Name: "network " + network.Name, Where: "container engine", Prefix: prefix},
					EngineNetwork: true,
				})
			}
		}
	}
	seen := map[route]bool{}
	for _, r := range routes {
		if r.prefix.Bits() == 0 || engines[r.prefix] || seen[r] || strings.HasPrefix(r.device, "lo") ||
			r.prefix.Addr().IsLinkLocalUnicast() || r.prefix.Addr().IsMulticast() || r.prefix.Addr().IsLoopback() {
			continue
		}
		seen[r] = true
		ranges = append(ranges, netplan.HostRange{
			Range: netplan.Range{Name: "route over " + r.device, Where: "this host", Prefix: r.prefix},
		})
	}
	return ranges
}
