// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"net/netip"
	"slices"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/enginehost"
	"github.com/gardener/kindling/pkg/portowner"
)

// procDir is where Linux tells of its sockets and processes.
const procDir = "/proc"

// portHolder says who has one of the ports of the engine's host: a container other than the own one, or a program of this machine where the
// engine runs on it. It is empty when that can't be told.
func (e *Environment) portHolder(ctx context.Context, own string, ports []netip.AddrPort, protocols ...string) string {
	containers, err := e.Engine.Containers(ctx, nil)
	if err != nil {
		return ""
	}
	for _, container := range containers {
		if container.ID != own && slices.ContainsFunc(ports, func(port netip.AddrPort) bool { return publishes(container, port, protocols...) }) {
			return describeHolder(container)
		}
	}
	if where, err := e.EngineHost(ctx); err != nil || where.Kind != enginehost.Local {
		return ""
	}
	for _, port := range ports {
		if program, _ := portowner.Find(procDir, port, protocols...); program != "" {
			return program
		}
	}
	return ""
}

func describeHolder(container engine.Container) string {
	return "container " + container.Name + " (" + container.Image + ")"
}

// publishes says whether a container has a port at an address; one that listens at all addresses has each.
func publishes(container engine.Container, port netip.AddrPort, protocols ...string) bool {
	return slices.ContainsFunc(container.Ports, func(published engine.PublishedPort) bool {
		host := published.Host
		return host.Port() == port.Port() && slices.Contains(protocols, published.Protocol) &&
			(host.Addr() == port.Addr() || host.Addr().IsUnspecified() && host.Addr().Is4() == port.Addr().Is4())
	})
}
