// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"net/netip"
	"strconv"

	"github.com/gardener/kindling/pkg/gardener"
)

// HostAddress returns the address of the engine's host that Gardener's local setup writes with an ending such as "10": in the range for
// load balancers from v1.101 (IPv6: v1.138) on, before beside the host's own loopback address. The ending is read as the digits of the
// address: 172.18.255.10 and fd00:ff::10.
func (p *Plan) HostAddress(family Family, ending string) netip.Addr {
	prefix, moved, base := family.LoadBalancers, gardener.LoadBalancerRange, 10
	loopback := netip.MustParseAddr("127.0.0.0")
	if prefix.Addr().Is6() {
		moved, base, loopback = gardener.LoadBalancerRangeIPv6, 16, netip.IPv6Unspecified()
	}
	start := prefix.Addr()
	if !p.Gardener.Has(moved) {
		start = loopback
	}
	last, err := strconv.ParseUint(ending, base, 8)
	if err != nil {
		return netip.Addr{}
	}
	bytes := start.AsSlice()
	bytes[len(bytes)-1] |= byte(last)
	address, _ := netip.AddrFromSlice(bytes)
	return address
}
