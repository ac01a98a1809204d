// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Networks are the address ranges, by family.
type Networks struct {
	// IPv4 ranges.
	IPv4 FamilyNetworks `json:"ipv4,omitzero"`
	// IPv6 ranges.
	IPv6 FamilyNetworks `json:"ipv6,omitzero"`
}

// FamilyNetworks are the address ranges of one family, each a CIDR without host bits.
type FamilyNetworks struct {
	// Container is the engine's network `kind`, and Seed.spec.networks.nodes. Default: 172.18.0.0/24; fd00:10::/64.
	Container string `json:"container,omitempty"`
	// Pods is the pod CIDR: kind's networking.podSubnet. Default: 10.0.0.0/15; fd00:10:1::/48.
	Pods string `json:"pods,omitempty"`
	// SeedPods is Calico's default pool, and Seed.spec.networks.pods. Default: the upper half of the pod CIDR, 10.1.0.0/16; its
	// first /56, fd00:10:1::/56.
	SeedPods string `json:"seedPods,omitempty"`
	// Machines is Calico's machine pool; every Shoot.spec.networking.nodes lies in it. Default: the lower half of the pod CIDR,
	// 10.0.0.0/16; its second /56, fd00:10:1:100::/56.
	Machines string `json:"machines,omitempty"`
	// Services is kind's networking.serviceSubnet, and Seed.spec.networks.services. Default: 10.2.0.0/16; fd00:10:2::/112.
	Services string `json:"services,omitempty"`
	// ShootPods is Seed.spec.networks.shootDefaults.pods. Default: 10.3.0.0/16; fd00:10:3::/56.
	ShootPods string `json:"shootPods,omitempty"`
	// ShootServices is Seed.spec.networks.shootDefaults.services. Default: 10.4.0.0/16; fd00:10:4::/112.
	ShootServices string `json:"shootServices,omitempty"`
	// LoadBalancers are addresses on the loopback interface of the engine's host. Default: 172.18.255.0/24; fd00:ff::/120.
	LoadBalancers string `json:"loadBalancers,omitempty"`
	// ShootNodesPrefixLength is the size of the sub-range of machines that a shoot gets when it names no nodes. Default: 20; 64.
	ShootNodesPrefixLength int `json:"shootNodesPrefixLength,omitempty"`
}

// Family returns the ranges of a family.
func (n *Networks) Family(family IPFamily) FamilyNetworks {
	if family == IPv6 {
		return n.IPv6
	}
	return n.IPv4
}

// Calico settings.
type Calico struct {
	// Version such as v3.32.1. Default: the newest version whose manifest kindling has a checksum of.
	Version string `json:"version,omitempty"`
	// Manifest says where calico.yaml comes from. Default: the project's release of that version.
	Manifest Manifest `json:"manifest,omitzero"`
	// Encapsulation of both pools. Default: Auto.
	Encapsulation Encapsulation `json:"encapsulation,omitempty"`
	// MachinePool settings.
	MachinePool MachinePool `json:"machinePool,omitzero"`
}

// Manifest says where calico.yaml comes from: a URL with a checksum, or a file.
type Manifest struct {
	// URL starts with https://.
	URL string `json:"url,omitempty"`
	// Path of a file; a relative one counts from the environment file's folder.
	Path string `json:"path,omitempty"`
	// SHA256 of the file in hexadecimal. Required with a URL.
	SHA256 string `json:"sha256,omitempty"`
}

// Encapsulation of pod traffic between nodes.
type Encapsulation string

// The encapsulations.
const (
	// EncapsulationAuto asks the kernel of the engine's host: IPIP where it has it, else VXLANCrossSubnet.
	EncapsulationAuto Encapsulation = "Auto"
	// EncapsulationIPIP is what Gardener's provider-local uses for its own pools. IPv4 only: IPv6 pools are not encapsulated.
	EncapsulationIPIP Encapsulation = "IPIP"
	// EncapsulationVXLAN always encapsulates.
	EncapsulationVXLAN Encapsulation = "VXLAN"
	// EncapsulationVXLANCrossSubnet encapsulates only between subnets, so never in a kind cluster.
	EncapsulationVXLANCrossSubnet Encapsulation = "VXLANCrossSubnet"
)

// MachinePool settings.
type MachinePool struct {
	// Owner of the pool. Default: Kindling.
	Owner PoolOwner `json:"owner,omitempty"`
	// BlockSizeIPv4 is the prefix length of the blocks that nodes get, 20 to 32. Default: 26.
	BlockSizeIPv4 int `json:"blockSizeIPv4,omitempty"`
	// BlockSizeIPv6 is the same for IPv6, 116 to 128. Default: 122.
	BlockSizeIPv6 int `json:"blockSizeIPv6,omitempty"`
	// Guard forbids seed pods to reach kubelets of machines directly. Default: true, but for the layout Legacy.
	Guard *bool `json:"guard,omitempty"`
}

// PoolOwner says who makes Calico's pools for machines.
type PoolOwner string

// The owners.
const (
	// OwnerKindling makes one pool over the whole machines range.
	OwnerKindling PoolOwner = "Kindling"
	// OwnerProviderLocal leaves it to Gardener's provider-local, which makes one pool per shoot from v1.96 on.
	OwnerProviderLocal PoolOwner = "ProviderLocal"
)
