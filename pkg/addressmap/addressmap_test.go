// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package addressmap

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
)

type fields = map[string]any

func object(name string, content fields) unstructured.Unstructured {
	u := unstructured.Unstructured{Object: content}
	u.SetName(name)
	return u
}

func node(name, address, podCIDR string) unstructured.Unstructured {
	return object(name, fields{
		"spec":   fields{"podCIDRs": []any{podCIDR}},
		"status": fields{"addresses": []any{fields{"type": "InternalIP", "address": address}, fields{"type": "Hostname", "address": name}}},
	})
}

func pool(name, cidr string) unstructured.Unstructured {
	return object(name, fields{"spec": fields{"cidr": cidr}})
}

func block(cidr, affinity string, allocations ...any) unstructured.Unstructured {
	return object(cidr, fields{"spec": fields{"cidr": cidr, "affinity": affinity, "allocations": allocations}})
}

func machine(name, address string) unstructured.Unstructured {
	u := object(name, fields{"spec": fields{"nodeName": "n"}, "status": fields{"podIPs": []any{fields{"ip": address}}}})
	u.SetNamespace("shoot--local--local")
	u.SetLabels(map[string]string{"app": "machine"})
	return u
}

func shoot(name, nodes string) fields {
	return fields{
		"metadata": fields{"namespace": "garden-local", "name": name},
		"spec":     fields{"networking": fields{"nodes": nodes}, "provider": fields{"workers": []any{fields{}}}},
	}
}

// healthy is a cluster as the plan has it.
func healthy() Objects {
	return Objects{
		Nodes:  []unstructured.Unstructured{node("n", "172.18.0.2", "10.0.0.0/24")},
		Pools:  []unstructured.Unstructured{pool("default-ipv4-ippool", "10.1.0.0/16"), pool("machine-pods-ipv4", "10.0.0.0/16")},
		Blocks: []unstructured.Unstructured{block("10.0.0.0/30", "host:n", int64(0), nil, nil, nil), block("10.1.0.0/30", "host:n", nil, nil), block("10.1.0.4/30", "host:n", int64(0), int64(1))},
		Pods:   []unstructured.Unstructured{machine("machine-0", "10.0.0.7"), object("not-a-machine", fields{})},
		Shoots: []unstructured.Unstructured{{Object: shoot("local", "10.0.0.0/20")}},
		Copies: []unstructured.Unstructured{object("shoot--local--local", fields{"spec": fields{"shoot": shoot("local", "10.0.0.0/20")}})},
	}
}

