// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
)

func FuzzIntersectionIsSymmetric(f *testing.F) {
	f.Add([]byte{10, 0, 0, 0}, 8, []byte{10, 1, 0, 0}, 16)
	f.Add([]byte{10, 0, 0, 0}, 33, make([]byte, 16), 0)
	f.Fuzz(func(t *testing.T, a []byte, aBits int, b []byte, bBits int) {
		p, q := prefix(a, aBits), prefix(b, bBits)
		one, oneOK := netplan.Intersection(p, q)
		two, twoOK := netplan.Intersection(q, p)
		if one != two || oneOK != twoOK {
			t.Fatalf("%v and %v: %v, %v", p, q, one, two)
		}
		if oneOK && (!netplan.Contains(p.Masked(), one) || !netplan.Contains(q.Masked(), one)) {
			t.Fatalf("%v is not in both %v and %v", one, p, q)
		}
	})
}

func FuzzSplitHalves(f *testing.F) {
	f.Add([]byte{10, 0, 0, 0}, 15)
	f.Add(make([]byte, 16), 48)
	f.Add([]byte{255, 255, 255, 255}, 32)
	f.Fuzz(func(t *testing.T, address []byte, bits int) {
		pods := prefix(address, bits)
		seedPods, machines := netplan.Split(pods)
		if !seedPods.IsValid() && !machines.IsValid() {
			if pods.IsValid() && pods.Bits() < pods.Addr().BitLen() {
				t.Fatalf("%v was not split", pods)
			}
			return
		}
		if seedPods.Overlaps(machines) {
			t.Fatalf("%v: %v and %v overlap", pods, seedPods, machines)
		}
		for _, half := range []netip.Prefix{seedPods, machines} {
			if half != half.Masked() || !netplan.Contains(pods.Masked(), half) {
				t.Fatalf("%v: %v is not a range inside", pods, half)
			}
		}
	})
}

func prefix(address []byte, bits int) netip.Prefix {
	addr, ok := netip.AddrFromSlice(address)
	if !ok {
		return netip.Prefix{}
	}
	return netip.PrefixFrom(addr, bits)
}

// FuzzPlan plans environments with ranges of any size and holds them to all rules.
func FuzzPlan(f *testing.F) {
	f.Add("10.0.0.0/15", "", "10.0.0.0/16", "10.0.0.0/20", 20)
	f.Add("0.0.0.0/1", "255.255.255.255/32", "128.0.0.0/1", "", 1)
	f.Add("10.0.0.0/31", "", "", "", 32)
	f.Fuzz(func(_ *testing.T, pods, seedPods, machines, nodes string, bits int) {
		env := &v1alpha1.Environment{Metadata: v1alpha1.Metadata{Name: "fuzz"}}
		env.Spec.Networks.IPv4 = v1alpha1.FamilyNetworks{Pods: pods, SeedPods: seedPods, Machines: machines, ShootNodesPrefixLength: bits}
		env.Spec.Shoots = []v1alpha1.Shoot{{Name: "a", Nodes: nodes}, {Name: "b"}}
		v1alpha1.SetDefaults(env)
		if len(v1alpha1.Validate(env)) > 0 {
			return
		}
		p, err := netplan.New(env)
		if err != nil {
			return
		}
		for _, mode := range []netplan.Mode{netplan.ModeStrict, netplan.ModeGardener} {
			netplan.Check(p.Subject(v1alpha1.EncapsulationIPIP), mode)
		}
	})
}

// large returns an environment of many shoots over many seeds.
func large(seeds, shoots int) *v1alpha1.Environment {
	env := &v1alpha1.Environment{Metadata: v1alpha1.Metadata{Name: "large"}}
	env.Spec.Networks.IPv4 = v1alpha1.FamilyNetworks{
		Pods: "10.0.0.0/9", SeedPods: "10.64.0.0/10", Machines: "10.0.0.0/10", Services: "10.128.0.0/16",
		ShootPods: "10.129.0.0/16", ShootServices: "10.130.0.0/16", ShootNodesPrefixLength: 24,
	}
	for i := range seeds {
		env.Spec.Clusters = append(env.Spec.Clusters, v1alpha1.Cluster{Name: fmt.Sprintf("seed-%d", i)})
	}
	for i := range shoots {
		env.Spec.Shoots = append(env.Spec.Shoots, v1alpha1.Shoot{Name: fmt.Sprintf("shoot-%d", i), Seed: fmt.Sprintf("seed-%d", i%seeds)})
	}
	v1alpha1.SetDefaults(env)
	return env
}

// BenchmarkPlan plans and checks: its time grows with the number of shoots, not with its square.
func BenchmarkPlan(b *testing.B) {
	for _, shoots := range []int{1000, 2000, 4000} {
		b.Run(fmt.Sprintf("100 seeds, %d shoots", shoots), func(b *testing.B) {
			env := large(100, shoots)
			for b.Loop() {
				p, err := netplan.New(env)
				if err != nil {
					b.Fatal(err)
				}
				netplan.Check(p.Subject(v1alpha1.EncapsulationIPIP), netplan.ModeStrict)
			}
		})
	}
}

// TestFindingsGrowWithShoots holds that comparisons are not made of each shoot with each.
func TestFindingsGrowWithShoots(t *testing.T) {
	count := func(shoots int) int {
		p, err := netplan.New(large(10, shoots))
		if err != nil {
			t.Fatal(err)
		}
		return len(netplan.Check(p.Subject(v1alpha1.EncapsulationIPIP), netplan.ModeStrict))
	}
	if small, twice := count(500), count(1000); twice > 2*small+100 {
		t.Errorf("%d comparisons for 500 shoots, %d for 1000", small, twice)
	}
	if strings.Contains(fmt.Sprint(netplan.Check(mustPlan(t, "  ipFamilies: [IPv4]").Subject(v1alpha1.EncapsulationIPIP), netplan.ModeStrict)), "invalid Prefix and") {
		t.Error("ranges that are not set were compared")
	}
}
