// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go4.org/netipx"

	"github.com/gardener/kindling/pkg/route"
)

// FuzzParse holds that no input breaks the parser, and that each route is read back from what it prints.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		bondRoutes, tunRoutes, mappedRoutes,
		"default metric 5\n\tnexthop via inet6 fe80::1 dev v1 weight 1 onlink dead linkdown\n",
		"fd00::/16 metric 1024 pref high \\\tnexthop via fe80::1 dev v0 weight 1 ",
		"local ::1 dev lo table local metric 0 pref medium\nblackhole default dev lo metric 1 error -22 pref medium",
		"10.0.0.0/8 tos 0x10 dev eth0 mtu lock 1400 features ecn src 10.0.0.1",
		`[{"type":"local","dst":"default","via":{"family":"inet6","host":"fe80::1"},"tos":"0x10","flags":["onlink"],"nexthops":[{"dev":"v0","weight":2}]},{}]`,
		`[{"dst":"10.0.0.0/8","table":7,"prefsrc":"10.0.0.1","metric":"3","pref":"low"}][]`,
		"$ ip r", "\ufeff\r\n[", "[root@host ~]# ip r",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		routes, err := route.Parse(strings.NewReader(text))
		if err != nil {
			if len(err.Error()) > 2000 || strings.ContainsAny(err.Error(), "\x1b\n\r") {
				t.Fatalf("not fit to be shown: %q", err.Error())
			}
			return
		}
		if _, err := route.NewTable(routes); err != nil {
			t.Fatalf("what is parsed makes no table: %v", err)
		}
		for _, r := range routes {
			again, err := route.Parse(strings.NewReader(r.String()))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]route.Route{r}, again, comparer()); diff != "" {
				t.Fatalf("%q is read back as (-want +got):\n%s", r, diff)
			}
		}
	})
}

// FuzzPartition holds that pieces are disjoint, sorted, cover the prefix exactly and agree with single decisions.
func FuzzPartition(f *testing.F) {
	f.Add(bondRoutes, "10.250.0.0/16", "242.0.0.0/8", "10.0.0.0/8")
	f.Add(mappedRoutes+"242.250.64.0/18 dev eth0\n", "10.250.0.0/16", "242.0.0.0/8", "10.250.0.0/17")
	f.Add(mappedRoutes, "242.0.0.0/7", "242.0.0.0/7", "0.0.0.0/0")
	f.Add("255.255.255.255 dev tun0\n0.0.0.0 dev tun0", "0.0.0.0/0", "0.0.0.0/0", "0.0.0.0/0")
	f.Add("::/0 dev eth0\nfd00::/16 dev tun0\n::ffff:0.0.0.0/97 dev tun0\nthrow fd00:1::/32", "fd01::/16", "fd00::/16", "fd00::/15")
	f.Add("::ffff:10.0.0.0/104 dev tun0\n::/0 dev eth0", "::ffff:0.0.0.0/96", "fd00::/96", "::/64")
	f.Fuzz(func(t *testing.T, text, from, to, prefix string) {
		routes, err := route.Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		rule := route.Map{}
		rule.From, _ = netip.ParsePrefix(from)
		rule.To, _ = netip.ParsePrefix(to)
		whole, err := netip.ParsePrefix(prefix)
		if err != nil {
			return
		}
		table, err := route.NewTable(routes)
		if err != nil {
			t.Fatal(err)
		}
		n := &route.Namespace{Table: table, Maps: []route.Map{rule}}
		holdPartition(t, n, whole.Masked())
		for _, r := range routes {
			holdPartition(t, n, r.Destination)
		}
	})
}

// holdPartition checks the pieces of a prefix.
func holdPartition(t *testing.T, n *route.Namespace, whole netip.Prefix) {
	t.Helper()
	list := n.Partition(whole)
	next := whole.Addr()
	for i, piece := range list {
		if piece.Prefix.Addr() != next || piece.Prefix != piece.Prefix.Masked() {
			t.Fatalf("%v: piece %v has to begin at %v", whole, piece.Prefix, next)
		}
		last := netipx.PrefixLastIP(piece.Prefix)
		for _, address := range []netip.Addr{next, next.Next(), last.Prev(), last} {
			if !piece.Prefix.Contains(address) {
				continue
			}
			d := n.Decide(address)
			if d.Class != piece.Decision.Class || d.Route != piece.Decision.Route || d.Map != piece.Decision.Map || d.Reason != piece.Decision.Reason {
				t.Fatalf("%v: %v is %+v, its piece %v is %+v", whole, address, d, piece.Prefix, piece.Decision)
			}
		}
		if d := n.Decide(next); d.Destination != piece.Decision.Destination {
			t.Fatalf("%v: piece %v is looked up as %v, want %v", whole, piece.Prefix, piece.Decision.Destination, d.Destination)
		}
		if i > 0 {
			holdMerged(t, list[i-1], piece)
		}
		next = last.Next()
	}
	if end := netipx.PrefixLastIP(whole).Next(); next != end {
		t.Fatalf("%v: the pieces end before %v, want %v", whole, next, end)
	}
}

// holdMerged checks that two neighbours could not be one piece.
func holdMerged(t *testing.T, a, b route.Piece) {
	t.Helper()
	both := netip.PrefixFrom(a.Prefix.Addr(), a.Prefix.Bits()-1)
	if a.Prefix.Bits() != b.Prefix.Bits() || both != both.Masked() || !both.Contains(b.Prefix.Addr()) {
		return
	}
	if a.Decision.Route == b.Decision.Route && a.Decision.Map == b.Decision.Map {
		t.Fatalf("%v and %v are halves of %v with one decision", a.Prefix, b.Prefix, both)
	}
}

// TestPartitionOfRandomTables does the same with tables that fuzzing rarely finds: many routes within each other, and maps over them.
func TestPartitionOfRandomTables(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 1))
		var routes []route.Route
		for range 1 + random.IntN(60) {
			routes = append(routes, route.Route{
				Destination: randomPrefix(random), Device: []string{"eth0", "tun0", "lo"}[random.IntN(3)], Metric: random.Uint32N(3),
				Type: []route.Type{"", "", "", route.TypeThrow, route.TypeBlackhole}[random.IntN(5)], Table: []string{"", "", "local", "default"}[random.IntN(4)],
			})
		}
		table, err := route.NewTable(routes)
		if err != nil {
			t.Fatal(err)
		}
		n := &route.Namespace{Table: table}
		for range random.IntN(4) {
			n.Maps = append(n.Maps, route.Map{From: randomPrefix(random), To: randomPrefix(random)})
		}
		for range 5 {
			holdPartition(t, n, randomPrefix(random))
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
