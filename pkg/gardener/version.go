// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package gardener knows what differs between Gardener's versions as far as a local environment is concerned: one table of
// facts, each with the first release that has it. It knows no file, no engine and no cluster.
package gardener

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"
)

// DefaultVersion is the Gardener version that an environment is made for when it names none: the newest one that the
// rendered files were compared with.
const DefaultVersion = "v1.149.0"

// Version is a version of Gardener. Pre-releases count as their release: a checkout of v1.150-dev behaves like v1.150.
type Version struct {
	text   string
	parsed *version.Version
}

// Parse reads a version such as v1.149.0, 1.149 or v1.150-dev.
func Parse(text string) (Version, error) {
	parsed, err := version.ParseGeneric(text)
	if err != nil {
		return Version{}, fmt.Errorf("%q is no Gardener version: write one such as %s", text, DefaultVersion)
	}
	if parsed.Major() != 1 {
		return Version{}, fmt.Errorf("%q is no Gardener version: releases are numbered 1.x", text)
	}
	return Version{text: text, parsed: parsed}, nil
}

// MustParse is Parse for versions written in code; it panics on a typing error.
func MustParse(text string) Version {
	v, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return v
}

// String returns the version as it was written.
func (v Version) String() string { return v.text }

// Has says whether this version has a feature.
func (v Version) Has(f Feature) bool { return v.parsed.Minor() >= uint(f) }

// MarshalText implements encoding.TextMarshaler.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.text), nil }
