// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"slices"

	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
)

// KindConfig renders the configuration of a cluster.
func KindConfig(env *v1alpha1.Environment, plan *netplan.Plan, cluster v1alpha1.Cluster, opts Options) ([]byte, error) {
	wired, err := wire(env, plan, cluster, opts)
	if err != nil {
		return nil, err
	}
	return execute("kind.yaml.tmpl", "kind.yaml.tmpl", plan.Gardener, map[string]any{
		"Plan": plan, "Cluster": wired, "Calico": plan.NetworkPlugin == v1alpha1.NetworkPluginCalico,
		"KindFamily": kindFamily(plan), "PodSubnetReason": podSubnetReason(plan.Layout),
		"FailCgroupV1": NeedsCgroupV1Patch(cluster, opts.CgroupV1),
	})
}

// wire returns the cluster with the ports, mounts and settings that follow from the parts of Gardener on it, before its own.
func wire(env *v1alpha1.Environment, plan *netplan.Plan, cluster v1alpha1.Cluster, opts Options) (v1alpha1.Cluster, error) {
	w := wiring{env, plan, cluster}
	patch, err := w.apiServerPatch()
	if err != nil {
		return cluster, err
	}
	if patch != "" {
		cluster.KubeadmConfigPatches = append([]string{patch}, cluster.KubeadmConfigPatches...)
	}
	if *env.Spec.Registry.Enabled {
		cluster.ContainerdConfigPatches = append(mirrorPatches(), cluster.ContainerdConfigPatches...)
	}
	cluster.Nodes = slices.Clone(cluster.Nodes)
	for i := range cluster.Nodes {
		cluster.Nodes[i].ExtraMounts = append(w.mounts(opts), cluster.Nodes[i].ExtraMounts...)
	}
	first := slices.IndexFunc(cluster.Nodes, func(node v1alpha1.Node) bool { return node.Role == kindv1alpha4.ControlPlaneRole })
	if first >= 0 {
		cluster.Nodes[first].ExtraPortMappings = append(w.portMappings(), cluster.Nodes[first].ExtraPortMappings...)
	}
	return cluster, nil
}

// NodeCapacityPolicy is the name of the admission policy for nodes, and of its binding.
const NodeCapacityPolicy = "kindling-node-capacity"

// NodeCapacity renders the policy by which nodes report more than they have.
func NodeCapacity(plan *netplan.Plan) ([]byte, error) {
	return execute("node-capacity.yaml.tmpl", "node-capacity.yaml.tmpl", plan.Gardener, map[string]any{"Plan": plan, "Name": NodeCapacityPolicy})
}

// KindCluster is KindConfig as kind's own type.
func KindCluster(env *v1alpha1.Environment, plan *netplan.Plan, cluster v1alpha1.Cluster, opts Options) (*kindv1alpha4.Cluster, error) {
	data, err := KindConfig(env, plan, cluster, opts)
	if err != nil {
		return nil, err
	}
	decoded := &kindv1alpha4.Cluster{}
	if err := yaml.UnmarshalStrict(data, decoded); err != nil {
		return nil, fmt.Errorf("the kind configuration of cluster %s is no valid YAML, probably because of its patches: %w", cluster.Name, err)
	}
	return decoded, nil
}

func kindFamily(plan *netplan.Plan) kindv1alpha4.ClusterIPFamily {
	switch {
	case len(plan.Families) > 1:
		return kindv1alpha4.DualStackFamily
	case plan.Families[0].IPFamily == v1alpha1.IPv6:
		return kindv1alpha4.IPv6Family
	default:
		return kindv1alpha4.IPv4Family
	}
}

func podSubnetReason(layout v1alpha1.Layout) string {
	switch layout {
	case v1alpha1.LayoutSplit:
		return "Seed pods and machines share it in two disjoint parts."
	case v1alpha1.LayoutOutside:
		return "All of it is for seed pods; machines lie outside."
	default:
		return "Seed pods and machines share it without distinction."
	}
}
