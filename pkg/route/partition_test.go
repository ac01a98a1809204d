// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/route"
)

// mappedRoutes is vpn-seed-server of the generation with two translations: tunnel routes are to the mapped ranges only.
const mappedRoutes = podRoutes + "242.0.0.0/8 dev tun0\n243.0.0.0/8 dev tun0\n244.0.0.0/8 dev tun0\n"

func TestMaps(t *testing.T) {
	t.Parallel()
	nodes := netmap("10.250.0.0/16", "242.0.0.0/8")
	for name, test := range map[string]struct {
		maps    []route.Map
		address string
		want    string
		class   route.Class
		// rule is the index in maps; -1 for none.
		rule int
	}{
		"an address in From is looked up as its image": {[]route.Map{nodes}, "10.250.3.4", "242.250.3.4", route.ClassVPN, 0},
		"another address stays as it is":               {[]route.Map{nodes}, "10.251.3.4", "10.251.3.4", route.ClassDirect, -1},
		"the first rule that matches wins": {
			[]route.Map{netmap("10.250.3.0/24", "11.0.0.0/24"), nodes}, "10.250.3.4", "11.0.0.4", route.ClassDirect, 0,
		},
		"a rule of the same size keeps the host part": {[]route.Map{netmap("10.1.0.0/17", "243.7.128.0/17")}, "10.1.3.4", "243.7.131.4", route.ClassVPN, 0},
		"an image is not mapped again": {
			[]route.Map{netmap("242.0.0.0/8", "11.0.0.0/8"), nodes}, "10.250.3.4", "242.250.3.4", route.ClassVPN, 1,
		},
		"an IPv6 address": {[]route.Map{netmap("fd00::/64", "fd01:0:0:7::/64")}, "fd00::5", "fd01:0:0:7::5", route.ClassDropped, 0},
		"host bits in a rule do not matter": {
			[]route.Map{netmap("10.250.9.9/16", "242.9.9.9/8")}, "10.250.3.4", "242.250.3.4", route.ClassVPN, 0,
		},
		"a rule that can't be followed is passed over": {
			[]route.Map{{}, netmap("10.0.0.0/8", "fd00::/8"), netmap("10.0.0.0/8", "11.0.0.0/9"), nodes}, "10.250.3.4", "242.250.3.4", route.ClassVPN, 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := namespace(t, mappedRoutes, test.maps...)
			d := n.Decide(netip.MustParseAddr(test.address))
			if d.Destination.String() != test.want || d.Class != test.class {
				t.Errorf("got %v %s, want %s %s", d.Destination, d.Class, test.want, test.class)
			}
			var want *route.Map
			if test.rule >= 0 {
				want = &n.Maps[test.rule]
			}
			if d.Map != want {
				t.Errorf("by rule %v, want %v", d.Map, want)
			}
		})
	}
}

