// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateNetworks(spec *EnvironmentSpec, path *field.Path) field.ErrorList {
	var all field.ErrorList
	for _, family := range []IPFamily{IPv4, IPv6} {
		networks, at := spec.Networks.Family(family), path.Child(map[IPFamily]string{IPv4: "ipv4", IPv6: "ipv6"}[family])
		if networks == (FamilyNetworks{}) {
			continue
		}
		if !slices.Contains(spec.IPFamilies, family) {
			all = append(all, field.Forbidden(at, fmt.Sprintf("spec.ipFamilies has no %s: add it, or take these ranges out", family)))
			continue
		}
		all = append(all, validateFamilyNetworks(family, networks, at)...)
		if spec.Layout == LayoutLegacy && networks.Machines != "" {
			all = append(all, field.Forbidden(at.Child("machines"), "the layout Legacy has no machines range: choose the layout Split"))
		}
	}
	return all
}

func validateFamilyNetworks(family IPFamily, networks FamilyNetworks, path *field.Path) field.ErrorList {
	var all field.ErrorList
	for _, f := range []struct{ name, value string }{
		{"container", networks.Container},
		{"pods", networks.Pods},
		{"seedPods", networks.SeedPods},
		{"machines", networks.Machines},
		{"services", networks.Services},
		{"shootPods", networks.ShootPods},
		{"shootServices", networks.ShootServices},
		{"loadBalancers", networks.LoadBalancers},
	} {
		all = append(all, validateCIDR(family, f.value, path.Child(f.name))...)
	}
	if bits, longest := networks.ShootNodesPrefixLength, familyBits(family); bits < 0 || bits > longest {
		all = append(all, field.Invalid(path.Child("shootNodesPrefixLength"), bits, fmt.Sprintf("must be from 1 to %d", longest)))
	}
	return all
}

func validateCIDR(family IPFamily, value string, path *field.Path) field.ErrorList {
	if value == "" {
		return nil
	}
	prefix, err := Prefix(value)
	switch {
	case err != nil:
		return field.ErrorList{field.Invalid(path, value, err.Error())}
	case prefix.Addr().Is4() != (family == IPv4):
		return field.ErrorList{field.Invalid(path, value, fmt.Sprintf("must be an %s range", family))}
	case prefix.Bits() == 0:
		return field.ErrorList{field.Invalid(path, value, "is the whole address space, the Internet included: choose a private range")}
	}
	return nil
}

func familyBits(family IPFamily) int {
	if family == IPv4 {
		return 32
	}
	return 128
}
