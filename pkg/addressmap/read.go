// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package addressmap

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/podroutes"
)

// MachineSelector chooses the pods that are machines.
const MachineSelector = podroutes.MachineLabel + "=" + podroutes.MachineValue

// Read returns what objects say. A field that is not there, or no address, is left out: objects may be half-made.
func Read(cluster string, objects Objects) *Map {
	m := &Map{Cluster: cluster}
	for _, object := range objects.Nodes {
		m.Nodes = append(m.Nodes, readNode(object.Object, object.GetName()))
	}
	m.readPools(objects.Pools, objects.Blocks)
	for _, object := range objects.Pods {
		if object.GetLabels()[podroutes.MachineLabel] == podroutes.MachineValue {
			m.Machines = append(m.Machines, m.readMachine(object))
		}
	}
	for _, object := range objects.Shoots {
		m.Shoots = append(m.Shoots, readShoot(object.Object))
	}
	for _, object := range objects.Copies {
		inner, _, _ := unstructured.NestedMap(object.Object, "spec", "shoot")
		shoot := readShoot(inner)
		shoot.TechnicalID = object.GetName()
		same := func(other Shoot) bool { return other.Namespace == shoot.Namespace && other.Name == shoot.Name }
		if shoot.Name != "" && !slices.ContainsFunc(m.Shoots, same) {
			m.Shoots = append(m.Shoots, shoot)
		}
	}
	return m
}

func readNode(object map[string]any, name string) Node {
	node := Node{Name: name}
	addresses, _, _ := unstructured.NestedSlice(object, "status", "addresses")
	for _, one := range addresses {
		if entry, ok := one.(map[string]any); ok && entry["type"] == "InternalIP" {
			node.Addresses = appendAddress(node.Addresses, entry["address"])
		}
	}
	cidrs, _, _ := unstructured.NestedStringSlice(object, "spec", "podCIDRs")
	for _, cidr := range cidrs {
		if prefix, err := netip.ParsePrefix(cidr); err == nil {
			node.PodCIDRs = append(node.PodCIDRs, prefix)
		}
	}
	return node
}

func appendAddress(list []netip.Addr, text any) []netip.Addr {
	if text, ok := text.(string); ok {
		if address, err := netip.ParseAddr(text); err == nil {
			return append(list, address)
		}
	}
	return list
}

// readPools counts blocks by pool and node. Blocks outside all pools are of a pool without a name.
func (m *Map) readPools(pools, blocks []unstructured.Unstructured) {
	for _, object := range pools {
		pool := Pool{Name: object.GetName(), CIDR: prefixAt(object.Object, "spec", "cidr")}
		pool.Disabled, _, _ = unstructured.NestedBool(object.Object, "spec", "disabled")
		m.Pools = append(m.Pools, pool)
	}
	for _, object := range blocks {
		deleted, _, _ := unstructured.NestedBool(object.Object, "spec", "deleted")
		cidr := prefixAt(object.Object, "spec", "cidr")
		if deleted || !cidr.IsValid() {
			continue
		}
		pool := m.poolOf(cidr.Addr())
		if pool == nil {
			m.Pools = append(m.Pools, Pool{CIDR: cidr})
			pool = &m.Pools[len(m.Pools)-1]
		}
		pool.count(object.Object)
	}
	for _, pool := range m.Pools {
		slices.SortFunc(pool.Nodes, func(a, b Usage) int { return cmp.Compare(a.Node, b.Node) })
	}
}

func (p *Pool) count(block map[string]any) {
	affinity, _, _ := unstructured.NestedString(block, "spec", "affinity")
	node, isHost := strings.CutPrefix(affinity, "host:")
	if !isHost {
		node = ""
	}
	i := slices.IndexFunc(p.Nodes, func(usage Usage) bool { return usage.Node == node })
	if i < 0 {
		p.Nodes, i = append(p.Nodes, Usage{Node: node}), len(p.Nodes)
	}
	usage := &p.Nodes[i]
	usage.Blocks++
	allocations, _, _ := unstructured.NestedSlice(block, "spec", "allocations")
	for _, allocation := range allocations {
		if allocation == nil {
			usage.Free++
		} else {
			usage.Used++
		}
	}
}

// poolOf returns the smallest pool with the address; nil when there is none.
func (m *Map) poolOf(address netip.Addr) *Pool {
	var found *Pool
	for i := range m.Pools {
		pool := &m.Pools[i]
		if pool.CIDR.Contains(address) && (found == nil || pool.CIDR.Bits() > found.CIDR.Bits()) {
			found = pool
		}
	}
	return found
}

func (m *Map) readMachine(object unstructured.Unstructured) Machine {
	machine := Machine{Namespace: object.GetNamespace(), Name: object.GetName()}
	machine.Node, _, _ = unstructured.NestedString(object.Object, "spec", "nodeName")
	addresses, _, _ := unstructured.NestedSlice(object.Object, "status", "podIPs")
	for _, one := range addresses {
		if entry, ok := one.(map[string]any); ok {
			machine.Addresses = appendAddress(machine.Addresses, entry["ip"])
		}
	}
	for _, address := range machine.Addresses {
		if pool := m.poolOf(address); pool != nil && pool.Name != "" {
			machine.Pools = append(machine.Pools, pool.Name)
		}
	}
	return machine
}

func readShoot(object map[string]any) Shoot {
	shoot := Shoot{Nodes: prefixAt(object, "spec", "networking", "nodes")}
	shoot.Namespace, _, _ = unstructured.NestedString(object, "metadata", "namespace")
	shoot.Name, _, _ = unstructured.NestedString(object, "metadata", "name")
	shoot.TechnicalID, _, _ = unstructured.NestedString(object, "status", "technicalID")
	workers, _, _ := unstructured.NestedSlice(object, "spec", "provider", "workers")
	shoot.Workerless = len(workers) == 0
	return shoot
}

func prefixAt(object map[string]any, fields ...string) netip.Prefix {
	text, _, _ := unstructured.NestedString(object, fields...)
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}
	}
	return prefix.Masked()
}