func TestMapValidate(t *testing.T) {
	t.Parallel()
	for _, bad := range []route.Map{{}, netmap("10.0.0.0/8", "fd00::/8"), netmap("10.0.0.0/8", "11.0.0.0/9")} {
		if bad.Validate() == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	if err := netmap("10.0.0.0/16", "11.0.0.0/8").Validate(); err != nil {
		t.Error(err)
	}
}

func TestPartition(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		routes string
		maps   []route.Map
		prefix string
		want   []string
	}{
		"one route is one piece": {podRoutes, nil, "10.1.0.0/16", []string{"10.1.0.0/16 direct"}},
		"a route that covers the prefix": {
			podRoutes + "10.0.0.0/8 dev tun0", nil, "10.1.0.0/16", []string{"10.1.0.0/16 VPN"},
		},
		"a more specific route beside the VPN": {
			podRoutes + "10.1.0.0/16 dev tun0\n10.1.64.0/18 dev eth0", nil, "10.1.0.0/16",
			[]string{"10.1.0.0/18 VPN", "10.1.64.0/18 direct", "10.1.128.0/17 VPN"},
		},
		"a route that decides like the one around it, by another next hop": {
			podRoutes + "10.1.128.0/17 via 192.168.0.1 dev eth0", nil, "10.1.0.0/16", []string{"10.1.0.0/17 direct", "10.1.128.0/17 direct"},
		},
		"routes that never decide do not cut": {
			podRoutes + "10.1.128.0/17 dev tun0 dead\n10.1.64.0/18 tos 0x10 dev tun0\n10.1.0.0/18 dev tun0 table 9", nil, "10.1.0.0/16",
			[]string{"10.1.0.0/16 direct"},
		},
		"a blackhole and no route": {
			"10.1.0.0/17 dev tun0\nblackhole 10.1.0.0/18", nil, "10.1.0.0/16",
			[]string{"10.1.0.0/18 dropped", "10.1.64.0/18 VPN", "10.1.128.0/17 dropped"},
		},
		"the ends of the address space": {
			"255.255.255.255 dev tun0\n0.0.0.0/1 dev eth0", nil, "0.0.0.0/0", []string{
				"0.0.0.0/2 direct", "64.0.0.0/3 direct", "96.0.0.0/4 direct", "112.0.0.0/5 direct", "120.0.0.0/6 direct", "124.0.0.0/7 direct",
				"126.0.0.0/8 direct", "127.0.0.0/8 local", "128.0.0.0/2 dropped", "192.0.0.0/3 dropped", "224.0.0.0/4 dropped",
				"240.0.0.0/5 dropped", "248.0.0.0/6 dropped", "252.0.0.0/7 dropped", "254.0.0.0/8 dropped", "255.0.0.0/9 dropped", "255.128.0.0/10 dropped",
				"255.192.0.0/11 dropped", "255.224.0.0/12 dropped", "255.240.0.0/13 dropped", "255.248.0.0/14 dropped", "255.252.0.0/15 dropped",
				"255.254.0.0/16 dropped", "255.255.0.0/17 dropped", "255.255.128.0/18 dropped", "255.255.192.0/19 dropped", "255.255.224.0/20 dropped",
				"255.255.240.0/21 dropped", "255.255.248.0/22 dropped", "255.255.252.0/23 dropped", "255.255.254.0/24 dropped", "255.255.255.0/25 dropped",
				"255.255.255.128/26 dropped", "255.255.255.192/27 dropped", "255.255.255.224/28 dropped", "255.255.255.240/29 dropped",
				"255.255.255.248/30 dropped", "255.255.255.252/31 dropped", "255.255.255.254/32 dropped", "255.255.255.255/32 VPN",
			},
		},
		"host bits of the prefix do not matter": {podRoutes, nil, "10.1.2.3/16", []string{"10.1.0.0/16 direct"}},
		"a map cuts": {
			mappedRoutes, []route.Map{netmap("10.250.0.0/17", "242.0.0.0/8")}, "10.250.0.0/16", []string{"10.250.0.0/17 VPN", "10.250.128.0/17 direct"},
		},
		"routes inside the image of a map cut": {
			mappedRoutes + "242.250.64.0/18 dev eth0\nblackhole 242.251.0.0/16",
			[]route.Map{netmap("10.250.0.0/16", "242.0.0.0/8")},
			"10.250.0.0/16",
			[]string{"10.250.0.0/18 VPN", "10.250.64.0/18 direct", "10.250.128.0/17 VPN"},
		},
		"routes to addresses that are mapped do not cut": {
			mappedRoutes + "10.250.64.0/18 dev eth0", []route.Map{netmap("10.250.0.0/16", "242.0.0.0/8")}, "10.250.0.0/16", []string{"10.250.0.0/16 VPN"},
		},
		"a prefix inside a map": {
			mappedRoutes + "242.250.64.0/18 dev eth0", []route.Map{netmap("10.250.0.0/16", "242.0.0.0/8")}, "10.250.64.0/17", []string{
				"10.250.0.0/18 VPN", "10.250.64.0/18 direct",
			},
		},
		"IPv6": {
			"::/0 dev eth0\nfd00:0:0:8000::/49 dev bond0-ip6tnl0", nil, "fd00::/48", []string{"fd00::/49 direct", "fd00:0:0:8000::/49 VPN"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, pieces(namespace(t, test.routes, test.maps...), test.prefix)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
