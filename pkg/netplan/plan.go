// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"net/netip"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
)

// ContainerNetwork is the name of the engine's network that kind puts its nodes into, one for all clusters.
const ContainerNetwork = "kind"

// Plan is the address plan of an environment: every range resolved, every shoot with its nodes.
type Plan struct {
	Environment   string                 `json:"environment"`
	Gardener      gardener.Version       `json:"gardener"`
	Layout        v1alpha1.Layout        `json:"layout"`
	NetworkPlugin v1alpha1.NetworkPlugin `json:"networkPlugin"`
	// Families in the order of spec.ipFamilies.
	Families []Family  `json:"families"`
	Clusters []Cluster `json:"clusters"`
	Shoots   []Shoot   `json:"shoots"`
	Pools    []Pool    `json:"pools,omitempty"`
}

// Family holds the ranges of one IP family. Machines is invalid in the layout Legacy.
type Family struct {
	IPFamily      v1alpha1.IPFamily `json:"ipFamily"`
	Container     netip.Prefix      `json:"container"`
	Pods          netip.Prefix      `json:"pods"`
	SeedPods      netip.Prefix      `json:"seedPods"`
	Machines      netip.Prefix      `json:"machines,omitzero"`
	Services      netip.Prefix      `json:"services"`
	ShootPods     netip.Prefix      `json:"shootPods"`
	ShootServices netip.Prefix      `json:"shootServices"`
	LoadBalancers netip.Prefix      `json:"loadBalancers"`
	// ShootNodesBits is the prefix length of the sub-range of machines for a shoot that names no nodes.
	ShootNodesBits int `json:"shootNodesPrefixLength"`
}

// Cluster is a kind cluster and the seed it becomes.
type Cluster struct {
	Name string `json:"name"`
	Seed string `json:"seed"`
}

// Shoot is a shoot with its addresses.
type Shoot struct {
	Name             string                    `json:"name"`
	Namespace        string                    `json:"namespace"`
	Seed             string                    `json:"seed"`
	IPFamily         v1alpha1.IPFamily         `json:"ipFamily"`
	FailureTolerance v1alpha1.FailureTolerance `json:"failureTolerance"`
	// Nodes is invalid in the layout Legacy.
	Nodes    netip.Prefix `json:"nodes,omitzero"`
	Pods     netip.Prefix `json:"pods"`
	Services netip.Prefix `json:"services"`
}

// Family returns the ranges of a family; ok says whether the environment has it.
func (p *Plan) Family(family v1alpha1.IPFamily) (Family, bool) {
	for _, f := range p.Families {
		if f.IPFamily == family {
			return f, true
		}
	}
	return Family{}, false
}

// New resolves the ranges of a defaulted and validated environment. It does not apply the rules: see Check. The error is
// about shoots whose nodes don't fit into machines.
func New(env *v1alpha1.Environment) (*Plan, error) {
	version, err := gardener.Parse(env.Spec.Gardener.Version)
	if err != nil {
		return nil, err
	}
	plan := &Plan{
		Environment:   env.Metadata.Name,
		Gardener:      version,
		Layout:        env.Spec.Layout,
		NetworkPlugin: env.Spec.NetworkPlugin,
	}
	for _, family := range env.Spec.IPFamilies {
		resolved, err := resolveFamily(family, env.Spec.Layout, env.Spec.Networks.Family(family))
		if err != nil {
			return nil, err
		}
		plan.Families = append(plan.Families, resolved)
	}
	for _, cluster := range env.Spec.Clusters {
		plan.Clusters = append(plan.Clusters, Cluster{Name: cluster.Name, Seed: cluster.Seed})
	}
	if plan.Shoots, err = planShoots(plan, env.Spec.Shoots); err != nil {
		return nil, err
	}
	plan.Pools = pools(plan, env.Spec.Calico)
	return plan, nil
}
