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

// parse reads a table that is known to be good.
func parse(t testing.TB, text string) []route.Route {
	t.Helper()
	routes, err := route.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return routes
}

// namespace makes a namespace of a table as `ip route` prints it.
func namespace(t testing.TB, text string, maps ...route.Map) *route.Namespace {
	t.Helper()
	table, err := route.NewTable(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return &route.Namespace{Table: table, Maps: maps}
}

// netmap returns a rule.
func netmap(from, to string) route.Map {
	return route.Map{From: netip.MustParsePrefix(from), To: netip.MustParsePrefix(to)}
}

// comparer of netip's types for go-cmp.
func comparer() cmp.Option {
	return cmp.Options{
		cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
		cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }),
	}
}

const (
	// podRoutes is what Calico gives each pod.
	podRoutes = "default via 169.254.1.1 dev eth0\n169.254.1.1 dev eth0 scope link\n"
	// bondRoutes is kube-apiserver of a highly available shoot without nodes.
	bondRoutes = podRoutes +
		"10.3.0.0/16 via 192.168.123.194 dev bond0\n10.4.0.0/16 via 192.168.123.194 dev bond0\n" +
		"192.168.123.192/26 dev bond0 proto kernel scope link src 192.168.123.200\n"
	// tunRoutes is vpn-seed-server of another shoot without nodes.
	tunRoutes = podRoutes +
		"10.3.0.0/16 via 192.168.123.2 dev tun0\n10.4.0.0/16 via 192.168.123.2 dev tun0\n" +
		"192.168.123.0/24 dev tun0 proto kernel scope link src 192.168.123.1\n"
)

// TestNodesBesideTheVPN has the routing tables in which the fault was found: without nodes, machines are reached directly; with the
// nodes of the split, those among them are reached through the VPN.
func TestNodesBesideTheVPN(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		routes string
		// classes of 10.1.54.75 and 10.1.130.210.
		want [2]route.Class
		// by is the route that decides for 10.1.130.210.
		by string
	}{
		"HA with empty nodes": {bondRoutes, [2]route.Class{route.ClassDirect, route.ClassDirect}, "default via 169.254.1.1 dev eth0"},
		"non-HA with empty nodes": {
			tunRoutes, [2]route.Class{route.ClassDirect, route.ClassDirect}, "default via 169.254.1.1 dev eth0",
		},
		"HA with the split": {
			bondRoutes + "10.1.128.0/17 via 192.168.123.194 dev bond0\n",
			[2]route.Class{route.ClassDirect, route.ClassVPN},
			"10.1.128.0/17 via 192.168.123.194 dev bond0",
		},
		"non-HA with the split": {
			tunRoutes + "10.1.128.0/17 via 192.168.123.2 dev tun0\n",
			[2]route.Class{route.ClassDirect, route.ClassVPN},
			"10.1.128.0/17 via 192.168.123.2 dev tun0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := namespace(t, test.routes)
			outside := n.Decide(netip.MustParseAddr("10.1.54.75"))
			machine := n.Decide(netip.MustParseAddr("10.1.130.210"))
			if got := [2]route.Class{outside.Class, machine.Class}; got != test.want {
				t.Errorf("got %v, want %v: %s; %s", got, test.want, outside.Reason, machine.Reason)
			}
			if machine.Route == nil || machine.Route.String() != test.by {
				t.Errorf("10.1.130.210 by %v, want %s", machine.Route, test.by)
			}
			for _, address := range []string{"10.3.7.7", "10.4.0.1"} {
				if d := n.Decide(netip.MustParseAddr(address)); d.Class != route.ClassVPN {
					t.Errorf("%s: %s (%s)", address, d.Class, d.Reason)
				}
			}
			want := []string{"10.1.0.0/17 direct", "10.1.128.0/17 VPN"}
			if test.want[1] == route.ClassDirect {
				want = []string{"10.1.0.0/16 direct"}
			}
			if diff := cmp.Diff(want, pieces(n, "10.1.0.0/16")); diff != "" {
				t.Errorf("pieces (-want +got):\n%s", diff)
			}
		})
	}
}

// pieces lists the pieces of a prefix with their classes.
func pieces(n *route.Namespace, prefix string) []string {
	var list []string
	for _, piece := range n.Partition(netip.MustParsePrefix(prefix)) {
		list = append(list, piece.Prefix.String()+" "+string(piece.Decision.Class))
	}
	return list
}
