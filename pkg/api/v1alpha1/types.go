// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the environment file: its types, defaults, strict loading and the checks that need no plan.
package v1alpha1

import (
	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

// APIVersion and Kind identify an environment file.
const (
	APIVersion = "kindling.gardener.cloud/v1alpha1"
	Kind       = "Environment"
)

// Environment describes kind clusters in which a local Gardener is bootstrapped. Every field but the first three has a
// default, so that a file can be five lines.
type Environment struct {
	// APIVersion is kindling.gardener.cloud/v1alpha1.
	APIVersion string `json:"apiVersion"`
	// Kind is Environment.
	Kind string `json:"kind"`
	// Metadata names the environment.
	Metadata Metadata `json:"metadata"`
	// Spec is what the environment shall be.
	Spec EnvironmentSpec `json:"spec,omitzero"`
}

// Metadata names an environment.
type Metadata struct {
	// Name is a DNS label. It becomes the value of the label kindling.gardener.cloud/environment on everything that kindling
	// makes, and the name of the folder with the environment's files.
	Name string `json:"name"`
}

// EnvironmentSpec is what the environment shall be.
type EnvironmentSpec struct {
	// Gardener says for which Gardener the environment is made.
	Gardener Gardener `json:"gardener,omitzero"`
	// Layout says where machines get their addresses. Default: as that version of Gardener has it, Split from v1.128,
	// Outside from v1.96, Legacy before.
	Layout Layout `json:"layout,omitempty"`
	// IPFamilies of the clusters, the primary one first: IPv4, IPv6 or both. Default: IPv4.
	IPFamilies []IPFamily `json:"ipFamilies,omitempty"`
	// Networks are the address ranges, by family. Default: the ranges of Gardener's local setup.
	Networks Networks `json:"networks,omitzero"`
	// NetworkPlugin of the clusters. Default: Calico.
	NetworkPlugin NetworkPlugin `json:"networkPlugin,omitempty"`
	// Calico settings. Without meaning for the network plugin Plain.
	Calico Calico `json:"calico,omitzero"`
	// ClustersOnly leaves out what Gardener's local setup has beside the clusters: it turns the defaults of registry, dns and loopback
	// to false, and leaves out load balancers, which need the loopback addresses.
	ClustersOnly bool `json:"clustersOnly,omitempty"`
	// Registry and pull-through caches on the engine's host.
	Registry Registry `json:"registry,omitzero"`
	// DNS of the domain local.gardener.cloud.
	DNS DNS `json:"dns,omitzero"`
	// Loopback addresses of the engine's host.
	Loopback Loopback `json:"loopback,omitzero"`
	// MetricsServer of the clusters.
	MetricsServer MetricsServer `json:"metricsServer,omitzero"`
	// NodeImage of clusters that name none. Default: an image of kind that fits the version of Gardener, with its digest.
	NodeImage string `json:"nodeImage,omitempty"`
	// Clusters are the kind clusters; each is a seed. Default: one cluster gardener-local with one node.
	Clusters []Cluster `json:"clusters,omitempty"`
	// Shoots for which shoot.yaml is rendered and addresses are reserved. Default: one shoot garden-local/local.
	Shoots []Shoot `json:"shoots,omitempty"`
}

// Gardener says for which Gardener the environment is made.
type Gardener struct {
	// Version such as v1.149.0. It decides on the layout, the reserved ranges, and the form of seed.yaml and shoot.yaml.
	Version string `json:"version,omitempty"`
	// Dir is a checkout of Gardener: its folders are mounted into the nodes where Gardener's scripts mount them. A relative path counts
	// from the environment file's folder. Default: none, and folders beside the kubeconfig in their place.
	Dir string `json:"dir,omitempty"`
	// Cluster is the kind cluster that the garden runs in; it may be another environment's. Default: the first cluster.
	Cluster string `json:"cluster,omitempty"`
}

// Layout says where machines get their addresses.
type Layout string

// The layouts.
const (
	// LayoutSplit cuts the pod CIDR into seed pods and machines.
	LayoutSplit Layout = "Split"
	// LayoutOutside puts machines outside the pod CIDR.
	LayoutOutside Layout = "Outside"
	// LayoutLegacy has no machines range: machines are ordinary seed pods, and a broken VPN is not seen.
	LayoutLegacy Layout = "Legacy"
)

// IPFamily is an IP family.
type IPFamily string

// The families.
const (
	IPv4 IPFamily = "IPv4"
	IPv6 IPFamily = "IPv6"
)

// NetworkPlugin of a cluster.
type NetworkPlugin string

// The network plugins.
const (
	// NetworkPluginCalico installs Calico with a pool for seed pods and one for machines.
	NetworkPluginCalico NetworkPlugin = "Calico"
	// NetworkPluginPlain uses only the CNI plugins of the node image: no pools, no policies, so no machines range and no guard.
	NetworkPluginPlain NetworkPlugin = "Plain"
)

// Cluster is a kind cluster.
type Cluster struct {
	// Name of the kind cluster; its kubeconfig context is kind-NAME.
	Name string `json:"name"`
	// Seed is the name of the Seed that the cluster becomes. Default: the cluster's name without gardener- in front.
	Seed string `json:"seed,omitempty"`
	// Parts of Gardener that are going to run on the cluster. Ports, mounts and settings of the API server follow from them, as each version
	// of Gardener has them. Default: Seed and BackupBucket, and for the garden's cluster Garden from v1.142 on, ControlPlane before.
	Parts []Part `json:"parts,omitempty"`
	// ListenAddresses are the addresses of the engine's host where the seed's ingress gateway is reached before v1.141: one for all, then
	// one for each zone. Default: those of Gardener's local setup.
	ListenAddresses []string `json:"listenAddresses,omitempty"`
	// NodeImage of all nodes of the cluster. Default: spec.nodeImage.
	NodeImage string `json:"nodeImage,omitempty"`
	// Nodes of the cluster. Default: one control plane in zone "0".
	Nodes []Node `json:"nodes,omitempty"`
	// KubeadmConfigPatches as in kind's v1alpha4, after those of kindling.
	KubeadmConfigPatches []string `json:"kubeadmConfigPatches,omitempty"`
	// ContainerdConfigPatches as in kind's v1alpha4, after those of kindling.
	ContainerdConfigPatches []string `json:"containerdConfigPatches,omitempty"`
	// FeatureGates as in kind's v1alpha4.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
	// RuntimeConfig as in kind's v1alpha4.
	RuntimeConfig map[string]string `json:"runtimeConfig,omitempty"`
}

// Part of Gardener.
type Part string

// The parts.
const (
	// PartControlPlane is Gardener's control plane in the kind cluster itself, by Helm. No version from v1.142 on has it.
	PartControlPlane Part = "ControlPlane"
	// PartGarden is a garden that gardener-operator makes.
	PartGarden Part = "Garden"
	// PartSeed is a seed, with its ingress gateway.
	PartSeed Part = "Seed"
	// PartAPIServerRelay forwards a remote seed's requests to the control plane.
	PartAPIServerRelay Part = "APIServerRelay"
	// PartBackupBucket keeps etcd's backups in a folder of the engine's host.
	PartBackupBucket Part = "BackupBucket"
)

// Node of a kind cluster.
type Node struct {
	// Role is control-plane or worker.
	Role kindv1alpha4.NodeRole `json:"role"`
	// Zone becomes the label topology.kubernetes.io/zone. Default: "0".
	Zone string `json:"zone,omitempty"`
	// Labels of the node beside the zone's.
	Labels map[string]string `json:"labels,omitempty"`
	// ExtraMounts as in kind's v1alpha4; relative host paths count from the environment file's folder.
	ExtraMounts []kindv1alpha4.Mount `json:"extraMounts,omitempty"`
	// ExtraPortMappings as in kind's v1alpha4.
	ExtraPortMappings []kindv1alpha4.PortMapping `json:"extraPortMappings,omitempty"`
	// KubeadmConfigPatches as in kind's v1alpha4, for this node only.
	KubeadmConfigPatches []string `json:"kubeadmConfigPatches,omitempty"`
}

// Shoot for which shoot.yaml is rendered and addresses are reserved.
type Shoot struct {
	// Name of the Shoot.
	Name string `json:"name"`
	// Namespace of the Shoot. Default: garden-local.
	Namespace string `json:"namespace,omitempty"`
	// Seed that the shoot's control plane runs on. Default: the seed of the first cluster.
	Seed string `json:"seed,omitempty"`
	// IPFamily of the shoot. Default: IPv4 where the environment has it.
	IPFamily IPFamily `json:"ipFamily,omitempty"`
	// FailureTolerance of the control plane: none, node or zone. Default: none.
	FailureTolerance FailureTolerance `json:"failureTolerance,omitempty"`
	// Nodes is the CIDR for Shoot.spec.networking.nodes. Default: the next free sub-range of machines, in the order of the list.
	Nodes string `json:"nodes,omitempty"`
}

// FailureTolerance of a shoot's control plane.
type FailureTolerance string

// The failure tolerances.
const (
	FailureToleranceNone FailureTolerance = "none"
	FailureToleranceNode FailureTolerance = "node"
	FailureToleranceZone FailureTolerance = "zone"
)
