// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"net/netip"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

// What of kind's configuration becomes a part of an argument or of a file that kind writes by a template is held to its form: kind takes it as it is.

func validateMounts(mounts []kindv1alpha4.Mount, path *field.Path) field.ErrorList {
	var all field.ErrorList
	for m, mount := range mounts {
		at := path.Index(m)
		if mount.HostPath == "" || !filepath.IsAbs(mount.ContainerPath) {
			all = append(all, field.Invalid(at, mount.ContainerPath, "needs a hostPath and an absolute containerPath"))
		}
		all = append(all, validateMounted(mount.HostPath, at.Child("hostPath"))...)
		all = append(all, validateMounted(mount.ContainerPath, at.Child("containerPath"))...)
		all = append(all, oneOf(at.Child("propagation"), mount.Propagation, "", kindv1alpha4.MountPropagationNone, kindv1alpha4.MountPropagationHostToContainer,
			kindv1alpha4.MountPropagationBidirectional)...)
	}
	return all
}

// validateMounted holds a path to what can be mounted: engines are told both paths and what holds for them in one text, with colons between.
func validateMounted(path string, at *field.Path) field.ErrorList {
	if strings.ContainsRune(path[len(filepath.VolumeName(path)):], ':') || strings.ContainsFunc(path, unicode.IsControl) {
		return field.ErrorList{field.Invalid(at, path, "can't be mounted: a path must have neither colons nor control characters")}
	}
	return nil
}

func validatePorts(mappings []kindv1alpha4.PortMapping, path *field.Path) field.ErrorList {
	var all field.ErrorList
	for m, mapping := range mappings {
		at := path.Index(m)
		if _, err := netip.ParseAddr(mapping.ListenAddress); err != nil && mapping.ListenAddress != "" {
			all = append(all, field.Invalid(at.Child("listenAddress"), mapping.ListenAddress, "is no IP address"))
		}
		all = append(all, oneOf(at.Child("protocol"), mapping.Protocol, "", kindv1alpha4.PortMappingProtocolTCP, kindv1alpha4.PortMappingProtocolUDP,
			kindv1alpha4.PortMappingProtocolSCTP)...)
		for _, text := range validation.IsValidPortNum(int(mapping.ContainerPort)) {
			all = append(all, field.Invalid(at.Child("containerPort"), mapping.ContainerPort, text))
		}
		if mapping.HostPort < -1 || mapping.HostPort > 65535 {
			all = append(all, field.Invalid(at.Child("hostPort"), mapping.HostPort, "must be from 1 to 65535, or 0 or -1 for any"))
		}
	}
	return all
}

// validateFeatures holds the names of feature gates, and the versions and resources that are served.
func validateFeatures(cluster Cluster, path *field.Path) field.ErrorList {
	var all field.ErrorList
	for gate := range cluster.FeatureGates {
		if !regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`).MatchString(gate) {
			all = append(all, field.Invalid(path.Child("featureGates"), gate, "is no name of a feature gate"))
		}
	}
	for served, value := range cluster.RuntimeConfig {
		if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9./_-]*$`).MatchString(served) {
			all = append(all, field.Invalid(path.Child("runtimeConfig"), served, "is no version or resource: write it as resource.k8s.io/v1beta1"))
		}
		if !regexp.MustCompile(`^[A-Za-z0-9]*$`).MatchString(value) {
			all = append(all, field.Invalid(path.Child("runtimeConfig").Key(served), value, "must be true or false"))
		}
	}
	return all
}
