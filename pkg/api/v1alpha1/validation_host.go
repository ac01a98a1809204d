// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"net/url"
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateImage(image string, path *field.Path) field.ErrorList {
	if regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9./:@_-]*$`).MatchString(image) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, image, "is no image reference")}
}

func validateRegistry(registry Registry, path *field.Path) field.ErrorList {
	all := validateImage(registry.Image, path.Child("image"))
	all = append(all, validateMounted(registry.Dir, path.Child("dir"))...)
	for _, text := range validation.IsValidPortNum(int(registry.Port)) {
		all = append(all, field.Invalid(path.Child("port"), registry.Port, text))
	}
	hosts := map[string]bool{}
	for i, cache := range registry.Caches {
		at := path.Child("caches").Index(i)
		if !regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]+)?$`).MatchString(cache.Host) {
			all = append(all, field.Invalid(at.Child("host"), cache.Host, "is no host of images: write it as registry.k8s.io"))
		}
		if hosts[cache.Host] {
			all = append(all, field.Duplicate(at.Child("host"), cache.Host))
		}
		hosts[cache.Host] = true
		remote, err := url.Parse(cache.RemoteURL)
		if err != nil || remote.Host == "" || remote.Scheme != "https" && remote.Scheme != "http" {
			all = append(all, field.Invalid(at.Child("remoteURL"), cache.RemoteURL, "must be a URL with http:// or https://"))
		}
	}
	return all
}
