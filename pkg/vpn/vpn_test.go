// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package vpn_test

import (
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/route"
	"github.com/gardener/kindling/pkg/vpn"
)

// setting is an environment in a few words.
type setting struct {
	version string
	layout  v1alpha1.Layout
	family  v1alpha1.IPFamily
	ha      bool
	noGuard bool
	ipv4    v1alpha1.FamilyNetworks
}

func (s setting) network(t *testing.T) *vpn.Network {
	t.Helper()
	network, err := s.build(t)
	if err != nil {
		t.Fatal(err)
	}
	return network
}

func (s setting) build(t *testing.T) (*vpn.Network, error) {
	t.Helper()
	shoot := v1alpha1.Shoot{Name: "local"}
	if s.ha {
		shoot.FailureTolerance = v1alpha1.FailureToleranceNode
	}
	env := &v1alpha1.Environment{Spec: v1alpha1.EnvironmentSpec{
		Gardener: v1alpha1.Gardener{Version: s.version}, Layout: s.layout, Shoots: []v1alpha1.Shoot{shoot},
	}}
	if s.family != "" {
		env.Spec.IPFamilies = []v1alpha1.IPFamily{s.family}
	}
	env.Spec.Networks.IPv4 = s.ipv4
	v1alpha1.SetDefaults(env)
	plan, err := netplan.New(env)
	if err != nil {
		t.Fatal(err)
	}
	return vpn.New(plan, plan.Shoots[0], !s.noGuard)
}

func traced(t *testing.T, s setting, from, to string) *vpn.Trace {
	t.Helper()
	network := s.network(t)
	target, err := network.Target(to)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := network.Trace(from, target)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	half := v1alpha1.FamilyNetworks{Pods: "10.1.0.0/16", SeedPods: "10.1.0.0/17", Machines: "10.1.128.0/17"}
	overlap := v1alpha1.FamilyNetworks{Pods: "10.0.0.0/15", SeedPods: "10.1.0.0/16", Machines: "10.0.0.0/16", ShootPods: "10.1.0.0/16"}
	tests := map[string]struct {
		setting
		from, to string
		class    route.Class
		// decides is the route that the deciding hop names.
		decides string
		why     string
	}{
		"without HA, empty nodes: vpn-seed-server reaches machines directly": {
			setting: setting{version: "v1.93.0", layout: v1alpha1.LayoutLegacy}, to: "nodes",
			class: route.ClassDirect, decides: "default via 169.254.1.1 dev eth0", why: "nodes is not set",
		},
		"with HA, empty nodes: kube-apiserver reaches machines directly": {
			setting: setting{version: "v1.93.0", layout: v1alpha1.LayoutLegacy, ha: true}, to: "nodes",
			class: route.ClassDirect, decides: "default via 169.254.1.1 dev eth0", why: "nodes is not set",
		},
		"without HA, split": {
			setting: setting{version: "v1.93.0", layout: v1alpha1.LayoutSplit, ipv4: half}, to: "10.1.130.210",
			class: route.ClassVPN, decides: "10.1.128.0/20 via 192.168.123.2 dev tun0",
		},
		"with HA, split": {
			setting: setting{version: "v1.93.0", layout: v1alpha1.LayoutSplit, ipv4: half, ha: true}, to: "10.1.130.210",
			class: route.ClassVPN, decides: "10.1.128.0/20 via 192.168.123.194 dev bond0",
		},
		"a machine with a seed pod's address is reached directly in the split, whatever nodes are": {
			setting: setting{version: "v1.93.0", layout: v1alpha1.LayoutSplit, ipv4: half, ha: true, noGuard: true}, to: "10.1.54.75",
			class: route.ClassDirect, decides: "default via 169.254.1.1 dev eth0", why: "outside nodes",
		},
		"metrics go through the VPN in every layout": {
			setting: setting{version: "v1.93.0", layout: v1alpha1.LayoutLegacy}, to: "services",
			class: route.ClassVPN, decides: "10.4.0.0/16 via 192.168.123.2 dev tun0",
		},
		"the newer VPN maps nodes without HA": {
			setting: setting{version: "v1.149.0"}, to: "nodes", class: route.ClassVPN, decides: "242.0.0.0/8 dev tun0",
		},
		"between the two, without HA, the routes have no next hop": {
			setting: setting{version: "v1.116.0", layout: v1alpha1.LayoutSplit}, to: "nodes", class: route.ClassVPN, decides: "10.0.0.0/20 dev tun0",
		},
		"the newer VPN with HA has a link for each client": {
			setting: setting{version: "v1.149.0", ha: true}, to: "nodes", class: route.ClassVPN, decides: "10.0.0.0/20 dev bond0-ip6tnl0",
		},
		"with HA and overlapping pods the newer VPN maps too": {
			setting: setting{version: "v1.149.0", ha: true, ipv4: overlap}, to: "pods", class: route.ClassVPN, decides: "244.0.0.0/8 dev bond0-ip6tnl0",
		},
		"IPv6 is not mapped": {
			setting: setting{version: "v1.149.0", family: v1alpha1.IPv6}, to: "nodes", class: route.ClassVPN, decides: "fd00:10:1:100::/64 dev tun0",
		},
		"a part of machines is nodes of the shoot": {
			setting: setting{version: "v1.149.0", ha: true}, to: "10.0.0.0/16", class: vpn.ClassMixed, why: "10.0.0.0/20 and nothing else",
		},
		"with HA vpn-seed-server is no client": {
			setting: setting{version: "v1.149.0", ha: true}, from: vpn.VPNSeedServer, to: "nodes",
			class: route.ClassDirect, why: "with high availability kube-apiserver has the routes",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := test.from
			if from == "" {
				from = vpn.KubeAPIServer
			}
			trace := traced(t, test.setting, from, test.to)
			if trace.Verdict.Class != test.class || trace.Verdict.ThroughVPN != (test.class == route.ClassVPN) {
				t.Errorf("verdict %+v, want class %s", trace.Verdict, test.class)
			}
			if test.decides != "" && !slices.ContainsFunc(trace.Pieces[0].Hops, func(hop vpn.Hop) bool { return hop.Route == test.decides }) {
				t.Errorf("hops %+v, want one that decides by %q", trace.Pieces[0].Hops, test.decides)
			}
			if !strings.Contains(trace.Verdict.Why, test.why) || (test.why == "") != (trace.Verdict.Why == "") {
				t.Errorf("why is %q, want %q in it", trace.Verdict.Why, test.why)
			}
		})
	}
}

