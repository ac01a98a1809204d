// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package gardener

// Feature is a change of Gardener that an environment has to follow. Its value is the minor version of the first release
// with that change, as read from the files of each release.
type Feature uint

// The changes, in the order of the releases that brought them.
const (
	// MachinePools: provider-local makes one Calico pool per shoot and requires nodes (gardener/gardener#9752).
	MachinePools Feature = 96
	// ServingCertificates: kubelets of the kind nodes ask for serving certificates, as in Gardener's own local setup.
	ServingCertificates Feature = 96
	// CloudProfileReference: shoots name their CloudProfile by spec.cloudProfile (gardener/gardener#10093).
	CloudProfileReference Feature = 101
	// LoadBalancerRange: what is published on the engine's host has addresses in 172.18.255.0/24, no more in 127.0.0.0/8
	// (gardener/gardener#10019).
	LoadBalancerRange Feature = 101
	// WideVPNTransferIPv6: the IPv6 transfer network of the VPN grew from /120 to /96.
	WideVPNTransferIPv6 Feature = 104
	// ReservedKubernetesService: 240.0.0.0/8 is reserved (gardener/gardener#10949).
	ReservedKubernetesService Feature = 111
	// VPNByDefault: the VPN written in Go, with an IPv6 transfer network and high availability for IPv6. From v1.104 on it can be had by
	// the feature gate NewVPN, which is on by default from here and gone with NewVPN.
	VPNByDefault Feature = 115
	// NewVPN: no IPv4 transfer network any more, and high availability with IPv6 (gardener/gardener#11714).
	NewVPN Feature = 116
	// OverlapWithoutHA: IPv4 ranges of shoots without high availability may overlap with the seed's (gardener/gardener#11582).
	OverlapWithoutHA Feature = 117
	// MappedRanges: 241.0.0.0/8 to 244.0.0.0/8 are reserved for the VPN's address mapping (gardener/gardener#11582).
	MappedRanges Feature = 117
	// BackupCredentials: Seed.spec.backup has credentialsRef, beside secretRef until BackupCredentialsOnly.
	BackupCredentials Feature = 118
	// BackupCredentialsOnly: Seed.spec.backup has no secretRef any more.
	BackupCredentialsOnly Feature = 122
	// OverlapWithHA: as OverlapWithoutHA, for highly available control planes too (gardener/gardener#12204).
	OverlapWithHA Feature = 124
	// SeedExtension: provider-local registers an extension for seeds that local seeds enable.
	SeedExtension Feature = 126
	// InternalDomain: Seed.spec.dns.internal.
	InternalDomain Feature = 127
	// SplitPodCIDR: machines lie inside the pod CIDR, and provider-local admits no other nodes (gardener/gardener#12873).
	SplitPodCIDR Feature = 128
	// NodeCapacityPolicy: nodes report more than they have by an admission policy of the kind cluster. Before, provider-local has a
	// webhook for it (gardener/gardener#13100).
	NodeCapacityPolicy Feature = 130
	// DefaultDomains: Seed.spec.dns.defaults.
	DefaultDomains Feature = 131
	// CredentialsBindings: shoots name their credentials by spec.credentialsBindingName (gardener/gardener#12883).
	CredentialsBindings Feature = 132
	// RegistryOutside: registry and caches are containers beside the clusters. Before, they are pods of the garden's cluster
	// (gardener/gardener#13551).
	RegistryOutside Feature = 134
	// VirtualGardenOnHost: the virtual garden's names are those of an address of the engine's host. Before, they are the control-plane node's.
	VirtualGardenOnHost Feature = 134
	// DNSCredentials: Seed.spec.dns.provider has credentialsRef instead of secretRef.
	DNSCredentials Feature = 135
	// DNSServer: the names of the local setup are those of a server beside the clusters, which DNSRecords are written to. Before, they are
	// entries in the nodes and in CoreDNS (gardener/gardener#14062).
	DNSServer Feature = 138
	// RuntimeKubeconfig: the kubeconfig of the garden's cluster is in dev-setup/kubeconfigs/runtime.
	RuntimeKubeconfig Feature = 138
	// LoadBalancerRangeIPv6: as LoadBalancerRange, in fd00:ff::/120.
	LoadBalancerRangeIPv6 Feature = 138
	// LoadBalancerContainers: each load balancer is a container that publishes its ports on an address of its own; the nodes have the engine's
	// socket for it (gardener/gardener#14415).
	LoadBalancerContainers Feature = 141
	// GardenletResource: a seed is made by a Gardenlet resource, no more by Helm values (gardener/gardener#14614).
	GardenletResource Feature = 142
	// IstioTLSTerminationGraduated: the feature gate IstioTLSTermination is gone.
	IstioTLSTerminationGraduated Feature = 144
	// HTTPProxyPortRemovable: the feature gates RemoveHTTPProxyLegacyPort and UpgradeEtcdVersion exist.
	HTTPProxyPortRemovable Feature = 148
	// NginxIngressGraduated: the feature gate DisableNginxIngressInSeed is gone.
	NginxIngressGraduated Feature = 149
)

// Features returns the features by name, for templates.
func Features() map[string]Feature {
	return map[string]Feature{
		"BackupCredentials":            BackupCredentials,
		"BackupCredentialsOnly":        BackupCredentialsOnly,
		"CloudProfileReference":        CloudProfileReference,
		"CredentialsBindings":          CredentialsBindings,
		"DefaultDomains":               DefaultDomains,
		"DNSCredentials":               DNSCredentials,
		"HTTPProxyPortRemovable":       HTTPProxyPortRemovable,
		"InternalDomain":               InternalDomain,
		"IstioTLSTerminationGraduated": IstioTLSTerminationGraduated,
		"NginxIngressGraduated":        NginxIngressGraduated,
		"SeedExtension":                SeedExtension,
		"ServingCertificates":          ServingCertificates,
		"SplitPodCIDR":                 SplitPodCIDR,
	}
}
