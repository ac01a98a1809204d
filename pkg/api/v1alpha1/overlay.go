// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/pkg/api/strict"
)

// overlay lays an environment file over another one: mappings are merged, everything else, lists too, is replaced. The upper file is
// decoded strictly by itself first, so that problems have its lines.
func overlay(base, upper []byte) ([]byte, error) {
	if err := strict.Decode(upper, &Environment{}); err != nil {
		return nil, err
	}
	var lower, over map[string]any
	for _, document := range []struct {
		data []byte
		into *map[string]any
	}{{base, &lower}, {upper, &over}} {
		if err := yaml.Unmarshal(document.data, document.into); err != nil {
			return nil, fmt.Errorf("laying the file over the profile: %w", err)
		}
	}
	return yaml.Marshal(merge(lower, over))
}

func merge(lower, over map[string]any) map[string]any {
	for key, value := range over {
		inner, isMap := value.(map[string]any)
		below, belowIsMap := lower[key].(map[string]any)
		if isMap && belowIsMap {
			lower[key] = merge(below, inner)
		} else {
			lower[key] = value
		}
	}
	return lower
}
