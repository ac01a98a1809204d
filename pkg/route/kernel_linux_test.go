// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"go4.org/netipx"
	"golang.org/x/sys/unix"

	"github.com/gardener/kindling/pkg/route"
)

// randomTables is how many tables are compared with the kernel.
const randomTables = 2400

// TestKernelAgrees puts random tables into the kernel, both families in each, and compares decisions with what it answers.
func TestKernelAgrees(t *testing.T) {
	t.Parallel()
	inNamespace(t, func(t *testing.T) {
		k := newKernel(t)
		seed := rand.Uint64()
		var compared, rejected int
		for i := range uint64(randomTables) {
			random := rand.New(rand.NewPCG(seed, i))
			routes, undo, refused := k.put(t, randomTable(random))
			rejected += refused
			compared += k.compare(t, random, routes)
			undo()
			if t.Failed() {
				t.Fatalf("random table rand.NewPCG(%d, %d):\n%s", seed, i, lines(routes))
			}
		}
		t.Logf("%d decisions in %d tables agree with the kernel; it refused %d routes", compared, randomTables, rejected)
		if compared < 8*randomTables {
			t.Errorf("only %d decisions were compared", compared)
		}
	})
}

func lines(routes []route.Route) string {
	var list []string
	for _, r := range routes {
		list = append(list, r.String())
	}
	return strings.Join(list, "\n")
}

// put adds routes to the kernel and returns those it took, with the ones of the namespace itself, and a function that removes them.
func (k *kernel) put(t *testing.T, routes []route.Route) (taken []route.Route, undo func(), refused int) {
	t.Helper()
	local := slices.ContainsFunc(routes, func(r route.Route) bool { return r.Table == route.TableLocal })
	taken = parse(t, own())
	if local {
		taken = append(taken, parse(t, ownLocal())...)
	}
	var added []*netlink.Route
	for _, r := range routes {
		// Among several equal IPv4 default routes the kernel looks for a gateway that answers.
		twice := r.Destination == netip.MustParsePrefix("0.0.0.0/0") && slices.ContainsFunc(taken, func(other route.Route) bool {
			return other.Destination == r.Destination && other.Metric == r.Metric && other.Table == r.Table
		})
		converted := k.convert(r)
		if twice {
			continue
		}
		if err := k.handle.RouteAppend(converted); err != nil {
			if !errors.Is(err, unix.EEXIST) && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EHOSTUNREACH) {
				t.Errorf("%v: %v", r, err)
			}
			refused++
			continue
		}
		taken, added = append(taken, r), append(added, converted)
	}
	return taken, func() {
		// An IPv6 route without device or gateway stands for any one of its destination and metric, so that another one may go
		// first. When none is found for any of them, all are gone.
		for _, r := range added {
			err := k.handle.RouteDel(r)
			for err == nil {
				err = k.handle.RouteDel(r)
			}
			if !errors.Is(err, unix.ESRCH) {
				t.Errorf("removing %v: %v", r, err)
			}
		}
	}, refused
}

// compare asks the kernel for addresses at the borders of all routes, and for some others, and returns for how many.
func (k *kernel) compare(t *testing.T, random *rand.Rand, routes []route.Route) int {
	t.Helper()
	table, err := route.NewTable(routes)
	if err != nil {
		t.Fatal(err)
	}
	n := &route.Namespace{Table: table}
	addresses := []netip.Addr{
		netip.MustParseAddr("10.200.0.1"), netip.MustParseAddr("10.200.0.7"), netip.MustParseAddr("10.200.0.255"), netip.MustParseAddr("127.5.0.1"),
		netip.MustParseAddr("1.2.3.4"), netip.MustParseAddr("fd99::1"), netip.MustParseAddr("fd99::7"), netip.MustParseAddr("::1"), netip.MustParseAddr("2001:db8::1"),
	}
	for _, r := range routes {
		last := netipx.PrefixLastIP(r.Destination)
		candidates := []netip.Addr{r.Destination.Addr(), r.Destination.Addr().Next(), last, last.Next()}
		addresses = append(addresses, candidates[random.IntN(2)], candidates[2+random.IntN(2)])
	}
	compared := 0
	given := slices.ContainsFunc(routes, func(r route.Route) bool { return r.Table == route.TableLocal })
	for _, address := range addresses {
		// Broadcast addresses can't be known without table local.
		if !given && slices.Contains([]string{"10.200.0.255", "192.168.123.255", "127.255.255.255"}, address.String()) {
			continue
		}
		if address.IsValid() && !address.IsUnspecified() && !address.IsMulticast() && address != netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
			compared++
			if problem := k.differs(n.Decide(address)); problem != "" {
				t.Errorf("%v: %s", address, problem)
			}
		}
	}
	return compared
}

