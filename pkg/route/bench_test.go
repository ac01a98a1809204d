// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/gardener/kindling/pkg/route"
)

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
	routes := randomRoutes(1000)
	table, err := route.NewTable(routes)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(routes, func(a, b route.Route) int { return b.Destination.Bits() - a.Destination.Bits() })
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		address := netip.AddrFrom4([4]byte{10, byte(random.IntN(256)), byte(random.IntN(256)), byte(random.IntN(256))})
		want := routes[slices.IndexFunc(routes, func(r route.Route) bool { return r.Destination.Contains(address) })]
		if got, ok := table.Lookup(address); !ok || got.Destination != want.Destination {
			t.Fatalf("%v: got %v, want %v", address, got, want)
		}
	}
}
