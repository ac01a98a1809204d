// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package addressmap

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
)

// Compare sets what is not as the plan has it.
func (m *Map) Compare(plan *netplan.Plan) {
	if m.Unknown != "" {
		return
	}
	c := comparison{Map: m, plan: plan}
	c.nodes()
	if plan.NetworkPlugin == v1alpha1.NetworkPluginCalico {
		c.planned()
		c.others()
		c.machines() // with Plain they get addresses of seed pods, as its notice says
	}
	c.shoots()
}

type comparison struct {
	*Map
	plan *netplan.Plan
}

func (c comparison) add(object, format string, args ...any) {
	c.Drift = append(c.Drift, Drift{object, fmt.Sprintf(format, args...)})
}

// family is the one of an address; without it, all its ranges are invalid and contain nothing.
func (c comparison) family(address netip.Addr) netplan.Family {
	family, _ := c.plan.Family(netplan.FamilyOf(netip.PrefixFrom(address, address.BitLen())))
	return family
}

func (c comparison) nodes() {
	for _, node := range c.Nodes {
		for _, address := range node.Addresses {
			if container := c.family(address).Container; !container.Contains(address) {
				c.add("Node "+node.Name, "address %s is outside of the container network%s", address, is(container))
			}
		}
		for _, cidr := range node.PodCIDRs {
			if pods := c.family(cidr.Addr()).Pods; !netplan.Contains(pods, cidr) {
				c.add("Node "+node.Name, "podCIDR %s is outside of the pod CIDR%s", cidr, is(pods))
			}
		}
	}
}

// planned looks for the pools of the plan.
func (c comparison) planned() {
	for _, want := range c.plan.Pools {
		i := slices.IndexFunc(c.Pools, func(pool Pool) bool { return pool.Name == want.Name })
		switch {
		case i < 0:
			c.add("IPPool "+want.Name, "is not there, wanted with %s", want.CIDR)
		case c.Pools[i].CIDR != want.CIDR:
			c.add("IPPool "+want.Name, "has %s, wanted %s", c.Pools[i].CIDR, want.CIDR)
		case c.Pools[i].Disabled:
			c.add("IPPool "+want.Name, "is disabled")
		}
	}
}

// others looks at pools that are not in the plan, such as those that provider-local makes for shoots, and at blocks of none.
func (c comparison) others() {
	for _, pool := range c.Pools {
		if pool.Name == "" {
			c.add("IPAMBlock "+pool.CIDR.String(), "is in no pool")
			continue
		}
		if slices.ContainsFunc(c.plan.Pools, func(want netplan.Pool) bool { return want.Name == pool.Name }) || !pool.CIDR.IsValid() {
			continue
		}
		family := c.family(pool.CIDR.Addr())
		if !netplan.Contains(family.Machines, pool.CIDR) {
			c.add("IPPool "+pool.Name, "%s is not in the plan, and outside of machines%s", pool.CIDR, is(family.Machines))
		}
		for _, want := range c.plan.Pools {
			if want.CIDR != pool.CIDR && want.CIDR.Overlaps(pool.CIDR) {
				c.add("IPPool "+pool.Name, "%s overlaps with pool %s, %s: an address in both belongs to either", pool.CIDR, want.Name, want.CIDR)
			}
		}
	}
}

func (c comparison) machines() {
	for _, machine := range c.Machines {
		for _, address := range machine.Addresses {
			if machines := c.family(address).Machines; machines.IsValid() && !machines.Contains(address) {
				c.add("Pod "+machine.Namespace+"/"+machine.Name, "address %s is outside of machines%s: kubelet is reached past the VPN", address, is(machines))
			}
		}
	}
}

func (c comparison) shoots() {
	for _, shoot := range c.Shoots {
		name := "Shoot " + shoot.Namespace + "/" + shoot.Name
		if !shoot.Nodes.IsValid() {
			if !shoot.Workerless && c.plan.Layout != v1alpha1.LayoutLegacy {
				c.add(name, "has no nodes (spec.networking.nodes): the VPN has no route to its machines")
			}
			continue
		}
		if machines := c.family(shoot.Nodes.Addr()).Machines; machines.IsValid() && !netplan.Contains(machines, shoot.Nodes) {
			c.add(name, "nodes %s are outside of machines%s", shoot.Nodes, is(machines))
		}
		for _, want := range c.plan.Shoots {
			if want.Namespace == shoot.Namespace && want.Name == shoot.Name && want.Nodes.IsValid() && want.Nodes != shoot.Nodes {
				c.add(name, "nodes are %s, wanted %s", shoot.Nodes, want.Nodes)
			}
		}
	}
}

// is adds a range in words; nothing for one that the plan does not have.
func is(prefix netip.Prefix) string {
	if !prefix.IsValid() {
		return ", of which the plan has none in this family"
	}
	return " " + prefix.String()
}
