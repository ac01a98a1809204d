// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"math"
	"net/netip"
	"strings"

	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/gardener/kindling/pkg/engine"
)

// PortTakenError says that a container has ports that a cluster needs.
type PortTakenError struct {
	Cluster string
	// Taken are the ports, each with the container that has it.
	Taken []string
}

// Error implements error.
func (e *PortTakenError) Error() string {
	return fmt.Sprintf("cluster %s needs ports of the engine's host that are taken:\n  %s\nstop what has them; two environments whose gardens share addresses "+
		"exclude each other", e.Cluster, strings.Join(e.Taken, "\n  "))
}

// checkPorts looks for ports that another container has published, before kind has made half of the nodes.
func (c *cluster) checkPorts(ctx context.Context, config *kindv1alpha4.Cluster) error {
	var wanted []netip.AddrPort
	for _, node := range config.Nodes {
		for _, mapping := range node.ExtraPortMappings {
			if address, err := netip.ParseAddr(mapping.ListenAddress); err == nil && 0 < mapping.HostPort && mapping.HostPort <= math.MaxUint16 {
				wanted = append(wanted, netip.AddrPortFrom(address, uint16(mapping.HostPort)))
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	containers, err := c.env.Engine.Containers(ctx, nil)
	if err != nil {
		return err
	}
	var taken []string
	for _, port := range wanted {
		for _, container := range containers {
			if container.Labels[kindClusterLabel] != c.spec.Name && publishes(container, port) {
				taken = append(taken, fmt.Sprintf("%s by container %s", port, container.Name))
			}
		}
	}
	if len(taken) > 0 {
		return &PortTakenError{c.spec.Name, taken}
	}
	return nil
}

// publishes says whether a container has a port at an address; one that listens at all addresses has each.
func publishes(container engine.Container, port netip.AddrPort) bool {
	for _, published := range container.Ports {
		host := published.Host
		if host.Port() == port.Port() && published.Protocol == "tcp" &&
			(host.Addr() == port.Addr() || host.Addr().IsUnspecified() && host.Addr().Is4() == port.Addr().Is4()) {
			return true
		}
	}
	return false
}
