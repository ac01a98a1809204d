// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/route"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		routes  string
		address string
		class   route.Class
		// by is the deciding route; empty for none.
		by     string
		reason string
	}{
		"the longest prefix wins over a lower metric": {
			"10.0.0.0/8 dev tun0 metric 1\n10.1.0.0/16 dev eth0 metric 9", "10.1.2.3", route.ClassDirect, "10.1.0.0/16 dev eth0 metric 9", "eth0 is not of the VPN",
		},
		"the lowest metric wins on a tie": {
			"10.0.0.0/8 dev eth0 metric 9\n10.0.0.0/8 dev tun0 metric 1", "10.1.2.3", route.ClassVPN, "10.0.0.0/8 dev tun0 metric 1", "tun0 is of the VPN",
		},
		"the first route wins on a full tie": {
			"10.0.0.0/8 dev tun0\n10.0.0.0/8 dev eth0", "10.1.2.3", route.ClassVPN, "10.0.0.0/8 dev tun0", "tun0 is of the VPN",
		},
		"a linkdown route still wins": {
			"default dev eth0\n10.0.0.0/8 dev tun0 linkdown", "10.1.2.3", route.ClassVPN, "10.0.0.0/8 dev tun0 linkdown",
			"tun0 is of the VPN; the link is down, and the route is taken all the same",
		},
		"a dead route does not count": {
			"default dev eth0\n10.0.0.0/8 dev tun0 dead linkdown", "10.1.2.3", route.ClassDirect, "default dev eth0", "eth0 is not of the VPN",
		},
		"a route with a TOS does not match": {
			"default dev eth0\n10.0.0.0/8 tos 0x10 dev tun0", "10.1.2.3", route.ClassDirect, "default dev eth0", "eth0 is not of the VPN",
		},
		"a TOS of 0 is none": {"10.0.0.0/8 tos 0x00 dev tun0", "10.1.2.3", route.ClassVPN, "10.0.0.0/8 dev tun0", "tun0 is of the VPN"},
		"a blackhole drops": {
			"default dev eth0\nblackhole 10.1.0.0/26", "10.1.0.3", route.ClassDropped, "blackhole 10.1.0.0/26", "blackhole: invalid argument",
		},
		"unreachable drops": {
			"default dev eth0\nunreachable 10.1.0.0/26", "10.1.0.3", route.ClassDropped, "unreachable 10.1.0.0/26", "unreachable: no route to host",
		},
		"prohibit drops": {
			"default dev eth0\nprohibit 10.1.0.0/26", "10.1.0.3", route.ClassDropped, "prohibit 10.1.0.0/26", "prohibit: permission denied",
		},
		"a blackhole drops before a route of a higher metric": {
			"blackhole 10.0.0.0/8\n10.0.0.0/8 dev tun0 metric 5", "10.1.2.3", route.ClassDropped, "blackhole 10.0.0.0/8", "blackhole: invalid argument",
		},
		"no route drops": {"10.0.0.0/8 dev eth0", "11.1.2.3", route.ClassDropped, "", "no route: network is unreachable"},
		"a family without routes drops": {
			"10.0.0.0/8 dev eth0", "fd00::1", route.ClassDropped, "", "no route: network is unreachable",
		},
		"throw leads to table default": {
			"default dev eth0\nthrow 10.0.0.0/8\n0.0.0.0/0 dev tun0 table default", "10.1.2.3", route.ClassVPN, "default dev tun0 table default", "tun0 is of the VPN",
		},
		"throw hides the shorter routes of its table": {
			"default dev eth0\nthrow 10.0.0.0/8", "10.1.2.3", route.ClassDropped, "", "no route: network is unreachable",
		},
		"a blackhole does not lead to table default": {
			"blackhole 10.0.0.0/8\n0.0.0.0/0 dev tun0 table default", "10.1.2.3", route.ClassDropped, "blackhole 10.0.0.0/8", "blackhole: invalid argument",
		},
		"IPv6 has no table default": {
			"::/0 dev tun0 table default", "fd00::1", route.ClassDropped, "", "no route: network is unreachable",
		},
		"other tables are left to policy rules": {
			"default dev eth0\n10.0.0.0/8 dev tun0 table 100", "10.1.2.3", route.ClassDirect, "default dev eth0", "eth0 is not of the VPN",
		},
		"tables may be numbers": {
			"10.0.0.0/8 dev tun0 table 254\nlocal 10.1.2.3 dev eth0 table 255", "10.1.2.3", route.ClassLocal, "local 10.1.2.3 dev eth0 table local",
			"an address of this namespace",
		},
		"a preferred source is a local address": {
			"10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.5", "10.0.0.5", route.ClassLocal, "local 10.0.0.5 dev eth0 table local",
			"an address of this namespace",
		},
		"a table local is not added to": {
			"10.0.0.0/24 dev eth0 src 10.0.0.5\nlocal 10.0.0.6 dev eth0 table local", "10.0.0.5", route.ClassDirect, "10.0.0.0/24 dev eth0 src 10.0.0.5",
			"eth0 is not of the VPN",
		},
		"loopback is local": {"default dev eth0", "127.0.0.53", route.ClassLocal, "local 127.0.0.0/8 dev lo table local", "an address of this namespace"},
		"IPv6 loopback is local": {
			"::/0 dev eth0", "::1", route.ClassLocal, "local ::1 dev lo table local", "an address of this namespace",
		},
		"IPv4: a longer route in main wins over table local": {
			"10.1.0.0/16 dev tun0\nlocal 10.0.0.0/8 dev lo table local", "10.1.2.3", route.ClassVPN, "10.1.0.0/16 dev tun0", "tun0 is of the VPN",
		},
		"IPv4: table local wins over main on a tie, whatever the metric": {
			"10.1.0.0/16 dev tun0\nlocal 10.1.0.0/16 dev lo table local metric 9", "10.1.2.3", route.ClassLocal, "local 10.1.0.0/16 dev lo table local metric 9",
			"an address of this namespace",
		},
		"IPv6: table local wins over a longer route in main": {
			"fd00:1::/32 dev tun0\nlocal fd00::/16 dev lo table local", "fd00:1::1", route.ClassLocal, "local fd00::/16 dev lo table local", "an address of this namespace",
		},
		"an anycast address is local": {
			"anycast fd00:: dev eth0 table local", "fd00::", route.ClassLocal, "anycast fd00:: dev eth0 table local", "an anycast address that this namespace has",
		},
		"a broadcast leaves by its device": {
			"broadcast 10.0.0.255 dev tun0 table local", "10.0.0.255", route.ClassVPN, "broadcast 10.0.0.255 dev tun0 table local",
			"broadcast, which carries no connection; tun0 is of the VPN",
		},
		"multicast leaves by its device": {
			"multicast ff00::/8 dev eth0 table local metric 256 pref medium", "ff02::1", route.ClassDirect, "multicast ff00::/8 dev eth0 table local metric 256",
			"multicast, which carries no connection; eth0 is not of the VPN",
		},
		"lo is local": {"10.0.0.0/8 dev lo scope link", "10.1.1.1", route.ClassLocal, "10.0.0.0/8 dev lo", "lo is the namespace itself"},
		"a route without a device is direct": {
			"10.0.0.0/8 via 10.9.9.9", "10.1.1.1", route.ClassDirect, "10.0.0.0/8 via 10.9.9.9", "an unnamed device is not of the VPN",
		},
		"multipath over the VPN": {
			"10.0.0.0/8 nexthop via 10.9.9.1 dev tap0 weight 1 nexthop via 10.9.9.2 dev tap1 weight 1", "10.1.1.1", route.ClassVPN,
			"10.0.0.0/8 nexthop via 10.9.9.1 dev tap0 weight 1 nexthop via 10.9.9.2 dev tap1 weight 1", "tap0 and tap1 are of the VPN",
		},
		"multipath of both classes is direct": {
			"10.0.0.0/8 nexthop via 10.9.9.1 dev tap0 weight 1 nexthop via 10.9.9.2 dev eth0 weight 1", "10.1.1.1", route.ClassDirect,
			"10.0.0.0/8 nexthop via 10.9.9.1 dev tap0 weight 1 nexthop via 10.9.9.2 dev eth0 weight 1",
			"several next hops, and not all of them are the VPN: some connections go by eth0",
		},
		"a dead next hop does not count": {
			"10.0.0.0/8 nexthop via 10.9.9.1 dev tap0 weight 1 nexthop via 10.9.9.2 dev eth0 weight 1 dead linkdown", "10.1.1.1", route.ClassVPN,
			"10.0.0.0/8 nexthop via 10.9.9.1 dev tap0 weight 1 nexthop via 10.9.9.2 dev eth0 weight 1 dead linkdown", "tap0 is of the VPN",
		},
		"multipath with only dead next hops does not count": {
			"10.0.0.0/8 nexthop dev tap0 dead nexthop dev eth0 dead", "10.1.1.1", route.ClassDropped, "", "no route: network is unreachable",
		},
		"IPv6: equal routes with gateways are one multipath route": {
			"fd00::/16 via fe80::1 dev bond0-ip6tnl0 metric 1024\nfd00::/16 via fe80::2 dev eth0 metric 1024", "fd00::1", route.ClassDirect,
			"fd00::/16 metric 1024 nexthop via fe80::1 dev bond0-ip6tnl0 nexthop via fe80::2 dev eth0",
			"several next hops, and not all of them are the VPN: some connections go by eth0",
		},
		"IPv6: of equal routes without gateways the first one wins": {
			"fd00::/16 dev bond0-ip6tnl0 metric 1024\nfd00::/16 dev bond0-ip6tnl1 metric 1024\nfd00::/16 via fe80::2 dev eth0 metric 1024", "fd00::1",
			route.ClassVPN, "fd00::/16 dev bond0-ip6tnl0 metric 1024", "bond0-ip6tnl0 is of the VPN",
		},
		"IPv6: equal routes of another metric are not joined": {
			"fd00::/16 via fe80::1 dev bond0 metric 1\nfd00::/16 via fe80::2 dev eth0 metric 2", "fd00::1", route.ClassVPN,
			"fd00::/16 via fe80::1 dev bond0 metric 1", "bond0 is of the VPN",
		},
		"IPv6: a high preference wins among equal metrics": {
			"::/0 via fe80::1 dev eth0 metric 1024 pref medium\n::/0 via fe80::2 dev tun0 metric 1024 pref high", "fd00::1", route.ClassVPN,
			"default via fe80::2 dev tun0 metric 1024 pref high", "tun0 is of the VPN",
		},
		"a zone does not matter": {
			"fe80::/64 dev eth0 proto kernel metric 256 pref medium", "fe80::1%eth0", route.ClassDirect, "fe80::/64 dev eth0 metric 256", "eth0 is not of the VPN",
		},
		"an IPv4-mapped address is IPv6": {
			"10.0.0.0/8 dev eth0\nunreachable ::ffff:0.0.0.0/96 dev lo metric 1024 error -113", "::ffff:10.1.1.1", route.ClassDropped,
			"unreachable ::ffff:0.0.0.0/96 dev lo metric 1024", "unreachable: no route to host",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := namespace(t, test.routes).Decide(netip.MustParseAddr(test.address))
			by := ""
			if d.Route != nil {
				by = d.Route.String()
			}
			got := []string{string(d.Class), by, d.Reason}
			if diff := cmp.Diff([]string{string(test.class), test.by, test.reason}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestDeviceClass(t *testing.T) {
	t.Parallel()
	for class, devices := range map[route.Class][]string{
		route.ClassVPN:    {"tun0", "tun10", "tap0", "tap2", "bond0", "bond0-ip6tnl0", "bond0-ip6tnl12"},
		route.ClassLocal:  {"lo"},
		route.ClassDirect: {"eth0", "tunl0", "tun", "bond1", "bond0.7", "cali0123", "vxlan.calico", "tapx", "bond0-ip6tnl", ""},
	} {
		for _, device := range devices {
			if got := route.DeviceClass(device); got != class {
				t.Errorf("%s: got %s, want %s", device, got, class)
			}
		}
	}
}

func TestNewTableRefusesWhatNoKernelHas(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		route route.Route
		want  string
	}{
		"no destination": {route.Route{Device: "eth0"}, "route 2 (invalid dev eth0): it has no destination"},
		"host bits":      {route.Route{Destination: netip.MustParsePrefix("10.0.0.1/8")}, "the destination has host bits; use 10.0.0.0/8"},
		"unknown type":   {route.Route{Destination: netip.MustParsePrefix("10.0.0.0/8"), Type: "nat"}, `"nat" is no type of route`},
		"number as type": {route.Route{Destination: netip.MustParsePrefix("10.0.0.0/8"), Type: "6"}, `"6" is no type of route`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := route.NewTable([]route.Route{{Destination: netip.MustParsePrefix("0.0.0.0/0")}, test.route})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestTableIsACopy holds that a change of the routes given does not reach the table.
func TestTableIsACopy(t *testing.T) {
	t.Parallel()
	routes := parse(t, "10.0.0.0/8 nexthop dev tap0 nexthop dev tap1")
	table, err := route.NewTable(routes)
	if err != nil {
		t.Fatal(err)
	}
	routes[0].NextHops[0].Device = "eth0"
	routes[0].Type = route.TypeBlackhole
	got, ok := table.Lookup(netip.MustParseAddr("10.0.0.1"))
	if want := "10.0.0.0/8 nexthop dev tap0 nexthop dev tap1"; !ok || got.String() != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestEmptyTables(t *testing.T) {
	t.Parallel()
	empty, err := route.NewTable(nil)
	if err != nil {
		t.Fatal(err)
	}
	address := netip.MustParseAddr("10.0.0.1")
	if got, ok := empty.Lookup(address); ok {
		t.Errorf("found %v in an empty table", got)
	}
	n := &route.Namespace{}
	if d := n.Decide(address); d.Class != route.ClassDropped || d.Route != nil {
		t.Errorf("without a table: %+v", d)
	}
	if d := n.Decide(netip.Addr{}); d.Class != route.ClassDropped || d.Reason != "no address" {
		t.Errorf("without an address: %+v", d)
	}
	if diff := cmp.Diff([]string{"10.0.0.0/8 dropped"}, pieces(n, "10.0.0.0/8")); diff != "" {
		t.Error(diff)
	}
	if got := n.Partition(netip.Prefix{}); got != nil {
		t.Errorf("pieces of nothing: %v", got)
	}
}
