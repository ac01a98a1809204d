// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/calico/ippool"
)

// Spec returns the pool's settings with an encapsulation, which must not be Auto.
func (p Pool) Spec(encapsulation v1alpha1.Encapsulation) ippool.Spec {
	spec := ippool.Spec{
		CIDR: p.CIDR.String(), BlockSize: p.BlockSize, IPIPMode: "Never", VXLANMode: "Never",
		// Pods reach the container network and everything beyond it with the address of their node, because nothing there knows
		// the way to a pod. Between pools Calico never hides addresses.
		NATOutgoing:  true,
		NodeSelector: "all()", AllowedUses: []string{"Workload", "Tunnel"},
	}
	switch encapsulation {
	case v1alpha1.EncapsulationIPIP:
		if p.IPFamily == v1alpha1.IPv4 {
			spec.IPIPMode = "Always"
		}
	case v1alpha1.EncapsulationVXLAN:
		spec.VXLANMode = "Always"
	case v1alpha1.EncapsulationVXLANCrossSubnet:
		spec.VXLANMode = "CrossSubnet"
	}
	if p.Machines {
		spec.NodeSelector, spec.AllowedUses = "!all()", []string{"Workload"}
	}
	return spec
}
