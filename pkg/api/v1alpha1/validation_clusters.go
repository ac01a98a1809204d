// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"net/netip"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

// ZoneLabel carries the zone of a node.
const ZoneLabel = "topology.kubernetes.io/zone"

func validateClusters(clusters []Cluster, path *field.Path) field.ErrorList {
	var all field.ErrorList
	names, seeds := map[string]bool{}, map[string]bool{}
	for i, cluster := range clusters {
		at := path.Index(i)
		all = append(all, validateName(cluster.Name, at.Child("name"))...)
		all = append(all, validateName(cluster.Seed, at.Child("seed"))...)
		if names[cluster.Name] {
			all = append(all, field.Duplicate(at.Child("name"), cluster.Name))
		}
		if seeds[cluster.Seed] {
			all = append(all, field.Duplicate(at.Child("seed"), cluster.Seed))
		}
		names[cluster.Name], seeds[cluster.Seed] = true, true
		all = append(all, validateImage(cluster.NodeImage, at.Child("nodeImage"))...)
		for p, part := range cluster.Parts {
			all = append(all, oneOf(at.Child("parts").Index(p), part, PartControlPlane, PartGarden, PartSeed, PartAPIServerRelay, PartBackupBucket)...)
		}
		for a, address := range cluster.ListenAddresses {
			if _, err := netip.ParseAddr(address); err != nil {
				all = append(all, field.Invalid(at.Child("listenAddresses").Index(a), address, "is no IP address"))
			}
		}
		all = append(all, validateFeatures(cluster, at)...)
		all = append(all, validateNodes(cluster.Nodes, at.Child("nodes"))...)
	}
	return all
}

func validateNodes(nodes []Node, path *field.Path) field.ErrorList {
	var all field.ErrorList
	controlPlanes := 0
	for i, node := range nodes {
		at := path.Index(i)
		all = append(all, oneOf(at.Child("role"), node.Role, kindv1alpha4.ControlPlaneRole, kindv1alpha4.WorkerRole)...)
		if node.Role == kindv1alpha4.ControlPlaneRole {
			controlPlanes++
		}
		for _, text := range validation.IsValidLabelValue(node.Zone) {
			all = append(all, field.Invalid(at.Child("zone"), node.Zone, text))
		}
		all = append(all, validateLabels(node.Labels, at.Child("labels"))...)
		all = append(all, validateMounts(node.ExtraMounts, at.Child("extraMounts"))...)
		all = append(all, validatePorts(node.ExtraPortMappings, at.Child("extraPortMappings"))...)
	}
	if controlPlanes == 0 {
		all = append(all, field.Required(path, "a cluster needs a node with the role control-plane"))
	}
	return all
}

func validateLabels(labels map[string]string, path *field.Path) field.ErrorList {
	var all field.ErrorList
	for key, value := range labels {
		problems := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...)
		for _, text := range problems {
			all = append(all, field.Invalid(path.Key(key), value, text))
		}
		if key == ZoneLabel {
			all = append(all, field.Forbidden(path.Key(key), "write it as zone"))
		}
	}
	slices.SortFunc(all, func(a, b *field.Error) int { return len(a.Field) - len(b.Field) })
	return all
}

func validateShoots(spec *EnvironmentSpec, path *field.Path) field.ErrorList {
	var all field.ErrorList
	names := map[string]bool{}
	for i, shoot := range spec.Shoots {
		at := path.Index(i)
		all = append(all, validateName(shoot.Name, at.Child("name"))...)
		all = append(all, validateName(shoot.Namespace, at.Child("namespace"))...)
		if key := shoot.Namespace + "/" + shoot.Name; names[key] {
			all = append(all, field.Duplicate(at.Child("name"), key))
		} else {
			names[key] = true
		}
		all = append(all, oneOf(at.Child("ipFamily"), shoot.IPFamily, spec.IPFamilies...)...)
		all = append(all, oneOf(at.Child("failureTolerance"), shoot.FailureTolerance, FailureToleranceNone, FailureToleranceNode, FailureToleranceZone)...)
		all = append(all, validateCIDR(shoot.IPFamily, shoot.Nodes, at.Child("nodes"))...)
		if spec.Layout == LayoutLegacy && shoot.Nodes != "" {
			all = append(all, field.Forbidden(at.Child("nodes"), "the layout Legacy has no machines range"))
		}
		if !slices.ContainsFunc(spec.Clusters, func(c Cluster) bool { return c.Seed == shoot.Seed }) {
			all = append(all, field.NotFound(at.Child("seed"), shoot.Seed))
		}
	}
	return all
}
