// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package calico gets Calico's manifest from a pinned place, parses it, and adapts it by structure to pools that kindling makes
// itself.
package calico

import "fmt"

// Source says where a manifest comes from: a file, or a URL with a checksum.
type Source struct {
	// Version such as v3.32.1.
	Version string
	URL     string
	Path    string
	// SHA256 in lower-case hexadecimal. Required for a URL; for a file it is checked when given.
	SHA256 string
}

// pinned returns the versions whose manifest is known, newest first.
func pinned() []Source {
	return []Source{
		{Version: "v3.32.1", SHA256: "a1df919d9721cf667accdc3e72848911b0cb25cfab7d2478ad0c996302c95744"},
		{Version: "v3.31.6", SHA256: "34012557637766d4367f0e7d2ea8b6507fca6df68e08b87fcdcd527f689e2637"},
	}
}

// Pinned returns the project's own manifest of a version, when its checksum is known.
func Pinned(version string) (Source, bool) {
	for _, source := range pinned() {
		if source.Version == version {
			source.URL = fmt.Sprintf("https://raw.githubusercontent.com/projectcalico/calico/%s/manifests/calico.yaml", version)
			return source, true
		}
	}
	return Source{}, false
}

// PinnedVersions returns the versions whose manifest is known, newest first.
func PinnedVersions() []string {
	var versions []string
	for _, source := range pinned() {
		versions = append(versions, source.Version)
	}
	return versions
}
