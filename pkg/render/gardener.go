// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"fmt"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
)

// Seed renders seed.yaml for a cluster, in the form of the options or of the version of Gardener.
func Seed(plan *netplan.Plan, cluster v1alpha1.Cluster, opts Options) ([]byte, error) {
	form := opts.SeedForm
	if form == "" {
		form = SeedFormOf(plan.Gardener)
	}
	if form == SeedFormGardenlet && !plan.Gardener.Has(gardener.GardenletResource) {
		return nil, fmt.Errorf("gardener %s has no local setup by Gardenlet resources (they come with v1.142): choose %s or %s",
			plan.Gardener, SeedFormSeed, SeedFormHelmValues)
	}
	return execute("seed.yaml.tmpl", string(form), plan.Gardener, map[string]any{
		"Plan": plan, "Cluster": cluster, "Zones": zones(cluster), "Ranges": seedRanges(plan),
		"ListFamilies":   len(plan.Families) > 1 || plan.Families[0].IPFamily == v1alpha1.IPv6,
		"IPv6Only":       len(plan.Families) == 1 && plan.Families[0].IPFamily == v1alpha1.IPv6,
		"Operator":       plan.Gardener.Has(gardener.GardenletResource),
		"TopologyAware":  len(zones(cluster)) > 1,
		"SeedPodsReason": seedPodsReason(plan),
	})
}

// seedRanges returns the ranges that a Seed lists: it has one string for each, so a dual-stack seed lists IPv4.
func seedRanges(plan *netplan.Plan) netplan.Family {
	if family, ok := plan.Family(v1alpha1.IPv4); ok {
		return family
	}
	return plan.Families[0]
}

func seedPodsReason(plan *netplan.Plan) string {
	switch {
	case plan.NetworkPlugin == v1alpha1.NetworkPluginPlain:
		return "The ranges of the nodes are cut from this one; machines get addresses of it too (network plugin Plain), so a broken VPN is not seen."
	case plan.Layout == v1alpha1.LayoutSplit:
		return "Calico's default pool, not the whole pod CIDR, which holds machines too."
	default:
		return "Calico's default pool, the whole pod CIDR."
	}
}

// Shoots renders shoot.yaml, a document for each shoot.
func Shoots(plan *netplan.Plan) ([]byte, error) {
	var all bytes.Buffer
	for i, shoot := range plan.Shoots {
		data, err := execute("shoot.yaml.tmpl", "shoot.yaml.tmpl", plan.Gardener, map[string]any{
			"Plan": plan, "Shoot": shoot, "IPv6": shoot.IPFamily == v1alpha1.IPv6, "Dual": len(plan.Families) > 1,
			"OwnRanges":   seedRanges(plan).IPFamily != shoot.IPFamily,
			"NodesReason": nodesReason(plan, shoot),
		})
		if err != nil {
			return nil, err
		}
		if i > 0 {
			all.WriteString("---\n")
		}
		all.Write(data)
	}
	return all.Bytes(), nil
}

func nodesReason(plan *netplan.Plan, shoot netplan.Shoot) string {
	family, _ := plan.Family(shoot.IPFamily)
	if plan.Layout == v1alpha1.LayoutOutside {
		return fmt.Sprintf("Inside machines %s, which lie outside the pod CIDR %s.", family.Machines, family.Pods)
	}
	return fmt.Sprintf("Inside machines %s: part of the pod CIDR %s, and disjoint from seed pods %s.", family.Machines, family.Pods, family.SeedPods)
}
