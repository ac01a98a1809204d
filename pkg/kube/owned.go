// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Unwanted returns the fields of live that FieldManager applied earlier and that want has no more: the next apply removes them. Items
// of lists are left to Differences.
func Unwanted(want, live *unstructured.Unstructured) ([]Difference, error) {
	var d differ
	for _, entry := range live.GetManagedFields() {
		if entry.Manager != FieldManager || entry.Operation != metav1.ManagedFieldsOperationApply || entry.FieldsV1 == nil {
			continue
		}
		var owned map[string]any
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &owned); err != nil {
			return nil, fmt.Errorf("reading which fields of %s are kindling's: %w", Name(live), err)
		}
		d.unwanted("", owned, want.Object, live.Object)
	}
	return d.found, nil
}

// fieldKey begins the name of a field in managedFields; items of lists have others.
const fieldKey = "f:"

func (d *differ) unwanted(path string, owned, want, have map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(owned)) {
		name, isField := strings.CutPrefix(key, fieldKey)
		if !isField || isUnset(have[name]) {
			continue
		}
		wanted, found := want[name]
		if !found {
			d.add(path+name, nil, have[name])
			continue
		}
		below, _ := owned[key].(map[string]any)
		wantMap, wantIsMap := wanted.(map[string]any)
		haveMap, haveIsMap := have[name].(map[string]any)
		if wantIsMap && haveIsMap {
			d.unwanted(path+name+".", below, wantMap, haveMap)
		}
	}
}
