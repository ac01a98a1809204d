// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// kind is one kind of document that has addresses.
type kind struct {
	name    string
	matches func(object map[string]any) bool
	// read takes the ranges of a document and returns what it is.
	read func(object map[string]any, where string, c *collector) (string, error)
}

// kinds returns everything that is recognised.
func kinds() []kind {
	return []kind{
		{"Seed", is("core.gardener.cloud/", "Seed"), readSeed},
		{"Gardenlet", is("seedmanagement.gardener.cloud/", "Gardenlet"), readGardenlet},
		{"ManagedSeed", is("seedmanagement.gardener.cloud/", "ManagedSeed"), readManagedSeed},
		{"gardenlet Helm values", hasPath("config", "seedConfig"), readGardenletValues},
		{"Garden", is("operator.gardener.cloud/", "Garden"), readGarden},
		{"Shoot", is("core.gardener.cloud/", "Shoot"), readShoot},
		{"kind configuration", is("kind.x-k8s.io/", "Cluster"), readKind},
		{"Helm values of Gardener's kind chart", isKindValues, readKindValues},
		{"IPPool", isPool, readPool},
	}
}

func recognise(object map[string]any) (kind, bool) {
	all := kinds()
	i := slices.IndexFunc(all, func(k kind) bool { return k.matches(object) })
	if i < 0 {
		return kind{}, false
	}
	return all[i], true
}

func is(group, name string) func(map[string]any) bool {
	return func(object map[string]any) bool {
		version, _ := object["apiVersion"].(string)
		return strings.HasPrefix(version, group) && object["kind"] == name
	}
}

func hasPath(first, second string) func(map[string]any) bool {
	return func(object map[string]any) bool {
		inner, _ := object[first].(map[string]any)
		_, found := inner[second]
		return found && object["kind"] == nil
	}
}

// isKindValues recognises the values of the chart example/gardener-local/kind/cluster by its keys: a profile may set only a few.
func isKindValues(object map[string]any) bool {
	known := []string{"backupBucket", "environment", "gardener", "image", "networking", "registry", "workers"}
	for key := range object {
		if !slices.Contains(known, key) {
			return false
		}
	}
	return true
}

func isPool(object map[string]any) bool {
	version, _ := object["apiVersion"].(string)
	return object["kind"] == "IPPool" && (version == "crd.projectcalico.org/v1" || version == "projectcalico.org/v3")
}

// into decodes the parts of a document that a type names. Documents are other people's: fields that are not named are theirs.
func into[T any](object map[string]any) (T, error) {
	var result T
	data, err := json.Marshal(object)
	if err != nil {
		return result, fmt.Errorf("encoding: %w", err)
	}
	if err := json.Unmarshal(data, &result); err != nil {
		return result, err
	}
	return result, nil
}
