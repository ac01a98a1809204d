// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package checkout

import (
	"path/filepath"
	"slices"

	"github.com/gardener/kindling/pkg/gardener"
)

// Kubeconfig is a kubeconfig that the Makefile of a checkout looks for.
type Kubeconfig struct {
	// Path is absolute.
	Path string
	// Internal is one with the address that the API server has in the container network, for pods.
	Internal bool
}

// Changes of where kubeconfigs are.
const (
	seedByOperator       gardener.Feature = 97
	renamedClusters      gardener.Feature = 123
	providerCredentials  gardener.Feature = 132
	credentialsOfProject gardener.Feature = 148
)

// place is where the kubeconfig of a cluster is from a version on until before another.
type place struct {
	since, until gardener.Feature
	cluster      string
	path         string
	internal     bool
}

// never is behind every version.
const never gardener.Feature = 1 << 31

// Folders of kubeconfigs.
const (
	kindDir      = "example/gardener-local/kind/"
	providerDir  = "example/provider-local/"
	seedsDir     = "dev-setup/gardenlet/components/kubeconfigs/"
	runtimesDir  = "dev-setup/kubeconfigs/"
	providersDir = "dev-setup/gardenconfig/components/credentials/"
)

// places is the table of KUBECONFIG, KIND_KUBECONFIG and their like in the Makefiles, and of what hack/kind-up.sh and dev-setup/kind.sh copy.
func places() []place {
	return []place{
		{0, gardener.GardenletResource, "gardener-local", kindDir + "local/kubeconfig", false},
		{0, gardener.GardenletResource, "gardener-local", providerDir + "seed-kind/base/kubeconfig", false},
		{0, gardener.GardenletResource, "gardener-local2", kindDir + "local2/kubeconfig", false},
		{0, gardener.GardenletResource, "gardener-local2", providerDir + "seed-kind2/base/kubeconfig", false},
		{0, renamedClusters, "gardener-local-ha-single-zone", kindDir + "ha-single-zone/kubeconfig", false},
		{0, renamedClusters, "gardener-local-ha-single-zone", providerDir + "seed-kind-ha-single-zone/base/kubeconfig", false},
		{0, renamedClusters, "gardener-local2-ha-single-zone", kindDir + "ha-single-zone2/kubeconfig", false},
		{0, renamedClusters, "gardener-local2-ha-single-zone", providerDir + "seed-kind2-ha-single-zone/base/kubeconfig", false},
		{0, renamedClusters, "gardener-local-ha-multi-zone", kindDir + "ha-multi-zone/kubeconfig", false},
		{0, renamedClusters, "gardener-local-ha-multi-zone", providerDir + "seed-kind-ha-multi-zone/base/kubeconfig", false},
		{0, renamedClusters, "gardener-operator-local", kindDir + "operator/kubeconfig", false},
		{seedByOperator, renamedClusters, "gardener-operator-local", providerDir + "seed-operator/base/kubeconfig", false},
		{0, gardener.RuntimeKubeconfig, "gardener-extensions", kindDir + "extensions/kubeconfig", false},
		{0, gardener.RuntimeKubeconfig, "gardener-extensions", "example/provider-extensions/garden/kubeconfig", false},

		{renamedClusters, gardener.RuntimeKubeconfig, "gardener-operator-local", kindDir + "multi-zone/kubeconfig", false},
		{gardener.RuntimeKubeconfig, gardener.GardenletResource, "gardener-operator-local", runtimesDir + "runtime/kubeconfig", false},
		{renamedClusters, gardener.GardenletResource, "gardener-operator-local", seedsDir + "seed-local/kubeconfig", false},
		{providerCredentials, gardener.GardenletResource, "gardener-operator-local", providersDir + "secret-project-garden-with-kind-kubeconfig/kubeconfig", true},
		{renamedClusters, gardener.GardenletResource, "gardener-local-multi-node2", kindDir + "multi-node2/kubeconfig", false},
		{renamedClusters, gardener.GardenletResource, "gardener-local-multi-node2", seedsDir + "seed-local2/kubeconfig", false},
		{renamedClusters, gardener.GardenletResource, "gardener-local-multi-node2", seedsDir + "seed-local2/kubeconfig-gardener-operator", true},

		{gardener.GardenletResource, never, "gardener-local", runtimesDir + "runtime/kubeconfig", false},
		{gardener.GardenletResource, never, "gardener-local", runtimesDir + "seed/kubeconfig", false},
		{gardener.GardenletResource, never, "gardener-local", seedsDir + "seed-local/kubeconfig", false},
		{gardener.GardenletResource, credentialsOfProject, "gardener-local", providersDir + "secret-project-garden-with-kind-kubeconfig/kubeconfig", true},
		{credentialsOfProject, never, "gardener-local", providersDir + "secret-project-garden/kubeconfig/kubeconfig", true},
		{credentialsOfProject, never, "gardener-local", providersDir + "secret-project-local/kubeconfig/kubeconfig", true},
		{gardener.GardenletResource, never, "gardener-local2", runtimesDir + "seed2/kubeconfig", false},
		{gardener.GardenletResource, never, "gardener-local2", seedsDir + "seed-local2/kubeconfig", false},
		{gardener.GardenletResource, never, "gardener-local2", seedsDir + "seed-local2/kubeconfig-gardener-operator", true},
	}
}

