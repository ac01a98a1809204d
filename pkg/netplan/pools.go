// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"net/netip"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/calico/ippool"
	"github.com/gardener/kindling/pkg/gardener"
)

// Names of the pools that kindling makes. The first two are the names that calico-node would give its own.
const (
	DefaultPoolIPv4 = "default-ipv4-ippool"
	DefaultPoolIPv6 = "default-ipv6-ippool"
	MachinePoolIPv4 = "machine-pods-ipv4"
	MachinePoolIPv6 = "machine-pods-ipv6"
)

// Pool is a Calico IP pool as the plan has it. Its encapsulation is decided later, the same for all pools.
type Pool struct {
	Name     string            `json:"name"`
	IPFamily v1alpha1.IPFamily `json:"ipFamily"`
	CIDR     netip.Prefix      `json:"cidr"`
	// BlockSize is the prefix length of the blocks that nodes get.
	BlockSize int `json:"blockSize"`
	// Machines says that the pool is for machines: never chosen by itself, only by pods that name it.
	Machines bool `json:"machines"`
}

// pools returns the pools of a plan: none for the network plugin Plain, no machine pool where provider-local makes its own.
func pools(plan *Plan, calico v1alpha1.Calico) []Pool {
	if plan.NetworkPlugin != v1alpha1.NetworkPluginCalico {
		return nil
	}
	var result []Pool
	for _, family := range plan.Families {
		defaultName, machineName, defaultBlock, block := DefaultPoolIPv4, MachinePoolIPv4, ippool.DefaultBlockSizeIPv4, calico.MachinePool.BlockSizeIPv4
		if family.IPFamily == v1alpha1.IPv6 {
			defaultName, machineName, defaultBlock, block = DefaultPoolIPv6, MachinePoolIPv6, ippool.DefaultBlockSizeIPv6, calico.MachinePool.BlockSizeIPv6
		}
		result = append(result, Pool{Name: defaultName, IPFamily: family.IPFamily, CIDR: family.SeedPods, BlockSize: defaultBlock})
		if family.Machines.IsValid() && calico.MachinePool.Owner == v1alpha1.OwnerKindling {
			result = append(result, Pool{Name: machineName, IPFamily: family.IPFamily, CIDR: family.Machines, BlockSize: block, Machines: true})
		}
	}
	return result
}

// providerLocalNodes returns the ranges that provider-local admits as nodes since v1.128; they are compiled into it.
func providerLocalNodes(version gardener.Version) []netip.Prefix {
	if !version.Has(gardener.SplitPodCIDR) {
		return nil
	}
	return []netip.Prefix{netip.MustParsePrefix("10.0.0.0/16"), netip.MustParsePrefix("fd00:10:1:100::/56")}
}

// PoolAnnotation is the annotation by which a pod asks for pools of a family.
func PoolAnnotation(family v1alpha1.IPFamily) string {
	if family == v1alpha1.IPv6 {
		return "cni.projectcalico.org/ipv6pools"
	}
	return "cni.projectcalico.org/ipv4pools"
}
