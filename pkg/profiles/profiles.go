// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package profiles holds the built-in environments, one YAML file each.
package profiles

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
)

//go:embed files/*.yaml
var files embed.FS

// Profile is a built-in environment.
type Profile struct {
	Name string `json:"name"`
	// Aliases are the names that Gardener's make targets use since v1.123.
	Aliases []string `json:"aliases,omitempty"`
	Summary string   `json:"summary"`
	// ipv6 and dual are the versions of Gardener whose local setup has the profile with these families; IPv4 all have.
	ipv6, dual versions
}

// versions are those from since on until before until; the zero value is none.
type versions struct{ since, until gardener.Feature }

// newest is behind every version.
const newest gardener.Feature = 1 << 31

// Default is the profile that commands use when they are given none.
const Default = "local"

// List returns all profiles in the order in which they are shown. Which families they are there for: of IPv6 the VPN had no high
// availability before v1.116, gardener-operator made no garden before v1.126 (both families: v1.129), and from v1.142 on there are kind
// clusters of one node only.
func List() []Profile {
	all := versions{0, newest}
	return []Profile{
		{"local", []string{"single-node"}, "one node", all, all},
		{"local2", []string{"single-node2"}, "a second seed beside local", versions{}, versions{}},
		{
			"ha-single-zone", nil, "one control plane and two workers in one zone; shoot with failure tolerance node",
			versions{gardener.NewVPN, gardener.GardenletResource},
			versions{gardener.NewVPN, gardener.GardenletResource},
		},
		{"ha-single-zone2", nil, "a second seed with three nodes beside ha-single-zone", versions{}, versions{}},
		{
			"ha-multi-zone", nil, "one control plane and two workers in three zones; shoot with failure tolerance zone",
			versions{gardener.NewVPN, gardener.GardenletResource},
			versions{gardener.NewVPN, gardener.GardenletResource},
		},
		{"operator", nil, "three nodes in three zones, garden by gardener-operator", byOperatorIPv6(), byOperatorDual()},
		{"extensions", nil, "a garden for a remote seed, until v1.137", versions{}, versions{}},
		{"multi-node", nil, "as ha-single-zone, in the cluster of local as Gardener has it from v1.142 on", byOperatorIPv6(), byOperatorDual()},
		{"multi-node2", nil, "a second seed with three nodes beside multi-node", versions{}, versions{}},
		{"multi-zone", nil, "as ha-multi-zone, in the cluster of local as Gardener has it from v1.142 on", byOperatorIPv6(), byOperatorDual()},
	}
}

func byOperatorIPv6() versions { return versions{126, gardener.GardenletResource} }
func byOperatorDual() versions { return versions{129, gardener.GardenletResource} }

// FamilyError says that Gardener's local setup has no profile with some IP families.
type FamilyError struct {
	Profile  string
	Families []v1alpha1.IPFamily
	Version  gardener.Version
}

// Error implements error.
func (e *FamilyError) Error() string {
	return fmt.Sprintf("the local setup of Gardener %s has no profile %s for %v: choose %s, or write spec.ipFamilies into a file that you give with -f",
		e.Version, e.Profile, e.Families, Default)
}

// CheckFamilies returns a *FamilyError where the local setup of a version of Gardener does not have the profile with these families.
func (p Profile) CheckFamilies(families []v1alpha1.IPFamily, version gardener.Version) error {
	known := versions{0, newest}
	switch {
	case len(families) > 1:
		known = p.dual
	case families[0] == v1alpha1.IPv6:
		known = p.ipv6
	}
	if known == (versions{}) || !version.Has(known.since) || version.Has(known.until) {
		return &FamilyError{p.Name, families, version}
	}
	return nil
}

// UnknownError says that there is no profile of that name.
type UnknownError struct{ Name string }

// Error implements error.
func (e *UnknownError) Error() string {
	var names []string
	for _, profile := range List() {
		names = append(names, profile.Name)
	}
	return fmt.Sprintf("there is no profile %q: choose one of %s, or give an environment file with -f", e.Name, strings.Join(names, ", "))
}

// Find returns the profile of a name or an alias.
func Find(name string) (Profile, error) {
	for _, profile := range List() {
		if profile.Name == name || slices.Contains(profile.Aliases, name) {
			return profile, nil
		}
	}
	return Profile{}, &UnknownError{name}
}

// Source returns the environment file of a profile as it is written.
func Source(name string) ([]byte, error) {
	profile, err := Find(name)
	if err != nil {
		return nil, err
	}
	return files.ReadFile("files/" + profile.Name + ".yaml")
}

// Load returns the environment of a profile, adjusted, defaulted and validated.
func Load(name string, adjust ...v1alpha1.Adjust) (*v1alpha1.Environment, error) {
	data, err := Source(name)
	if err != nil {
		return nil, err
	}
	return v1alpha1.Load(data, "of profile "+name, adjust...)
}
