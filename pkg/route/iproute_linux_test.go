// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"bytes"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/route"
)

// printedRoutes are routes of all kinds that `ip route` prints, as text that Parse reads.
const printedRoutes = `default via 172.16.0.1 dev bond0 metric 5 onlink
10.1.0.0/16 dev tun0 src 10.200.0.1 linkdown
10.2.0.0/16 tos 0x10 dev eth0
10.3.0.0/16 via inet6 fe80::1 dev bond0 onlink
10.4.0.0/16 metric 7 nexthop via 172.16.0.2 dev bond0 weight 3 onlink nexthop via 172.16.0.3 dev tun0 weight 1 onlink linkdown
10.5.0.5 dev eth0 table 100
blackhole 10.6.0.0/26
unreachable 10.6.1.0/26 metric 4294967295
prohibit 10.6.2.0/26 table default
throw 10.6.3.0/26
local 10.7.0.0/24 dev lo table local
default dev tap0 metric 1024 pref medium
fd00:1::/32 dev tun0 metric 7 linkdown
fd00:2::/32 via fd77::1 dev bond0 metric 1024 onlink
fd00:3::/32 metric 1024 nexthop via fe80::1 dev bond0 weight 1 onlink nexthop via fe80::2 dev eth0 weight 1 onlink
fd00:4::5 dev eth0 table 100 src fd99::1 metric 1024
blackhole fd00:5::/64 dev lo metric 1024
unreachable default dev lo metric 4294967295 pref medium
`

// TestParseAgreesWithIP puts routes into the kernel and reads what `ip` prints of them, in each of its formats.
func TestParseAgreesWithIP(t *testing.T) {
	t.Parallel()
	ip, err := exec.LookPath("ip")
	if err != nil {
		t.Skipf("there is no `ip` program: %v", err)
	}
	inNamespace(t, func(t *testing.T) {
		k := newKernel(t)
		want := parse(t, printedRoutes)
		for _, r := range want {
			if err := k.handle.RouteAppend(k.convert(r)); err != nil {
				t.Fatalf("%v: %v", r, err)
			}
		}
		for name, commands := range map[string][][]string{
			"text":           {{"route", "show", "table", "all"}},
			"JSON":           {{"-j", "route", "show", "table", "all"}},
			"pretty JSON":    {{"-j", "-p", "route", "show", "table", "all"}},
			"one line each":  {{"-o", "route", "show", "table", "all"}},
			"details":        {{"-d", "route", "show", "table", "all"}},
			"statistics":     {{"-s", "route", "show", "table", "all"}},
			"numbers":        {{"-N", "route", "show", "table", "all"}},
			"one after both": {{"-4", "-j", "route", "show", "table", "all"}, {"-6", "-j", "route", "show", "table", "all"}},
		} {
			t.Run(name, func(t *testing.T) {
				var output bytes.Buffer
				for _, arguments := range commands {
					command := exec.Command(ip, arguments...)
					command.Stdout = &output
					if err := command.Run(); err != nil {
						t.Fatal(err)
					}
				}
				got, err := route.Parse(&output)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(sorted(slices.Concat(want, parse(t, own()+ownLocal()))), sorted(got)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	})
}

// sorted returns routes as text without those of link-local and multicast addresses, which the kernel makes by itself.
func sorted(routes []route.Route) []string {
	var list []string
	for _, r := range routes {
		if r.Destination.Addr().IsLinkLocalUnicast() || r.Destination.Addr().IsMulticast() || r.Type == route.TypeAnycast {
			continue
		}
		list = append(list, withoutOwnSource(r).String())
	}
	slices.Sort(list)
	return list
}

// withoutOwnSource drops what the kernel says of the routes that belong to addresses, beside what tests need of them.
func withoutOwnSource(r route.Route) route.Route {
	if r.Table == route.TableLocal || r.Source.IsValid() && r.Destination.Contains(r.Source) {
		r.Source = netip.Addr{}
	}
	return r
}

// TestDeadNextHops takes a device down below a multipath route: what the kernel then does, and prints, is what Decide says.
func TestDeadNextHops(t *testing.T) {
	t.Parallel()
	ip, err := exec.LookPath("ip")
	if err != nil {
		t.Skipf("there is no `ip` program: %v", err)
	}
	inNamespace(t, func(t *testing.T) {
		k := newKernel(t)
		for _, r := range parse(t, "10.4.0.0/16 nexthop via 172.16.0.2 dev bond0 weight 1 onlink nexthop via 172.16.0.3 dev eth1 weight 1 onlink\n"+
			"fd00:3::/32 metric 1024 nexthop via fe80::1 dev bond0 weight 1 onlink nexthop via fe80::2 dev eth1 weight 1 onlink\n") {
			if err := k.handle.RouteAppend(k.convert(r)); err != nil {
				t.Fatalf("%v: %v", r, err)
			}
		}
		hold := func(class route.Class, reason string) {
			t.Helper()
			for _, address := range []string{"10.4.0.1", "10.4.0.2", "10.4.0.3", "10.4.0.4", "fd00:3::1", "fd00:3::2", "fd00:3::3", "fd00:3::4"} {
				var output bytes.Buffer
				for _, family := range []string{"-4", "-6"} {
					command := exec.Command(ip, family, "route")
					command.Stdout = &output
					if err := command.Run(); err != nil {
						t.Fatal(err)
					}
				}
				d := namespace(t, output.String()).Decide(netip.MustParseAddr(address))
				if d.Class != class || !strings.Contains(d.Reason, reason) {
					t.Errorf("%s: %s (%s) by %v", address, d.Class, d.Reason, d.Route)
				}
				if problem := k.differs(d); problem != "" {
					t.Errorf("%s: %s", address, problem)
				}
			}
		}
		hold(route.ClassDirect, "several next hops")
		if err := k.handle.LinkSetDown(k.link("eth1")); err != nil {
			t.Fatal(err)
		}
		hold(route.ClassVPN, "bond0 is of the VPN")
	})
}