// differs returns in what a decision is not the kernel's.
func (k *kernel) differs(d route.Decision) string {
	answer, err := k.get(d.Destination, nil)
	if err != nil {
		for want, types := range map[unix.Errno]route.Type{
			unix.EINVAL: route.TypeBlackhole, unix.EHOSTUNREACH: route.TypeUnreachable, unix.EACCES: route.TypeProhibit, unix.ENETUNREACH: "",
		} {
			if errors.Is(err, want) && d.Class == route.ClassDropped && (d.Route == nil) == (types == "") && (d.Route == nil || d.Route.Type == types) {
				return ""
			}
		}
		return fmt.Sprintf("the kernel says %v, got %s by %v", err, d.Class, d.Route)
	}
	device := k.names[answer.LinkIndex]
	if d.Route == nil || d.Class == route.ClassDropped {
		return fmt.Sprintf("the kernel sends it to %s, got %s by %v", device, d.Class, d.Route)
	}
	if (answer.Type == unix.RTN_LOCAL) != (d.Route.Type == route.TypeLocal) {
		return fmt.Sprintf("the kernel has a route of type %d, got %v", answer.Type, d.Route)
	}
	if answer.Type == unix.RTN_LOCAL {
		if d.Class != route.ClassLocal {
			return fmt.Sprintf("it is local, got %s", d.Class)
		}
		return ""
	}
	hops := d.Route.NextHops
	if len(hops) == 0 {
		hops = []route.NextHop{{Device: d.Route.Device, Gateway: d.Route.Gateway}}
	}
	if !slices.ContainsFunc(hops, func(hop route.NextHop) bool { return hop.Device == device }) {
		return fmt.Sprintf("the kernel sends it to %s, got %v", device, d.Route)
	}
	if len(hops) == 1 && d.Class != route.DeviceClass(device) {
		return fmt.Sprintf("the kernel sends it to %s, got %s", device, d.Class)
	}
	return k.matchDiffers(d)
}

// matchDiffers compares the entry of the table that matched.
func (k *kernel) matchDiffers(d route.Decision) string {
	match, err := k.get(d.Destination, &netlink.RouteGetOptions{FIBMatch: true})
	if err != nil {
		return fmt.Sprintf("no match: %v", err)
	}
	destination := netip.PrefixFrom(netip.IPv4Unspecified(), 0)
	if d.Destination.Is6() {
		destination = netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	}
	if match.Dst != nil {
		destination, _ = netipx.FromStdIPNet(match.Dst)
	}
	if destination != d.Route.Destination || match.Priority != int(d.Route.Metric) {
		return fmt.Sprintf("the kernel takes %v metric %d, got %v", destination, match.Priority, d.Route)
	}
	return ""
}

func (k *kernel) get(address netip.Addr, options *netlink.RouteGetOptions) (netlink.Route, error) {
	answers, err := k.handle.RouteGetWithOptions(net.IP(address.AsSlice()), options)
	if err == nil && len(answers) != 1 {
		err = fmt.Errorf("%d answers", len(answers))
	}
	if err != nil {
		return netlink.Route{}, err
	}
	return answers[0], nil
}