// TestTheIssue reads the tables that the report of the fault quotes.
func TestTheIssue(t *testing.T) {
	t.Parallel()
	nodes := netip.MustParsePrefix("10.1.128.0/17")
	for _, device := range []string{"bond0", "tun0"} {
		table := fmt.Sprintf("default via 169.254.1.1 dev eth0\n10.3.0.0/16 via 192.168.123.194 dev %[1]s\n10.4.0.0/16 via 192.168.123.194 dev %[1]s\n"+
			"169.254.1.1 dev eth0 scope link\n192.168.123.192/26 dev %[1]s proto kernel scope link src 192.168.123.195\n", device)
		for name, test := range map[string]struct {
			table, address string
			class          route.Class
		}{
			"empty nodes":                     {table, "10.1.54.75", route.ClassDirect},
			"split":                           {table + fmt.Sprintf("%s via 192.168.123.194 dev %s\n", nodes, device), "10.1.130.210", route.ClassVPN},
			"split, machine among seed pods":  {table + fmt.Sprintf("%s via 192.168.123.194 dev %s\n", nodes, device), "10.1.54.75", route.ClassDirect},
			"empty nodes, address after them": {table, "10.1.130.210", route.ClassDirect},
		} {
			t.Run(device+"/"+name, func(t *testing.T) {
				t.Parallel()
				trace := observe(t, test.table, "10.1.0.0/17", test.address+"/32")
				if trace.Verdict.Class != test.class {
					t.Errorf("verdict %+v, want %s", trace.Verdict, test.class)
				}
			})
		}
	}
}

func observe(t *testing.T, table, seedPods string, targets ...string) *vpn.Trace {
	t.Helper()
	routes, err := route.Parse(strings.NewReader(table))
	if err != nil {
		t.Fatal(err)
	}
	built, err := route.NewTable(routes)
	if err != nil {
		t.Fatal(err)
	}
	var prefixes []netip.Prefix
	for _, target := range targets {
		prefixes = append(prefixes, netip.MustParsePrefix(target))
	}
	return vpn.Observe(&route.Namespace{Name: "pod", Table: built}, vpn.NewTarget("targets", "", prefixes...), netip.MustParsePrefix(seedPods))
}

func TestAnswersToSeedPodsMustNotEnterTheVPN(t *testing.T) {
	t.Parallel()
	// Nodes that overlap with the seed's pods: everything goes through the VPN, the answers to seed pods too.
	trace := observe(t, "default via 169.254.1.1 dev eth0\n10.1.0.0/16 dev bond0\n", "10.1.0.0/17", "10.1.130.0/24")
	if trace.Verdict.Class != route.ClassVPN || trace.Verdict.ThroughVPN {
		t.Errorf("verdict %+v; want class VPN, and yet not through the VPN: answers get lost", trace.Verdict)
	}
	if want := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/17")}; !slices.Equal(trace.Replies, want) {
		t.Errorf("misrouted %v, want %v", trace.Replies, want)
	}
	plan := setting{version: "v1.93.0", layout: v1alpha1.LayoutSplit, ha: true, ipv4: v1alpha1.FamilyNetworks{ShootPods: "10.1.0.0/16"}}
	if planned := traced(t, plan, vpn.KubeAPIServer, "nodes"); planned.Verdict.ThroughVPN || !strings.Contains(planned.Verdict.Why, "overlap") {
		t.Errorf("verdict %+v; want it to say that networks overlap", planned.Verdict)
	}
}

