// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package enginehost

import "fmt"

// Needs are what an environment wants of the kernel of the engine's host beside the tunnel of the VPN, which each does.
type Needs struct {
	// IPIP: pools are encapsulated with it.
	IPIP bool
	// HA: the VPN of a shoot is highly available.
	HA bool
	// TunnelsIPv6: its tunnels are bundled over IPv6.
	TunnelsIPv6 bool
	// Mapped: the VPN maps ranges of seed and shoot.
	Mapped bool
}

// Lacks says in words, in the order of Modules, which parts the kernel does not have and the environment wants. A part whose state is not known
// is not lacking.
func (f Facts) Lacks(needs Needs) []string {
	wanted := map[string]bool{"ipip": needs.IPIP, "ip6_tunnel": needs.TunnelsIPv6, "bonding": needs.HA, "tun": true, "xt_NETMAP": needs.Mapped}
	var lacking []string
	for _, module := range Modules() {
		if wanted[module.Name] && f.Modules[module.Name] == Missing {
			lacking = append(lacking, fmt.Sprintf("the kernel of the engine's host has no module %s (CONFIG_%s), which this environment takes for %s: install it there, or "+
				"use a kernel that has it", module.Name, module.Option, module.Use))
		}
	}
	return lacking
}
