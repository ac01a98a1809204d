// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package hostnet

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/engine"
)

func TestCombine(t *testing.T) {
	p := netip.MustParsePrefix
	networks := []*engine.Network{
		{Name: "kind", Prefixes: []netip.Prefix{p("172.18.0.0/24")}},
		{Name: "other", Prefixes: []netip.Prefix{p("172.19.0.0/16")}},
	}
	routes := []route{
		{p("0.0.0.0/0"), "eth0"},
		{p("172.18.0.0/24"), "br-1"},
		{p("172.19.0.0/16"), "br-2"},
		{p("10.0.0.0/8"), "tun0"},
		{p("10.0.0.0/8"), "tun0"},
		{p("172.18.255.0/24"), "lo"},
		{p("127.0.0.0/8"), "eth0"},
		{p("fe80::/64"), "eth0"},
		{p("ff00::/8"), "eth0"},
		{p("192.168.0.0/24"), "eth0"},
	}
	var have []string
	for _, r := range combine(networks, routes) {
		have = append(have, r.Name+" "+r.Prefix.String())
	}
	want := []string{"network other 172.19.0.0/16", "route over tun0 10.0.0.0/8", "route over eth0 192.168.0.0/24"}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

func TestHostRoutesAreReadable(t *testing.T) {
	if _, err := hostRoutes(); err != nil {
		t.Error(err)
	}
}