func plan() *netplan.Plan {
	prefix := netip.MustParsePrefix
	return &netplan.Plan{
		Layout: v1alpha1.LayoutSplit, NetworkPlugin: v1alpha1.NetworkPluginCalico,
		Families: []netplan.Family{{
			IPFamily: v1alpha1.IPv4, Container: prefix("172.18.0.0/24"), Pods: prefix("10.0.0.0/15"), SeedPods: prefix("10.1.0.0/16"), Machines: prefix("10.0.0.0/16"),
		}},
		Shoots: []netplan.Shoot{{Namespace: "garden-local", Name: "local", Nodes: prefix("10.0.0.0/20")}},
		Pools:  []netplan.Pool{{Name: "default-ipv4-ippool", CIDR: prefix("10.1.0.0/16")}, {Name: "machine-pods-ipv4", CIDR: prefix("10.0.0.0/16"), Machines: true}},
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	m := Read("c", healthy())
	m.Compare(plan())
	want := []Table{
		{[]string{"NODE", "ADDRESSES", "POD CIDRS"}, [][]string{{"n", "172.18.0.2", "10.0.0.0/24"}}},
		{[]string{"POOL", "CIDR", "NODE", "BLOCKS", "USED", "FREE"}, [][]string{
			{"default-ipv4-ippool", "10.1.0.0/16", "all", "2", "2", "2"},
			{"", "", "n", "2", "2", "2"},
			{"machine-pods-ipv4", "10.0.0.0/16", "all", "1", "1", "3"},
			{"", "", "n", "1", "1", "3"},
		}},
		{[]string{"MACHINE", "ADDRESSES", "POOL", "NODE"}, [][]string{{"shoot--local--local/machine-0", "10.0.0.7", "machine-pods-ipv4", "n"}}},
		{[]string{"SHOOT", "NODES", "TECHNICAL ID"}, [][]string{{"garden-local/local", "10.0.0.0/20", ""}}},
	}
	if diff := cmp.Diff(want, m.Tables()); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
}

func TestDrift(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*Objects, *netplan.Plan)
		want   []Drift
	}{
		"a node in another network": {
			func(o *Objects, _ *netplan.Plan) { o.Nodes[0] = node("n", "172.19.0.2", "10.9.0.0/24") },
			[]Drift{
				{"Node n", "address 172.19.0.2 is outside of the container network 172.18.0.0/24"},
				{"Node n", "podCIDR 10.9.0.0/24 is outside of the pod CIDR 10.0.0.0/15"},
			},
		},
		"a family that is not planned": {
			func(o *Objects, _ *netplan.Plan) { o.Nodes[0] = node("n", "fd00::2", "10.0.0.0/24") },
			[]Drift{{"Node n", "address fd00::2 is outside of the container network, of which the plan has none in this family"}},
		},
		"a pool with another range": {
			func(o *Objects, _ *netplan.Plan) { o.Pools[1] = pool("machine-pods-ipv4", "10.0.0.0/17") },
			[]Drift{{"IPPool machine-pods-ipv4", "has 10.0.0.0/17, wanted 10.0.0.0/16"}},
		},
		"a pool is gone, its blocks are not": {
			func(o *Objects, _ *netplan.Plan) { o.Pools = o.Pools[:1] },
			[]Drift{{"IPPool machine-pods-ipv4", "is not there, wanted with 10.0.0.0/16"}, {"IPAMBlock 10.0.0.0/30", "is in no pool"}},
		},
		"a pool of provider-local with the same range": {
			func(o *Objects, _ *netplan.Plan) { o.Pools = append(o.Pools, pool("shoot", "10.0.0.0/16")) }, nil,
		},
		"a pool nested in another": {
			func(o *Objects, _ *netplan.Plan) { o.Pools = append(o.Pools, pool("shoot", "10.0.16.0/20")) },
			[]Drift{{"IPPool shoot", "10.0.16.0/20 overlaps with pool machine-pods-ipv4, 10.0.0.0/16: an address in both belongs to either"}},
		},
		"a machine with the address of a seed pod": {
			func(o *Objects, _ *netplan.Plan) { o.Pods[0] = machine("machine-0", "10.1.0.7") },
			[]Drift{{"Pod shoot--local--local/machine-0", "address 10.1.0.7 is outside of machines 10.0.0.0/16: kubelet is reached past the VPN"}},
		},
		"the same with Plain, which has no machines": {
			func(o *Objects, p *netplan.Plan) {
				o.Pods[0], p.NetworkPlugin = machine("machine-0", "10.1.0.7"), v1alpha1.NetworkPluginPlain
			}, nil,
		},
		"a shoot with other nodes": {
			func(o *Objects, _ *netplan.Plan) { o.Shoots[0].Object = shoot("local", "10.1.0.0/20") },
			[]Drift{
				{"Shoot garden-local/local", "nodes 10.1.0.0/20 are outside of machines 10.0.0.0/16"},
				{"Shoot garden-local/local", "nodes are 10.1.0.0/20, wanted 10.0.0.0/20"},
			},
		},
		"a shoot without nodes, known by its copy": {
			func(o *Objects, _ *netplan.Plan) {
				o.Shoots, o.Copies[0].Object["spec"] = nil, fields{"shoot": shoot("other", "")}
			},
			[]Drift{{"Shoot garden-local/other", "has no nodes (spec.networking.nodes): the VPN has no route to its machines"}},
		},
		"half-made objects": {
			func(o *Objects, _ *netplan.Plan) {
				o.Nodes[0] = object("n", fields{"status": fields{"addresses": []any{"x", fields{"type": "InternalIP", "address": int64(7)}}}})
				o.Pods[0] = object("machine-0", fields{"status": "x"})
				o.Blocks, o.Copies[0].Object["spec"] = append(o.Blocks, block("x", "")), "x"
				o.Pools = append(o.Pools, pool("x", ""))
			}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects, plan := healthy(), plan()
			test.change(&objects, plan)
			m := Read("c", objects)
			m.Compare(plan)
			if diff := cmp.Diff(test.want, m.Drift); diff != "" {
				t.Errorf("-want +have:\n%s", diff)
			}
		})
	}
}
