// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Difference is a field that is not as wanted.
type Difference struct {
	// Path of the field, such as "spec.template.spec.containers[calico-node].image".
	Path string
	// Have is "not set" for a field that is not there. Lists and objects are shown as JSON.
	Have string
	Want string
}

// Differences returns the fields of want that live has not, or has otherwise. Fields that only live has are the server's defaults
// or somebody else's. Items of lists are compared by name or port where all have one, else by position. A field that is left out is
// the same as an empty, false or zero one, because many kinds are written with such fields left out.
func Differences(want, live *unstructured.Unstructured) []Difference {
	d := differ{}
	for _, key := range slices.Sorted(maps.Keys(want.Object)) {
		if key != "status" && key != "apiVersion" && key != "kind" {
			d.value(key, want.Object[key], live.Object[key])
		}
	}
	return d.found
}

type differ struct{ found []Difference }

func (d *differ) add(path string, want, have any) {
	d.found = append(d.found, Difference{Path: path, Have: show(have), Want: show(want)})
}

func (d *differ) value(path string, want, have any) {
	// A null is no wish: the server puts its default there.
	if want == nil || isUnset(want) && isUnset(have) || ownedByServer(path) {
		return
	}
	switch want := want.(type) {
	case map[string]any:
		haveMap, isMap := have.(map[string]any)
		if !isMap && have != nil {
			d.add(path, want, have)
			return
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			d.value(path+"."+key, want[key], haveMap[key])
		}
	case []any:
		haveList, isList := have.([]any)
		if !isList {
			d.add(path, want, have)
			return
		}
		d.list(path, want, haveList)
	default:
		if !equal(path, want, have) {
			d.add(path, want, have)
		}
	}
}

// ownedByServer finds the metadata that a client can't set.
func ownedByServer(path string) bool {
	switch path {
	case "metadata.creationTimestamp", "metadata.generation", "metadata.managedFields", "metadata.resourceVersion", "metadata.uid":
		return true
	}
	return false
}

func (d *differ) list(path string, want, have []any) {
	wantByKey, wantOK := keyed(want)
	haveByKey, haveOK := keyed(have)
	if wantOK && haveOK && len(want) > 0 {
		for _, key := range slices.Sorted(maps.Keys(wantByKey)) {
			itemPath := fmt.Sprintf("%s[%s]", path, key)
			item, found := haveByKey[key]
			if !found {
				d.add(itemPath, wantByKey[key], nil)
				continue
			}
			d.value(itemPath, wantByKey[key], item)
		}
		return
	}
	if len(want) != len(have) {
		d.add(path, want, have)
		return
	}
	for i := range want {
		d.value(fmt.Sprintf("%s[%d]", path, i), want[i], have[i])
	}
}

// keyed returns the items of a list by their keys, if each item has one of its own.
func keyed(list []any) (map[string]any, bool) {
	items := map[string]any{}
	for _, item := range list {
		key := keyOf(item)
		if _, twice := items[key]; twice || key == "" {
			return nil, false
		}
		items[key] = item
	}
	return items, true
}

// keyOf returns the name of an item, or the port and protocol of one without a name, as in the ports of a Service.
func keyOf(item any) string {
	fields, _ := item.(map[string]any)
	if name, _ := fields["name"].(string); name != "" {
		return name
	}
	port, found := fields["port"]
	if !found {
		return ""
	}
	protocol, _ := fields["protocol"].(string)
	if protocol == "" {
		protocol = "TCP" // the default of every kind that has this field
	}
	return show(port) + "/" + protocol
}
