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
)

//go:embed files/*.yaml
var files embed.FS

// Profile is a built-in environment.
type Profile struct {
	Name string `json:"name"`
	// Aliases are the names that Gardener's make targets use since v1.123.
	Aliases []string `json:"aliases,omitempty"`
	Summary string   `json:"summary"`
}

// Default is the profile that commands use when they are given none.
const Default = "local"

// List returns all profiles in the order in which they are shown.
func List() []Profile {
	return []Profile{
		{"local", []string{"single-node"}, "one node"},
		{"ha-single-zone", []string{"multi-node"}, "one control plane and two workers in one zone; shoot with failure tolerance node"},
		{"ha-multi-zone", []string{"multi-zone"}, "one control plane and two workers in three zones; shoot with failure tolerance zone"},
	}
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

// Load returns the environment of a profile, defaulted and validated.
func Load(name string) (*v1alpha1.Environment, error) {
	data, err := Source(name)
	if err != nil {
		return nil, err
	}
	return v1alpha1.Load(data, "of profile "+name)
}