// Kubeconfigs returns where the Makefile looks for the kubeconfigs of a kind cluster. It has none of clusters that its scripts don't make.
func (c Checkout) Kubeconfigs(cluster string) []Kubeconfig {
	var found []Kubeconfig
	for _, place := range places() {
		if place.cluster == cluster && c.Version.Has(place.since) && !c.Version.Has(place.until) {
			found = append(found, Kubeconfig{filepath.Join(c.Dir, filepath.FromSlash(place.path)), place.internal})
		}
	}
	return found
}

// target is the cluster that a make target makes from a version on until before another.
type target struct {
	since, until gardener.Feature
	profile      string
	cluster      string
}

func targets() []target {
	return []target{
		{0, never, "local", "gardener-local"},
		{0, never, "local2", "gardener-local2"},
		{0, renamedClusters, "ha-single-zone", "gardener-local-ha-single-zone"},
		{0, renamedClusters, "ha-single-zone2", "gardener-local2-ha-single-zone"},
		{0, renamedClusters, "ha-multi-zone", "gardener-local-ha-multi-zone"},
		{0, renamedClusters, "operator", "gardener-operator-local"},
		{0, gardener.RuntimeKubeconfig, "extensions", "gardener-extensions"},
		{renamedClusters, gardener.GardenletResource, "multi-node", "gardener-operator-local"},
		{renamedClusters, gardener.GardenletResource, "multi-node2", "gardener-local-multi-node2"},
		{renamedClusters, gardener.GardenletResource, "multi-zone", "gardener-operator-local"},
		{gardener.GardenletResource, never, "multi-node", "gardener-local"},
		{gardener.GardenletResource, never, "multi-node2", "gardener-local2"},
		{gardener.GardenletResource, never, "multi-zone", "gardener-local"},
	}
}

// ClusterName returns the name that the Makefile gives the kind cluster of a profile; empty when it has no such profile.
func (c Checkout) ClusterName(profile string) string {
	for _, target := range targets() {
		if target.profile == profile && c.Version.Has(target.since) && !c.Version.Has(target.until) {
			return target.cluster
		}
	}
	return ""
}

// Profiles returns the profiles that the Makefile has.
func (c Checkout) Profiles() []string {
	var names []string
	for _, target := range targets() {
		if c.ClusterName(target.profile) != "" && !slices.Contains(names, target.profile) {
			names = append(names, target.profile)
		}
	}
	return names
}
