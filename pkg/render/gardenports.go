// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"net/netip"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
)

// GardenPort is a port of the garden's node, and who answers there.
type GardenPort struct {
	// Host that images are looked for by, such as gcr.io or localhost:5001.
	Host string
	Port int32
	// Address and TargetPort in the container network.
	Address    netip.Addr
	TargetPort int32
}

// Name of the objects.
func (p GardenPort) Name() string { return GardenPortName(p.Port) }

// GardenPortName is the name of Service and EndpointSlice for a port.
func GardenPortName(port int32) string { return fmt.Sprintf("kindling-registry-%d", port) }

// GardenPorts renders Services without pods that lead ports of the garden's node, whose address is given, to registry and caches. All addresses
// have one family.
func GardenPorts(plan *netplan.Plan, node netip.Addr, ports []GardenPort) ([]byte, error) {
	family := v1alpha1.IPv4
	if node.Is6() {
		family = v1alpha1.IPv6
	}
	return execute("garden-ports.yaml.tmpl", "garden-ports.yaml.tmpl", plan.Gardener, map[string]any{"Plan": plan, "Node": node, "Family": family, "Ports": ports})
}
