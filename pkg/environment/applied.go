// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// The ConfigMap in the cluster that holds what kindling made it from. It lives and dies with the cluster, so it can't go stale.
const (
	appliedNamespace = "kube-system"
	appliedName      = "kindling"
	appliedKindKey   = "kind.json"
	appliedPoolsKey  = "pools-proved"
)

func appliedObject(environment string, data map[string]string) *unstructured.Unstructured {
	values := map[string]any{}
	for key, value := range data {
		values[key] = value
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{
			"namespace": appliedNamespace, "name": appliedName,
			"labels": map[string]any{render.EnvironmentLabel: environment},
		},
		"data": values,
	}}
}

// config returns the kind configuration that the environment file asks for.
func (c *cluster) config() (*kindv1alpha4.Cluster, error) {
	return render.KindCluster(c.env.spec, c.env.plan, c.spec, c.env.renderOptions(""))
}

func (c *cluster) recordApplied(ctx context.Context, config *kindv1alpha4.Cluster) error {
	data, err := json.Marshal(config)
	if err != nil {
		return fmt.Errorf("encoding the kind configuration: %w", err)
	}
	return c.writeApplied(ctx, map[string]string{appliedKindKey: string(data)})
}

func (c *cluster) writeApplied(ctx context.Context, data map[string]string) error {
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	if _, err := client.Apply(ctx, []*unstructured.Unstructured{appliedObject(c.env.name(), data)}); err != nil {
		return fmt.Errorf("recording the configuration in cluster %s: %w", c.spec.Name, err)
	}
	return nil
}

// appliedData returns what the ConfigMap holds. A cluster without it, or with another environment's, is not this environment's.
func (c *cluster) appliedData(ctx context.Context) (map[string]string, error) {
	client, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	object, err := client.Get(ctx, appliedObject(c.env.name(), nil))
	if err != nil {
		return nil, fmt.Errorf("reading the configuration of cluster %s: %w", c.spec.Name, err)
	}
	foreign := &ForeignError{
		What: "a kind cluster called " + c.spec.Name, Have: "made by kind or another tool", Want: "made for environment " + c.env.name(),
		Remedy: "remove it with: kind delete cluster --name " + c.spec.Name + "\nor give the environment's cluster another name",
	}
	if object == nil {
		return nil, foreign
	}
	if owner := object.GetLabels()[render.EnvironmentLabel]; owner != c.env.name() {
		foreign.Have = "made for environment " + owner
		foreign.Remedy = "take environment " + owner + " down, or give this environment's cluster another name"
		return nil, foreign
	}
	data, _, err := unstructured.NestedStringMap(object.Object, "data")
	return data, err
}

// applied returns the kind configuration that the cluster was made from.
func (c *cluster) applied(ctx context.Context) (*kindv1alpha4.Cluster, error) {
	data, err := c.appliedData(ctx)
	if err != nil {
		return nil, err
	}
	config := &kindv1alpha4.Cluster{}
	if err := json.Unmarshal([]byte(data[appliedKindKey]), config); err != nil {
		return nil, fmt.Errorf("the ConfigMap %s/%s in cluster %s is damaged: %w", appliedNamespace, appliedName, c.spec.Name, err)
	}
	return config, nil
}

// compareConfigs names the fields in which two kind configurations differ. kind can change none of them in place.
func compareConfigs(have, want *kindv1alpha4.Cluster) ([]steps.Difference, error) {
	var trees [2]any
	for i, config := range []*kindv1alpha4.Cluster{have, want} {
		data, err := json.Marshal(config)
		if err != nil {
			return nil, fmt.Errorf("encoding a kind configuration: %w", err)
		}
		if err := json.Unmarshal(data, &trees[i]); err != nil {
			return nil, fmt.Errorf("decoding a kind configuration: %w", err)
		}
	}
	return compareTrees("", trees[0], trees[1]), nil
}

func compareTrees(path string, have, want any) []steps.Difference {
	haveMap, haveIsMap := have.(map[string]any)
	wantMap, wantIsMap := want.(map[string]any)
	if haveIsMap && wantIsMap {
		keys := map[string]bool{}
		for key := range haveMap {
			keys[key] = true
		}
		for key := range wantMap {
			keys[key] = true
		}
		var all []steps.Difference
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			child := key
			if path != "" {
				child = path + "." + key
			}
			all = append(all, compareTrees(child, haveMap[key], wantMap[key])...)
		}
		return all
	}
	haveList, haveIsList := have.([]any)
	wantList, wantIsList := want.([]any)
	if haveIsList && wantIsList && len(haveList) == len(wantList) {
		var all []steps.Difference
		for i := range haveList {
			all = append(all, compareTrees(fmt.Sprintf("%s[%d]", path, i), haveList[i], wantList[i])...)
		}
		return all
	}
	if haveText, wantText := compact(have), compact(want); haveText != wantText {
		return []steps.Difference{{Field: path, Have: haveText, Want: wantText, Recreate: true}}
	}
	return nil
}

func compact(value any) string {
	if value == nil {
		return "not set"
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}
