// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package render turns an environment and its plan into files: kind configurations, Calico's objects, seed.yaml and
// shoot.yaml. It is pure.
package render

import (
	"regexp"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
)

// SeedForm is the kind of object that seed.yaml holds.
type SeedForm string

// The forms.
const (
	// SeedFormSeed is a core.gardener.cloud/v1beta1 Seed.
	SeedFormSeed SeedForm = "seed"
	// SeedFormGardenlet is a seedmanagement.gardener.cloud/v1alpha1 Gardenlet, from Gardener v1.142 on.
	SeedFormGardenlet SeedForm = "gardenlet"
	// SeedFormHelmValues are values of the gardenlet chart, before v1.142.
	SeedFormHelmValues SeedForm = "helm-values"
)

// SeedForms lists all forms.
func SeedForms() []SeedForm { return []SeedForm{SeedFormSeed, SeedFormGardenlet, SeedFormHelmValues} }

// Options are what the files depend on beside the environment.
type Options struct {
	// Encapsulation of the pools; not Auto. See Resolve.
	Encapsulation v1alpha1.Encapsulation
	// CgroupV1 says that the engine's host has cgroup v1.
	CgroupV1 bool
	// SeedForm of seed.yaml; empty chooses by the version of Gardener.
	SeedForm SeedForm
	// Dir is the folder of the environment's files, which nodes mount some of; empty is the folder where kind runs.
	Dir string
	// SharedDir is the folder of what environments share; empty where the files are only looked at.
	SharedDir string
	// EngineRemote says that the engine runs on another machine, which has no files of this one.
	EngineRemote bool
	// EngineSocket is the engine's socket on its host. Default: /var/run/docker.sock.
	EngineSocket string
}

// Resolve replaces Auto where no kernel can be asked: IPIP is what provider-local gives its own pools.
func Resolve(encapsulation v1alpha1.Encapsulation) v1alpha1.Encapsulation {
	if encapsulation == v1alpha1.EncapsulationAuto {
		return v1alpha1.EncapsulationIPIP
	}
	return encapsulation
}

// Kubernetes and Calico versions from which on objects are understood.
const (
	// admissionKubernetes has admissionregistration.k8s.io/v1 MutatingAdmissionPolicy.
	admissionKubernetes = "1.36"
	// tierCalico has tiers without an API server of Calico's own.
	tierCalico = "3.30"
	// cgroupV1Kubernetes has a kubelet that refuses cgroup v1.
	cgroupV1Kubernetes = "1.35"
)

// KubernetesVersion returns the version in the tag of a node image; ok is false for images that are tagged otherwise.
func KubernetesVersion(image string) (v *version.Version, ok bool) {
	match := regexp.MustCompile(`:(v[0-9]+\.[0-9]+\.[0-9]+)`).FindStringSubmatch(image)
	if match == nil {
		return nil, false
	}
	parsed, err := version.ParseSemantic(match[1])
	return parsed, err == nil
}

// atLeastKubernetes counts an image of unknown version as new: kind's current images are.
func atLeastKubernetes(image, minimum string) bool {
	parsed, ok := KubernetesVersion(image)
	return !ok || parsed.AtLeast(version.MustParseGeneric(minimum))
}

// HasAdmission says whether the admission policy that puts machines into their pool is rendered for a cluster.
func HasAdmission(plan *netplan.Plan, cluster v1alpha1.Cluster) bool {
	return hasMachinePool(plan) && atLeastKubernetes(cluster.NodeImage, admissionKubernetes)
}

// HasNodeCapacity says whether nodes of a cluster report more than they have, by an admission policy.
func HasNodeCapacity(plan *netplan.Plan, cluster v1alpha1.Cluster) bool {
	return plan.Gardener.Has(gardener.NodeCapacityPolicy) && atLeastKubernetes(cluster.NodeImage, admissionKubernetes)
}

// ServesAdmission says whether an API server of a version such as v1.36.1 serves the admission policies.
func ServesAdmission(gitVersion string) bool {
	parsed, err := version.ParseGeneric(gitVersion)
	return err == nil && parsed.AtLeast(version.MustParseGeneric(admissionKubernetes))
}

// HasGuard says whether the guard is rendered.
func HasGuard(env *v1alpha1.Environment) bool {
	return env.Spec.NetworkPlugin == v1alpha1.NetworkPluginCalico && *env.Spec.Calico.MachinePool.Guard && hasTiers(env.Spec.Calico)
}

func hasTiers(calico v1alpha1.Calico) bool {
	parsed, err := version.ParseSemantic(calico.Version)
	return err == nil && parsed.AtLeast(version.MustParseGeneric(tierCalico))
}

func hasMachinePool(plan *netplan.Plan) bool {
	for _, pool := range plan.Pools {
		if pool.Machines {
			return true
		}
	}
	return false
}

// SeedFormOf returns the form that a version of Gardener is set up with.
func SeedFormOf(version gardener.Version) SeedForm {
	if version.Has(gardener.GardenletResource) {
		return SeedFormGardenlet
	}
	return SeedFormHelmValues
}

// NeedsCgroupV1Patch says whether the kubelets of a cluster must be told to accept cgroup v1.
func NeedsCgroupV1Patch(cluster v1alpha1.Cluster, cgroupV1 bool) bool {
	return cgroupV1 && atLeastKubernetes(cluster.NodeImage, cgroupV1Kubernetes)
}
