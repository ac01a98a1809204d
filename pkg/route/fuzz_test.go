// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"math/rand/v2"
	"net/netip"
	"slices"
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
		rule, whole := route.Map{}, netip.Prefix{}
		rule.From, _ = netip.ParsePrefix(from)
		rule.To, _ = netip.ParsePrefix(to)
		if whole, err = netip.ParsePrefix(prefix); err != nil {
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
	for seed := range uint64(300) {
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

// randomPrefix returns a prefix in 10.0.0.0/14, so that there are many within each other.
func randomPrefix(random *rand.Rand) netip.Prefix {
	address := netip.AddrFrom4([4]byte{10, byte(random.IntN(4)), byte(random.IntN(4)) << 6, byte(random.IntN(4)) << 6})
	return netip.PrefixFrom(address, 12+random.IntN(21)).Masked()
}

// randomRoutes returns that many routes in 10.0.0.0/8 with some prefix lengths.
func randomRoutes(count int) []route.Route {
	random := rand.New(rand.NewPCG(1, 2))
	routes := []route.Route{{Destination: netip.MustParsePrefix("0.0.0.0/0"), Device: "eth0"}}
	seen := map[netip.Prefix]bool{}
	for len(routes) < count {
		address := netip.AddrFrom4([4]byte{10, byte(random.IntN(256)), byte(random.IntN(256)), byte(random.IntN(256))})
		prefix := netip.PrefixFrom(address, 16+random.IntN(17)).Masked()
		if seen[prefix] {
			continue
		}
		seen[prefix] = true
		routes = append(routes, route.Route{Destination: prefix, Device: []string{"eth0", "tun0", "bond0"}[random.IntN(3)]})
	}
	return routes
}

func BenchmarkLookup100k(b *testing.B) {
	table, err := route.NewTable(randomRoutes(100_000))
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	addresses := make([]netip.Addr, 1<<12)
	for i := range addresses {
		addresses[i] = netip.AddrFrom4([4]byte{10, byte(random.IntN(256)), byte(random.IntN(256)), byte(random.IntN(256))})
	}
	i := 0
	for b.Loop() {
		if _, ok := table.Lookup(addresses[i%len(addresses)]); !ok {
			b.Fatal("no route")
		}
		i++
	}
}

func BenchmarkPartition10k(b *testing.B) {
	table, err := route.NewTable(randomRoutes(10_000))
	if err != nil {
		b.Fatal(err)
	}
	plain := &route.Namespace{Table: table}
	mapped := &route.Namespace{Table: table, Maps: []route.Map{netmap("11.0.0.0/8", "10.0.0.0/8")}}
	for name, test := range map[string]struct {
		namespace *route.Namespace
		prefix    string
	}{"routes": {plain, "10.0.0.0/8"}, "mapped": {mapped, "11.0.0.0/8"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got := test.namespace.Partition(netip.MustParsePrefix(test.prefix)); len(got) < 10_000 {
					b.Fatalf("only %d pieces", len(got))
				}
			}
		})
	}
}

func BenchmarkNewTable100k(b *testing.B) {
	routes := randomRoutes(100_000)
	for b.Loop() {
		if _, err := route.NewTable(routes); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPiecesGrowWithRoutes holds that the number of pieces is of the order of the number of routes, not of its square.
func TestPiecesGrowWithRoutes(t *testing.T) {
	t.Parallel()
	count := func(routes int) int {
		table, err := route.NewTable(randomRoutes(routes))
		if err != nil {
			t.Fatal(err)
		}
		return len((&route.Namespace{Table: table}).Partition(netip.MustParsePrefix("10.0.0.0/8")))
	}
	if small, twice := count(2000), count(4000); twice > 2*small+1000 {
		t.Errorf("%d pieces for 2000 routes, %d for 4000", small, twice)
	}
}

// TestLookupAgreesWithSearch compares the table with the plain rule: of the routes that contain an address, the longest.
func TestLookupAgreesWithSearch(t *testing.T) {
	t.Parallel()
	routes := randomRoutes(3000)
	table, err := route.NewTable(routes)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(routes, func(a, b route.Route) int { return b.Destination.Bits() - a.Destination.Bits() })
	random := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		address := netip.AddrFrom4([4]byte{10, byte(random.IntN(256)), byte(random.IntN(256)), byte(random.IntN(256))})
		want := routes[slices.IndexFunc(routes, func(r route.Route) bool { return r.Destination.Contains(address) })]
		if got, ok := table.Lookup(address); !ok || got.Destination != want.Destination {
			t.Fatalf("%v: got %v, want %v", address, got, want)
		}
	}
}