func TestAnswersFromTheShootMustComeBack(t *testing.T) {
	t.Parallel()
	piece := vpn.Piece{Class: route.ClassVPN, Hops: []vpn.Hop{{Class: route.ClassVPN}, {Back: true, Class: route.ClassDirect}}}
	target := vpn.NewTarget("nodes", "", netip.MustParsePrefix("10.0.0.0/20"))
	if v := vpn.Judge(target, []vpn.Piece{piece}, nil); v.ThroughVPN || !strings.Contains(v.Text, "answers") {
		t.Errorf("verdict %+v, want that answers don't come back", v)
	}
	piece.Hops[1].Class = route.ClassVPN
	if v := vpn.Judge(target, []vpn.Piece{piece}, nil); !v.ThroughVPN {
		t.Errorf("verdict %+v, want through the VPN", v)
	}
}

func TestOneDirectMachineSpoilsTheVerdict(t *testing.T) {
	t.Parallel()
	trace := observe(t, "default via 169.254.1.1 dev eth0\n10.1.128.0/17 dev bond0\n", "10.1.0.0/17", "10.1.130.210/32", "10.1.54.75/32")
	if trace.Verdict.ThroughVPN || trace.Verdict.Class != vpn.ClassMixed || !strings.Contains(trace.Verdict.Text, "10.1.54.75") {
		t.Errorf("verdict %+v, want mixed, naming 10.1.54.75", trace.Verdict)
	}
}

func TestTheGuardStopsWhatIsDirect(t *testing.T) {
	t.Parallel()
	for _, guard := range []bool{true, false} {
		trace := traced(t, setting{version: "v1.149.0", ha: true, noGuard: !guard}, vpn.KubeAPIServer, "10.0.200.5")
		if piece := trace.Pieces[0]; piece.Class != route.ClassDirect || piece.Guarded != guard {
			t.Errorf("guard %t: piece %+v, want direct, and guarded %t", guard, piece, guard)
		}
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	network := setting{version: "v1.149.0"}.network(t)
	for name, want := range map[string]string{
		"nodes": "10.0.0.0/20", "pods": "10.3.0.0/16", "services": "10.4.0.0/16", "10.0.0.7": "10.0.0.7", "10.0.0.0/8": "10.0.0.0/8",
	} {
		if target, err := network.Target(name); err != nil || target.String() != want {
			t.Errorf("%s is %s, %v; want %s", name, target, err, want)
		}
	}
	for name, want := range map[string]string{
		"machines": "neither an address", "10.0.0.1/16": "host bits: write 10.0.0.0/16", "10.0.0.0/33": "no CIDR",
		"fd00::1": "another family", "fe80::1%eth0": "neither an address",
	} {
		if _, err := network.Target(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", name, err, want)
		}
	}
}

var _ = flag.Bool("update", false, "write the golden files")

// TestTables writes down all tables and maps for each generation of the VPN, so that a change in one of them is looked at.
func TestTables(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, version := range []string{"v1.93.0", "v1.114.0", "v1.115.0", "v1.117.0", "v1.149.0"} {
		for _, family := range []v1alpha1.IPFamily{v1alpha1.IPv4, v1alpha1.IPv6} {
			for _, ha := range []bool{false, true} {
				fmt.Fprintf(&b, "# Gardener %s, %s, high availability: %t\n", version, family, ha)
				s := setting{version: version, layout: v1alpha1.LayoutSplit, family: family, ha: ha}
				network, err := s.build(t)
				if _, ok := errors.AsType[*vpn.UnsupportedError](err); ok {
					fmt.Fprintf(&b, "%v\n\n", err)
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, namespace := range []route.Namespace{network.KubeAPIServer, network.VPNSeedServer, network.VPNShoot} {
					writeNamespace(&b, namespace)
				}
				b.WriteString("\n")
			}
		}
	}
	testutil.Golden(t, filepath.Join("testdata", "tables.txt"), []byte(b.String()))
}

// writeNamespace lists what a namespace does with everything: the routes in force, in the order of their destinations.
func writeNamespace(b *strings.Builder, namespace route.Namespace) {
	fmt.Fprintf(b, "%s:\n", namespace.Name)
	seen := map[string]bool{}
	for _, whole := range []string{"0.0.0.0/0", "::/0"} {
		unmapped := route.Namespace{Table: namespace.Table}
		for _, piece := range unmapped.Partition(netip.MustParsePrefix(whole)) {
			if r := piece.Decision.Route; r != nil && r.Table == "" && !seen[r.String()] {
				seen[r.String()] = true
				fmt.Fprintf(b, "  %s\n", r)
			}
		}
	}
	for _, m := range namespace.Maps {
		fmt.Fprintf(b, "  map %s to %s\n", m.From, m.To)
	}
}
