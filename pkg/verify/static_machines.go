// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// machinePods holds addresses of machines to the ranges, and asks that they name a pool.
func machinePods(f *Facts) Result {
	r := f.finding(MachinePods, "")
	for i := range f.Machines {
		pod := &f.Machines[i]
		if f.PoolsServed && !namesPool(pod) {
			r.against(Failed, CureSplit, podName(pod), "names no pool in its annotations")
		}
		for _, address := range Addresses(pod) {
			inSeed, isSeed := holding(f.Seed.Networks.Pods, address)
			_, isNode := holding(f.Shoot.Networks.Nodes, address)
			switch {
			case isSeed:
				r.against(Failed, CureSplit, podName(pod), "%s is an address of seed pods, %s", address, inSeed)
			case !isNode && ofFamily(f.Shoot.Networks.Nodes, address):
				r.against(Failed, CureNodes, podName(pod), "%s is outside nodes %s", address, list(f.Shoot.Networks.Nodes))
			default:
				r.see(podName(pod), "%s", address)
			}
		}
	}
	r.Text = fmt.Sprintf("%d machines", len(f.Machines))
	if r.Status == Failed {
		r.Text = "addresses of machines, or what they name as their pool, are not as they should be"
	}
	return r.Result
}

func machineAge(f *Facts) Result {
	pools := f.machinePools()
	if len(pools) == 0 {
		return skipped(MachineAge, "there is no pool of machines to be older than")
	}
	r := f.finding(MachineAge, "all machines are younger than the pool")
	for i := range f.Machines {
		pod := &f.Machines[i]
		for _, pool := range pools {
			inPool := slices.ContainsFunc(Addresses(pod), pool.CIDR.Contains)
			if pod.CreationTimestamp.Time.Before(pool.Created) && !inPool {
				r.Text = "machines were made before their pool, and need to be made anew"
				r.against(Failed, CureSplit, podName(pod), "made %s, pool %s is of %s", stamp(pod.CreationTimestamp.Time), pool.Name, stamp(pool.Created))
			}
		}
	}
	return r.Result
}

// nodeAddress holds nodes of the shoot to the machine pods of the same name or address.
func nodeAddress(f *Facts) Result {
	r := f.finding(NodeAddress, fmt.Sprintf("%d nodes", len(f.Nodes)))
	for i := range f.Nodes {
		node := &f.Nodes[i]
		for _, status := range node.Status.Addresses {
			if status.Type != corev1.NodeInternalIP {
				continue
			}
			if pod := f.machineWith(status.Address); pod != nil {
				r.see("Node "+node.Name, "%s is %s", status.Address, podName(pod))
			} else {
				r.Text = "a node's address is not that of its machine"
				r.against(Failed, "", "Node "+node.Name, "%s is the address of no machine pod", status.Address)
			}
		}
	}
	if len(f.Nodes) == 0 {
		r.Text = "the shoot has no nodes"
		r.against(Failed, "", "Shoot "+f.Shoot.String(), "no machine has joined")
	}
	return r.Result
}

func (f *Facts) machineWith(text string) *corev1.Pod {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(f.Machines, func(pod corev1.Pod) bool { return slices.Contains(Addresses(&pod), address) })
	if i < 0 {
		return nil
	}
	return &f.Machines[i]
}
