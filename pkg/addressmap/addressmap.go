// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package addressmap says which addresses a cluster really uses, by its objects, and holds that to the address plan. It is pure: the
// objects come from the caller.
package addressmap

import (
	"net/netip"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Map is what is there in a cluster.
type Map struct {
	// Cluster is its name.
	Cluster string `json:"cluster"`
	// Unknown says why nothing is known; the rest is empty then.
	Unknown  string    `json:"unknown,omitempty"`
	Nodes    []Node    `json:"nodes,omitempty"`
	Pools    []Pool    `json:"pools,omitempty"`
	Machines []Machine `json:"machines,omitempty"`
	Shoots   []Shoot   `json:"shoots,omitempty"`
	// Drift is what is not as the plan has it.
	Drift []Drift `json:"drift,omitempty"`
}

// Node is a node with its addresses, and the ranges that kube-controller-manager gave it.
type Node struct {
	Name      string         `json:"name"`
	Addresses []netip.Addr   `json:"addresses,omitempty"`
	PodCIDRs  []netip.Prefix `json:"podCIDRs,omitempty"`
}

// Pool is a pool of Calico's.
type Pool struct {
	Name     string       `json:"name"`
	CIDR     netip.Prefix `json:"cidr"`
	Disabled bool         `json:"disabled,omitempty"`
	// Nodes are in the order of their names; blocks without a node come first.
	Nodes []Usage `json:"nodes,omitempty"`
}

// Usage counts the blocks of a pool that a node has, and the addresses in them.
type Usage struct {
	Node   string `json:"node,omitempty"`
	Blocks int    `json:"blocks"`
	Used   int    `json:"used"`
	Free   int    `json:"free"`
}

// Machine is a pod that is a machine of a shoot.
type Machine struct {
	Namespace string       `json:"namespace"`
	Name      string       `json:"name"`
	Node      string       `json:"node,omitempty"`
	Addresses []netip.Addr `json:"addresses,omitempty"`
	// Pools are those that the addresses lie in.
	Pools []string `json:"pools,omitempty"`
}

// Shoot is a Shoot of a garden, or the copy of one in a seed.
type Shoot struct {
	Namespace   string       `json:"namespace"`
	Name        string       `json:"name"`
	TechnicalID string       `json:"technicalID,omitempty"`
	Nodes       netip.Prefix `json:"nodes,omitzero"`
	Workerless  bool         `json:"workerless,omitempty"`
}

// Drift is one thing that is not as the plan has it.
type Drift struct {
	// Object is what it is about, such as "IPPool machine-pods-ipv4".
	Object string `json:"object"`
	Text   string `json:"text"`
}

// Objects are those of a cluster that have to do with addresses. Kinds that the cluster does not have are empty.
type Objects struct {
	Nodes []unstructured.Unstructured
	// Pods may be more than machines.
	Pods          []unstructured.Unstructured
	Pools, Blocks []unstructured.Unstructured
	Shoots        []unstructured.Unstructured
	// Copies are the objects Cluster of extensions.gardener.cloud.
	Copies []unstructured.Unstructured
}
