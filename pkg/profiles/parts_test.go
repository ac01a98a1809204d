// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package profiles_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/checkout"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/profiles"
)

// What the values files below example/gardener-local/kind of a release say about parts, laid over those of the chart.
const (
	chartWithSeed    = "{controlPlane: {deployed: true, kindIsGardenCluster: true}, seed: {deployed: true}, garden: {deployed: false}}"
	chartWithoutSeed = "{controlPlane: {deployed: true, kindIsGardenCluster: true}}"
	gardenOfOperator = "{controlPlane: {deployed: true, kindIsGardenCluster: false}, garden: {deployed: true}}"
	onlySeed         = "{controlPlane: {deployed: false}}"
	asTheChart       = "{}"
)

// A profile and the values file of the same name are two ways to the same cluster.
func TestProfilesHaveThePartsOfTheValuesOfARelease(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ version, profile, chart, values string }{
		{"v1.101.0", "operator", chartWithSeed, gardenOfOperator},
		{"v1.122.0", "local", chartWithSeed, asTheChart},
		{"v1.123.0", "local", chartWithSeed, asTheChart},
		{"v1.123.0", "multi-node", chartWithSeed, gardenOfOperator},
		{"v1.123.0", "multi-zone", chartWithSeed, gardenOfOperator},
		{"v1.123.0", "multi-node2", chartWithSeed, onlySeed},
		{"v1.128.0", "multi-node", chartWithSeed, gardenOfOperator},
		{"v1.128.0", "multi-zone", chartWithSeed, gardenOfOperator},
		{"v1.128.0", "multi-node2", chartWithSeed, onlySeed},
		{"v1.141.0", "local", chartWithoutSeed, asTheChart},
		{"v1.141.0", "multi-node", chartWithoutSeed, gardenOfOperator},
		{"v1.141.0", "multi-zone", chartWithoutSeed, gardenOfOperator},
		{"v1.141.0", "multi-node2", chartWithoutSeed, onlySeed},
	} {
		t.Run(test.profile+" at "+test.version, func(t *testing.T) {
			t.Parallel()
			opened := checkout.Checkout{Version: gardener.MustParse(test.version)}
			cluster := opened.ClusterName(test.profile)
			env, err := profiles.Load(test.profile, func(env *v1alpha1.Environment) error {
				env.Spec.Gardener.Version, env.Spec.Gardener.Cluster = test.version, checkout.GardenOf(cluster)
				env.Spec.Clusters[0].Name = cluster
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			want := partsOf(t, opened, cluster, test.chart, test.values)
			if diff := cmp.Diff(want, env.Spec.Clusters[0].Parts, cmpopts.SortSlices(func(a, b v1alpha1.Part) bool { return a < b })); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// partsOf returns the parts that kind-up makes of values.
func partsOf(t *testing.T, opened checkout.Checkout, cluster, chart, values string) []v1alpha1.Part {
	t.Helper()
	dir := t.TempDir()
	lower, over := filepath.Join(dir, "chart.yaml"), filepath.Join(dir, "values.yaml")
	for path, content := range map[string]string{lower: "gardener: " + chart + "\nbackupBucket: {deployed: true}\n", over: "gardener: " + values + "\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read, err := checkout.ReadValues(lower, over)
	if err != nil {
		t.Fatal(err)
	}
	env, err := opened.Environment(read, checkout.Request{ClusterName: cluster})
	if err != nil {
		t.Fatal(err)
	}
	return env.Spec.Clusters[0].Parts
}
