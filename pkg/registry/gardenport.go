// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"maps"
	"slices"
)

// gardenPorts are where machines look for caches of registries, at the address of the garden's node, in Gardener before v1.134: pods of the garden's
// cluster listen there. From pkg/provider-local/webhook/controlplane/ensurer.go of v1.93, and pkg/provider-local/node/containerd of v1.133.
func gardenPorts() map[string]int32 {
	return map[string]int32{
		"gcr.io": 5003, "eu.gcr.io": 5004, "ghcr.io": 5005, "registry.k8s.io": 5006, "quay.io": 5007, "europe-docker.pkg.dev": 5008,
	}
}

// gardenPort is where they look for the registry that images are pushed to.
const gardenPort = 5001

// GardenPort is where machines of Gardener before v1.134 look for a server at the garden's node; zero where they look nowhere.
func (s Server) GardenPort() int32 {
	if !s.IsCache() {
		return gardenPort
	}
	return gardenPorts()[s.Host]
}

// GardenPorts are all of these ports, in their order.
func GardenPorts() []int32 {
	return append([]int32{gardenPort}, slices.Sorted(maps.Values(gardenPorts()))...)
}
