// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/gardener/kindling/pkg/gardener"
)

// Validate holds a defaulted environment to everything that one field tells by itself. Rules between address ranges are the
// plan's.
func Validate(env *Environment) field.ErrorList {
	spec := field.NewPath("spec")
	all := validateName(env.Metadata.Name, field.NewPath("metadata", "name"))
	if _, err := gardener.Parse(env.Spec.Gardener.Version); err != nil {
		// Layout, images and forms follow from the version: what else there is to say comes when it is right.
		return append(all, field.Invalid(spec.Child("gardener", "version"), env.Spec.Gardener.Version, err.Error()))
	}
	all = append(all, validateName(env.Spec.Gardener.Cluster, spec.Child("gardener", "cluster"))...)
	all = append(all, validateMounted(env.Spec.Gardener.Dir, spec.Child("gardener", "dir"))...)
	all = append(all, oneOf(spec.Child("layout"), env.Spec.Layout, LayoutSplit, LayoutOutside, LayoutLegacy)...)
	all = append(all, oneOf(spec.Child("networkPlugin"), env.Spec.NetworkPlugin, NetworkPluginCalico, NetworkPluginPlain)...)
	all = append(all, validateFamilies(env.Spec.IPFamilies, spec.Child("ipFamilies"))...)
	all = append(all, validateNetworks(&env.Spec, spec.Child("networks"))...)
	all = append(all, validateCalico(env.Spec.Calico, spec.Child("calico"))...)
	all = append(all, validateRegistry(env.Spec.Registry, spec.Child("registry"))...)
	all = append(all, validateImage(env.Spec.DNS.Image, spec.Child("dns", "image"))...)
	all = append(all, validateImage(env.Spec.MetricsServer.Image, spec.Child("metricsServer", "image"))...)
	all = append(all, validateClusters(env.Spec.Clusters, spec.Child("clusters"))...)
	return append(all, validateShoots(&env.Spec, spec.Child("shoots"))...)
}

func validateName(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	var all field.ErrorList
	for _, text := range validation.IsDNS1123Label(name) {
		all = append(all, field.Invalid(path, name, text))
	}
	return all
}

func oneOf[T ~string](path *field.Path, value T, known ...T) field.ErrorList {
	if slices.Contains(known, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, known)}
}

func validateFamilies(families []IPFamily, path *field.Path) field.ErrorList {
	var all field.ErrorList
	for i, family := range families {
		all = append(all, oneOf(path.Index(i), family, IPv4, IPv6)...)
		if slices.Contains(families[:i], family) {
			all = append(all, field.Duplicate(path.Index(i), family))
		}
	}
	return all
}

func validateCalico(calico Calico, path *field.Path) field.ErrorList {
	all := oneOf(path.Child("encapsulation"), calico.Encapsulation,
		EncapsulationAuto, EncapsulationIPIP, EncapsulationVXLAN, EncapsulationVXLANCrossSubnet)
	all = append(all, oneOf(path.Child("machinePool", "owner"), calico.MachinePool.Owner, OwnerKindling, OwnerProviderLocal)...)
	if _, err := version.ParseSemantic(calico.Version); err != nil {
		all = append(all, field.Invalid(path.Child("version"), calico.Version, "write it as "+DefaultCalicoVersion))
	}
	return append(all, validateManifest(calico.Manifest, path.Child("manifest"))...)
}

func validateManifest(manifest Manifest, path *field.Path) field.ErrorList {
	var all field.ErrorList
	if manifest.URL != "" && manifest.Path != "" {
		all = append(all, field.Forbidden(path.Child("path"), "a manifest comes from a url or a path, not from both"))
	}
	if manifest.URL != "" && !strings.HasPrefix(manifest.URL, "https://") {
		all = append(all, field.Invalid(path.Child("url"), manifest.URL, "must start with https://"))
	}
	if manifest.URL != "" && manifest.SHA256 == "" {
		all = append(all, field.Required(path.Child("sha256"), "a download is only taken when its checksum is known"))
	}
	if manifest.SHA256 != "" && !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(manifest.SHA256) {
		all = append(all, field.Invalid(path.Child("sha256"), manifest.SHA256, "must be 64 hexadecimal digits in lower case"))
	}
	return all
}

// Prefix parses a CIDR without host bits.
func Prefix(text string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("%q is no CIDR: write it as 10.0.0.0/16", text)
	}
	if prefix.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%q is an IPv4 address written as IPv6: write it as IPv4", text)
	}
	if prefix != prefix.Masked() {
		return netip.Prefix{}, fmt.Errorf("%s has host bits: write %s", text, prefix.Masked())
	}
	return prefix, nil
}
