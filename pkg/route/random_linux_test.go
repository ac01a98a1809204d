// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"

	"github.com/gardener/kindling/pkg/route"
)

// randomTable returns routes of both families that nest and overlap: in 10.0.0.0/14 and fd00::/30, around the addresses of the
// namespace, and default routes.
func randomTable(random *rand.Rand) []route.Route {
	var routes []route.Route
	for range 1 + random.IntN(14) {
		r := route.Route{Destination: randomDestination(random), Metric: random.Uint32N(3) * 10}
		if r.Destination.Addr().Is6() {
			r.Metric += 10 // 0 would become 1024
		}
		switch random.IntN(12) {
		case 0:
			r.Type = route.TypeBlackhole
		case 1:
			r.Type = route.TypeUnreachable
		case 2:
			r.Type = route.TypeProhibit
		case 3:
			r.Type = route.TypeThrow
		case 4:
			r.Type, r.Table, r.Device = route.TypeLocal, route.TableLocal, "lo"
		case 5:
			r.NextHops = []route.NextHop{randomHop(random, r.Destination.Addr()), randomHop(random, r.Destination.Addr())}
		default:
			hop := randomHop(random, r.Destination.Addr())
			r.Gateway, r.Device, r.OnLink = hop.Gateway, hop.Device, hop.OnLink
		}
		if r.Destination.Addr().Is4() && random.IntN(10) == 0 && r.Table == "" {
			r.TOS = "0x10"
		}
		if r.Table == "" {
			r.Table = []string{"", "", "", "", "", route.TableDefault, "100"}[random.IntN(7)]
		}
		if r.Type == "" && random.IntN(6) == 0 {
			r.Source = netip.MustParseAddr("10.200.0.1")
			if r.Destination.Addr().Is6() {
				r.Source = netip.MustParseAddr("fd99::1")
			}
		}
		routes = append(routes, r)
	}
	return routes
}

func randomDestination(random *rand.Rand) netip.Prefix {
	ipv6 := random.IntN(2) == 0
	if random.IntN(12) == 0 {
		if ipv6 {
			return netip.MustParsePrefix("::/0")
		}
		return netip.MustParsePrefix("0.0.0.0/0")
	}
	bases := []netip.Prefix{randomPrefix(random)}
	bases = append(bases, netip.MustParsePrefix([]string{"10.200.0.0/16", "10.200.0.128/25", "10.200.0.1/32", "127.5.0.0/16", "192.168.123.208/28"}[random.IntN(5)]))
	base := bases[min(random.IntN(6)/5, 1)]
	if !ipv6 {
		return base
	}
	// The same shapes, further to the right.
	raw, quad := [16]byte{0xfd}, base.Addr().As4()
	copy(raw[1:], quad[:])
	return netip.PrefixFrom(netip.AddrFrom16(raw), base.Bits()+8).Masked()
}

func randomHop(random *rand.Rand, destination netip.Addr) route.NextHop {
	names := []string{"bond0", "eth0", "eth1", "tap0", "tun0"}
	hop := route.NextHop{Device: names[random.IntN(len(names))]}
	switch random.IntN(3) {
	case 0:
		hop.Gateway, hop.OnLink = netip.AddrFrom4([4]byte{172, 16, 0, byte(1 + random.IntN(9))}), true
		if destination.Is6() || random.IntN(4) == 0 {
			hop.Gateway = netip.MustParseAddr(fmt.Sprintf("fe80::%d", 1+random.IntN(9)))
		}
	case 1:
		if destination.Is6() {
			hop.Gateway, hop.OnLink = netip.MustParseAddr(fmt.Sprintf("fd77::%d", 1+random.IntN(9))), true
		}
	}
	return hop
}
