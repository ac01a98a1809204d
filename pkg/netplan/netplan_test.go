// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan_test

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
)

// plan loads an environment with a spec and plans it.
func plan(t testing.TB, spec string) (*netplan.Plan, error) {
	t.Helper()
	env, err := v1alpha1.Load([]byte("apiVersion: kindling.gardener.cloud/v1alpha1\nkind: Environment\nmetadata: {name: test}\nspec:\n"+spec), "test")
	if err != nil {
		t.Fatal(err)
	}
	return netplan.New(env)
}

func mustPlan(t testing.TB, spec string) *netplan.Plan {
	t.Helper()
	p, err := plan(t, spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDefaultRanges(t *testing.T) {
	for name, test := range map[string]struct {
		spec string
		want []string // pod CIDR, seed pods, machines, nodes of the first shoot
	}{
		"split IPv4, as Gardener from v1.128":      {"  gardener: {version: v1.149.0}", []string{"10.0.0.0/15", "10.1.0.0/16", "10.0.0.0/16", "10.0.0.0/20"}},
		"split IPv6":                               {"  ipFamilies: [IPv6]", []string{"fd00:10:1::/48", "fd00:10:1::/56", "fd00:10:1:100::/56", "fd00:10:1:100::/64"}},
		"outside IPv4, as Gardener from v1.96":     {"  gardener: {version: v1.96.0}", []string{"10.1.0.0/16", "10.1.0.0/16", "10.10.0.0/16", "10.10.0.0/20"}},
		"outside IPv6":                             {"  gardener: {version: v1.127.0}\n  ipFamilies: [IPv6]", []string{"fd00:10:1::/56", "fd00:10:1::/56", "fd00:10:a::/64", "fd00:10:a::/72"}},
		"legacy has no machines":                   {"  gardener: {version: v1.93.0}", []string{"10.1.0.0/16", "10.1.0.0/16", "", ""}},
		"split with an old Gardener, as proposed":  {"  gardener: {version: v1.93.0}\n  layout: Split", []string{"10.0.0.0/15", "10.1.0.0/16", "10.0.0.0/16", "10.0.0.0/20"}},
		"halves of a pod CIDR that is given":       {"  networks: {ipv4: {pods: 10.20.0.0/16}}", []string{"10.20.0.0/16", "10.20.128.0/17", "10.20.0.0/17", "10.20.0.0/20"}},
		"another split is as good":                 {"  networks: {ipv4: {pods: 10.1.0.0/16, seedPods: 10.1.0.0/17, machines: 10.1.128.0/17}}", []string{"10.1.0.0/16", "10.1.0.0/17", "10.1.128.0/17", "10.1.128.0/20"}},
		"a small machines range is one shoot's":    {"  networks: {ipv4: {machines: 10.0.240.0/24}}", []string{"10.0.0.0/15", "10.1.0.0/16", "10.0.240.0/24", "10.0.240.0/24"}},
		"halves of an IPv6 pod CIDR that is small": {"  ipFamilies: [IPv6]\n  networks: {ipv6: {pods: \"fd00:99::/60\"}}", []string{"fd00:99::/60", "fd00:99::/61", "fd00:99:0:8::/61", "fd00:99:0:8::/64"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustPlan(t, test.spec)
			f := p.Families[0]
			have := []string{text(f.Pods), text(f.SeedPods), text(f.Machines), text(p.Shoots[0].Nodes)}
			if diff := cmp.Diff(test.want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func text(prefix netip.Prefix) string {
	if !prefix.IsValid() {
		return ""
	}
	return prefix.String()
}

func shoots(names ...string) string {
	var spec strings.Builder
	spec.WriteString("  shoots:\n")
	for _, name := range names {
		name, nodes, _ := strings.Cut(name, "=")
		fmt.Fprintf(&spec, "  - {name: %s, nodes: %q}\n", name, nodes)
	}
	return spec.String()
}

func nodes(p *netplan.Plan) map[string]string {
	result := map[string]string{}
	for _, shoot := range p.Shoots {
		result[shoot.Name] = text(shoot.Nodes)
	}
	return result
}

func TestShootsKeepTheirNodes(t *testing.T) {
	before := nodes(mustPlan(t, shoots("a", "b", "c")))
	after := nodes(mustPlan(t, shoots("a", "b", "c", "d", "e")))
	for name, want := range before {
		if after[name] != want {
			t.Errorf("shoot %s moved from %s to %s when others were appended", name, want, after[name])
		}
	}
	around := nodes(mustPlan(t, shoots("a", "b=10.0.16.0/20", "c", "d=10.0.32.0/19")))
	if diff := cmp.Diff(map[string]string{"a": "10.0.0.0/20", "b": "10.0.16.0/20", "c": "10.0.64.0/20", "d": "10.0.32.0/19"}, around); diff != "" {
		t.Errorf("given nodes are not spared:\n%s", diff)
	}
}

func TestShootTooMany(t *testing.T) {
	names := make([]string, 17)
	for i := range names {
		names[i] = fmt.Sprintf("s%d", i)
	}
	mustPlan(t, shoots(names[:16]...))
	_, err := plan(t, shoots(names...))
	exhausted, ok := errors.AsType[*netplan.ExhaustedError](err)
	if !ok || exhausted.Shoot != "garden-local/s16" || exhausted.Capacity != 16 || exhausted.Field != "spec.shoots[16].nodes" {
		t.Errorf("error %v", err)
	}
}

func TestRules(t *testing.T) {
	for name, test := range map[string]struct {
		spec string
		want []string // "rule: A and B in overlap" of each violation
	}{
		"the defaults break none":                 {"  gardener: {version: v1.149.0}", nil},
		"the defaults of v1.96 break none":        {"  gardener: {version: v1.96.0}", nil},
		"the defaults of v1.93 break none":        {"  gardener: {version: v1.93.0}", nil},
		"the defaults of dual stack break none":   {"  ipFamilies: [IPv6, IPv4]", nil},
		"seed pods that are the pod CIDR":         {"  networks: {ipv4: {seedPods: 10.0.0.0/15}}", []string{"split: seed pods and machines in 10.0.0.0/16", "shoot-seed: nodes of shoot garden-local/local and seed pods in 10.0.0.0/20", "pools: pool default-ipv4-ippool and pool machine-pods-ipv4 in 10.0.0.0/16"}},
		"machines outside the pod CIDR":           {"  networks: {ipv4: {machines: 10.10.0.0/16}}", []string{"split: machines and pod CIDR in -", "provider-local: nodes of shoot garden-local/local and range that provider-local admits in -"}},
		"services inside the pod CIDR":            {"  networks: {ipv4: {services: 10.1.128.0/17}}", []string{"cluster-ranges: pod CIDR and seed services in 10.1.128.0/17"}},
		"load balancers in the container network": {"  networks: {ipv4: {container: 172.18.0.0/16}}", []string{"cluster-ranges: container network and load-balancer range in 172.18.255.0/24"}},
		"a pod CIDR that kubeadm refuses":         {"  networks: {ipv4: {pods: 10.0.0.0/25}}", []string{"pod-cidr-size: pod CIDR and  in -"}},
		"nodes outside machines":                  {"  shoots: [{name: a, nodes: 10.9.0.0/16}]", []string{"nodes-inside-machines: nodes of shoot garden-local/a and machines in -", "provider-local: nodes of shoot garden-local/a and range that provider-local admits in -"}},
		"two shoots with the same nodes":          {"  shoots: [{name: a, nodes: 10.0.0.0/20}, {name: b, nodes: 10.0.0.0/21}]", []string{"shoot-nodes: nodes of shoot garden-local/a and nodes of shoot garden-local/b in 10.0.0.0/21"}},
		"shoot pods in seed pods":                 {"  networks: {ipv4: {shootPods: 10.1.0.0/17}}", []string{"shoot-seed: pods of shoot garden-local/local and seed pods in 10.1.0.0/17"}},
		"shoot pods and services overlap":         {"  networks: {ipv4: {shootServices: 10.3.128.0/17}}", []string{"shoot-ranges: pods of shoot garden-local/local and services of shoot garden-local/local in 10.3.128.0/17"}},
		"a range that the VPN maps into":          {"  networks: {ipv4: {shootServices: 243.1.0.0/16}}", []string{"reserved-ranges: shoot services and mapped shoot services in 243.1.0.0/16"}},
		"the old VPN's transfer network":          {"  gardener: {version: v1.96.0}\n  networks: {ipv4: {shootPods: 192.168.0.0/16}}", []string{"reserved-ranges: shoot pods and VPN transfer network in 192.168.123.0/24"}},
		"a machine pool smaller than its block":   {"  networks: {ipv4: {machines: 10.0.240.0/28}}", []string{"pools: pool machine-pods-ipv4 and  in -"}},
		"a block size that Calico refuses":        {"  calico: {machinePool: {blockSizeIPv4: 33}}", []string{"pools: pool machine-pods-ipv4 and  in -"}},
		"an HA shoot with IPv6 and the old VPN":   {"  gardener: {version: v1.115.0}\n  ipFamilies: [IPv6]\n  shoots: [{name: a, failureTolerance: node}]", []string{"families: shoot garden-local/a and  in -"}},
	} {
		t.Run(name, func(t *testing.T) {
			var have []string
			for _, finding := range netplan.WithLevel(netplan.Check(mustPlan(t, test.spec).Subject(v1alpha1.EncapsulationIPIP), netplan.ModeStrict), netplan.LevelViolation) {
				overlap := "-"
				if finding.Overlap.IsValid() {
					overlap = finding.Overlap.String()
				}
				have = append(have, fmt.Sprintf("%s: %s and %s in %s", finding.Rule, finding.A.Name, finding.B.Name, overlap))
				if finding.Remedy == "" || finding.A.Where == "" {
					t.Errorf("no remedy or place: %+v", finding)
				}
			}
			if diff := cmp.Diff(test.want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEveryRuleHasItsSay holds that there is no rule that never compares anything.
func TestEveryRuleHasItsSay(t *testing.T) {
	subject := mustPlan(t, "  gardener: {version: v1.149.0}\n  ipFamilies: [IPv4, IPv6]\n  shoots: [{name: a}, {name: b}]").Subject(v1alpha1.EncapsulationVXLAN)
	subject.Host = []netplan.HostRange{{Range: netplan.Range{Name: "network other", Prefix: netip.MustParsePrefix("172.18.0.0/16")}, EngineNetwork: true}}
	subject.Layout = v1alpha1.LayoutSplit
	said := map[string]bool{"fault-visible": true} // says something about Legacy and Plain only; see below
	for _, mode := range []netplan.Mode{netplan.ModeStrict, netplan.ModeGardener} {
		for _, finding := range netplan.Check(subject, mode) {
			said[finding.Rule] = true
		}
	}
	for _, rule := range netplan.Rules() {
		if !said[rule.Name] {
			t.Errorf("rule %s compared nothing", rule.Name)
		}
	}
}

func TestFaultIsCalledByItsName(t *testing.T) {
	for name, spec := range map[string]string{
		"the layout Legacy":        "  gardener: {version: v1.93.0}",
		"the network plugin Plain": "  networkPlugin: Plain",
	} {
		t.Run(name, func(t *testing.T) {
			findings := netplan.WithLevel(netplan.Check(mustPlan(t, spec).Subject(v1alpha1.EncapsulationIPIP), netplan.ModeStrict), netplan.LevelWarning)
			for _, finding := range findings {
				if finding.Rule == "fault-visible" && strings.Contains(finding.Text, "a broken VPN is not seen") {
					return
				}
			}
			t.Errorf("nothing said: %v", findings)
		})
	}
}
