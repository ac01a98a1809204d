// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"strings"

	"github.com/gardener/kindling/pkg/calico/ippool"
	"github.com/gardener/kindling/pkg/gardener"
)

// DefaultCalicoVersion is the version that Gardener's local setup uses at v1.149.
const DefaultCalicoVersion = "v3.32.1"

// SetDefaults fills everything but the networks, which follow from layout and pod CIDR in the plan.
func SetDefaults(env *Environment) {
	spec := &env.Spec
	setDefault(&spec.Gardener.Version, gardener.DefaultVersion)
	setDefault(&spec.NetworkPlugin, NetworkPluginCalico)
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []IPFamily{IPv4}
	}
	version, err := gardener.Parse(spec.Gardener.Version)
	if err != nil {
		return // validation says so; nothing below has a meaning
	}
	setDefault(&spec.Layout, layoutOf(version))
	setDefault(&spec.NodeImage, version.NodeImage())
	defaultCalico(&spec.Calico, spec.Layout)
	defaultHost(spec, version)
	if len(spec.Clusters) == 0 {
		spec.Clusters = []Cluster{{Name: "gardener-local"}}
	}
	setDefault(&spec.Gardener.Cluster, spec.Clusters[0].Name)
	for i := range spec.Clusters {
		defaultCluster(&spec.Clusters[i], spec.NodeImage)
		defaultParts(&spec.Clusters[i], spec.Gardener.Cluster, version)
	}
	if spec.Shoots == nil {
		spec.Shoots = []Shoot{{Name: "local"}}
	}
	for i := range spec.Shoots {
		defaultShoot(&spec.Shoots[i], spec)
	}
}

// layoutOf returns the layout of Gardener's own local setup at a version.
func layoutOf(version gardener.Version) Layout {
	switch {
	case version.Has(gardener.SplitPodCIDR):
		return LayoutSplit
	case version.Has(gardener.MachinePools):
		return LayoutOutside
	default:
		return LayoutLegacy
	}
}

func defaultCalico(calico *Calico, layout Layout) {
	setDefault(&calico.Version, DefaultCalicoVersion)
	setDefault(&calico.Encapsulation, EncapsulationAuto)
	setDefault(&calico.MachinePool.Owner, OwnerKindling)
	setDefault(&calico.MachinePool.BlockSizeIPv4, ippool.DefaultBlockSizeIPv4)
	setDefault(&calico.MachinePool.BlockSizeIPv6, ippool.DefaultBlockSizeIPv6)
	if calico.MachinePool.Guard == nil {
		// The layout Legacy reproduces the fault that the guard forbids.
		calico.MachinePool.Guard = new(layout != LayoutLegacy)
	}
}

// Images of Gardener's local setup at v1.149 (dev-setup/infra/docker-compose.yaml, dev-setup/kind/metrics-server).
const (
	defaultRegistryImage      = "europe-docker.pkg.dev/gardener-project/releases/3rd/registry:3.1.1"
	defaultDNSImage           = "europe-docker.pkg.dev/gardener-project/releases/3rd/ubuntu/bind9:9.18-24.04_beta"
	defaultMetricsServerImage = "registry.k8s.io/metrics-server/metrics-server:v0.9.0"
)

// defaultHost fills what stands beside the clusters.
func defaultHost(spec *EnvironmentSpec, version gardener.Version) {
	for _, enabled := range []**bool{&spec.Registry.Enabled, &spec.DNS.Enabled, &spec.DNS.HostResolver, &spec.Loopback.Enabled} {
		if *enabled == nil {
			*enabled = new(!spec.ClustersOnly)
		}
	}
	if spec.MetricsServer.Enabled == nil {
		spec.MetricsServer.Enabled = new(true)
	}
	setDefault(&spec.Registry.Image, defaultRegistryImage)
	setDefault(&spec.Registry.Port, version.RegistryPort())
	setDefault(&spec.DNS.Image, defaultDNSImage)
	setDefault(&spec.MetricsServer.Image, defaultMetricsServerImage)
	if spec.Registry.Caches == nil {
		for _, host := range []string{"gcr.io", "registry.k8s.io", "quay.io", "europe-docker.pkg.dev"} {
			spec.Registry.Caches = append(spec.Registry.Caches, RegistryCache{Host: host})
		}
	}
	for i := range spec.Registry.Caches {
		setDefault(&spec.Registry.Caches[i].RemoteURL, DefaultRemoteURL(spec.Registry.Caches[i].Host))
	}
}

// DefaultRemoteURL is where the images of a host come from. Docker Hub has another name than the one that is written in them.
func DefaultRemoteURL(host string) string {
	if host == "docker.io" {
		host = "registry-1.docker.io"
	}
	return "https://" + host
}

func defaultCluster(cluster *Cluster, nodeImage string) {
	setDefault(&cluster.Seed, strings.TrimPrefix(cluster.Name, "gardener-"))
	setDefault(&cluster.NodeImage, nodeImage)
	if len(cluster.Nodes) == 0 {
		cluster.Nodes = []Node{{Role: "control-plane"}}
	}
	for i := range cluster.Nodes {
		setDefault(&cluster.Nodes[i].Zone, "0")
	}
}

// defaultParts are those of Gardener's local setup.
func defaultParts(cluster *Cluster, garden string, version gardener.Version) {
	if cluster.Parts != nil {
		return
	}
	cluster.Parts = []Part{PartSeed, PartBackupBucket}
	switch {
	case cluster.Name != garden:
	case version.Has(gardener.GardenletResource):
		cluster.Parts = append([]Part{PartGarden}, cluster.Parts...)
	default:
		cluster.Parts = append([]Part{PartControlPlane}, cluster.Parts...)
	}
}

func defaultShoot(shoot *Shoot, spec *EnvironmentSpec) {
	setDefault(&shoot.Namespace, "garden-local")
	setDefault(&shoot.FailureTolerance, FailureToleranceNone)
	setDefault(&shoot.Seed, spec.Clusters[0].Seed)
	if shoot.IPFamily == "" {
		shoot.IPFamily = spec.IPFamilies[0]
		for _, family := range spec.IPFamilies {
			if family == IPv4 {
				shoot.IPFamily = IPv4
			}
		}
	}
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
