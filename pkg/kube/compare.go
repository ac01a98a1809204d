// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Difference is a field that is not as wanted.
type Difference struct {
	Path string
	Have string
	Want string
}

// ObjectDifference is what is different about one object.
type ObjectDifference struct {
	Object      string
	Missing     bool
	Differences []Difference
}

// compareInParallel is how many objects are read at the same time.
const compareInParallel = 16

// Compare reads objects from the cluster and compares them with what is wanted; see Differences. It returns an entry for each
// object, in their order.
func (c *Client) Compare(ctx context.Context, objects []*unstructured.Unstructured) ([]ObjectDifference, error) {
	compared := make([]ObjectDifference, len(objects))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(compareInParallel)
	for i, want := range objects {
		group.Go(func() error {
			live, err := c.Get(ctx, want)
			if err != nil {
				return err
			}
			compared[i] = ObjectDifference{Object: Name(want), Missing: live == nil}
			if live != nil {
				compared[i].Differences = Differences(want, live)
			}
			return nil
		})
	}
	return compared, group.Wait()
}

// Differences returns the fields of want that live has not, or has otherwise. Fields that only live has are the server's defaults
// or somebody else's. Lists are compared item by item, by name where the items have names.
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
	if isEmpty(want) && isEmpty(have) || path == "metadata.creationTimestamp" {
		return
	}
	switch want := want.(type) {
	case map[string]any:
		haveMap, _ := have.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(want)) {
			d.value(path+"."+key, want[key], haveMap[key])
		}
	case []any:
		haveList, _ := have.([]any)
		d.list(path, want, haveList)
	default:
		if !equal(path, want, have) {
			d.add(path, want, have)
		}
	}
}

func (d *differ) list(path string, want, have []any) {
	if named(want) && named(have) {
		for _, item := range want {
			name := nameOf(item)
			i := slices.IndexFunc(have, func(other any) bool { return nameOf(other) == name })
			if i < 0 {
				d.add(fmt.Sprintf("%s[%s]", path, name), item, nil)
				continue
			}
			d.value(fmt.Sprintf("%s[%s]", path, name), item, have[i])
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

// named says whether every item has a name of its own.
func named(list []any) bool {
	seen := map[string]bool{}
	for _, item := range list {
		name := nameOf(item)
		if name == "" || seen[name] {
			return false
		}
		seen[name] = true
	}
	return len(list) > 0
}

func nameOf(item any) string {
	fields, _ := item.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

// isEmpty says whether a value is the same as a field that is left out.
func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case map[string]any:
		for _, inner := range value {
			if !isEmpty(inner) {
				return false
			}
		}
		return true
	case []any:
		return len(value) == 0
	}
	return false
}

func equal(path string, want, have any) bool {
	wantText, haveText := show(want), show(have)
	if wantText == haveText {
		return true
	}
	if !strings.Contains(path, "resources.") {
		return isFalse(want) && have == nil || isFalse(have) && want == nil
	}
	wantQuantity, wantErr := resource.ParseQuantity(fmt.Sprint(want))
	haveQuantity, haveErr := resource.ParseQuantity(fmt.Sprint(have))
	return wantErr == nil && haveErr == nil && wantQuantity.Cmp(haveQuantity) == 0
}

// isFalse finds booleans and numbers that the server leaves out.
func isFalse(value any) bool { return value == false || value == int64(0) || value == float64(0) }

func show(value any) string {
	if value == nil {
		return "not set"
	}
	if text, ok := value.(string); ok {
		return text
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}
