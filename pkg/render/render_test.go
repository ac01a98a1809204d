// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/render"
)

func load(t *testing.T, spec string) (*v1alpha1.Environment, *netplan.Plan) {
	t.Helper()
	env, err := v1alpha1.Load([]byte("apiVersion: kindling.gardener.cloud/v1alpha1\nkind: Environment\nmetadata: {name: test}\nspec:\n"+spec), "test")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := netplan.New(env)
	if err != nil {
		t.Fatal(err)
	}
	return env, plan
}

// tree decodes YAML and returns what is at a path of keys.
func tree(t *testing.T, content []byte, path ...string) any {
	t.Helper()
	var root any
	if err := yaml.UnmarshalStrict(content, &root); err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	for _, key := range path {
		fields, _ := root.(map[string]any)
		root = fields[key]
	}
	return root
}

// TestAgainstGardenersFiles compares with the files of Gardener's own local setup: what is rendered for that version has the same
// fields with the same values, but for those that this project exists to change.
func TestAgainstGardenersFiles(t *testing.T) {
	for name, test := range map[string]struct {
		spec string
		file string
		path []string // of the part that is compared, in Gardener's file
		have func(env *v1alpha1.Environment, plan *netplan.Plan) ([]byte, error)
		// changed are the paths that differ on purpose.
		changed []string
	}{
		"seed of v1.93.0": {
			spec: "  gardener: {version: v1.93.0}", file: "v1.93.0/gardenlet-values.yaml", path: []string{"config", "seedConfig"},
			have: seed, changed: []string{"spec.networks.nodes"}, // a /24, so that load-balancer addresses lie outside
		},
		"seed of v1.149.0": {
			spec: "  gardener: {version: v1.149.0}", file: "v1.149.0/gardenlet.yaml", path: nil, have: seed,
		},
		"shoot of v1.93.0": {
			spec: "  gardener: {version: v1.93.0}", file: "v1.93.0/shoot.yaml", have: shoot,
			changed: []string{"metadata.annotations.shoot.gardener.cloud/infrastructure-cleanup-wait-period-seconds"}, // had no effect any more
		},
		"shoot of v1.96.0":       {spec: "  gardener: {version: v1.96.0}", file: "v1.96.0/shoot.yaml", have: shoot, changed: []string{"spec.networking.nodes"}},
		"shoot of v1.128.0":      {spec: "  gardener: {version: v1.128.0}", file: "v1.128.0/shoot.yaml", have: shoot, changed: []string{"spec.networking.nodes"}},
		"shoot of v1.149.0":      {spec: "  gardener: {version: v1.149.0}", file: "v1.149.0/shoot.yaml", have: shoot, changed: []string{"spec.networking.nodes"}},
		"IPv6 shoot of v1.149.0": {spec: "  ipFamilies: [IPv6]", file: "v1.149.0/shoot-ipv6.yaml", have: shoot, changed: []string{"spec.networking.nodes", "metadata.annotations.authentication.gardener.cloud/issuer"}},
	} {
		t.Run(name, func(t *testing.T) {
			want := tree(t, testutil.ReadFile(t, testutil.Shared(t, filepath.Join("gardener", test.file))), test.path...)
			content, err := test.have(load(t, test.spec))
			if err != nil {
				t.Fatal(err)
			}
			have := tree(t, content, test.path...)
			for _, path := range test.changed {
				remove(want, path)
				remove(have, path)
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("Gardener's (-) and rendered (+) differ:\n%s", diff)
			}
		})
	}
}

func seed(env *v1alpha1.Environment, plan *netplan.Plan) ([]byte, error) {
	return render.Seed(plan, env.Spec.Clusters[0], render.Options{})
}

func shoot(_ *v1alpha1.Environment, plan *netplan.Plan) ([]byte, error) { return render.Shoots(plan) }

// remove takes a field out; the path's last key may contain dots, as annotations do.
func remove(node any, path string) {
	fields, _ := node.(map[string]any)
	if _, there := fields[path]; there {
		delete(fields, path)
		return
	}
	key, rest, _ := strings.Cut(path, ".")
	if inner, ok := fields[key]; ok {
		remove(inner, rest)
	}
}

func TestWhatIsNotCoveredIsSaid(t *testing.T) {
	for name, test := range map[string]struct {
		spec     string
		want     string
		excluded string // must not be rendered
	}{
		"an old Kubernetes has no admission policy": {"  clusters: [{name: a, nodeImage: \"kindest/node:v1.35.1\"}]", "older than 1.36", "MutatingAdmissionPolicy"},
		"an old Calico has no guard":                {"  calico: {version: v3.29.1}", "older than v3.30", "GlobalNetworkPolicy"},
		"a guard that is switched off":              {"  calico: {machinePool: {guard: false}}", "the guard is switched off", "Tier"},
		"the layout Legacy":                         {"  gardener: {version: v1.93.0}", "a broken VPN is not seen", "machine-pods-ipv4"},
		"provider-local without pools":              {"  gardener: {version: v1.95.0}\n  layout: Split\n  calico: {machinePool: {owner: ProviderLocal}}", "makes no pools", "machine-pods-ipv4"},
	} {
		t.Run(name, func(t *testing.T) {
			env, plan := load(t, test.spec)
			opts := render.Options{Encapsulation: v1alpha1.EncapsulationIPIP}
			if notices := strings.Join(render.Notices(env, plan, opts), "\n"); !strings.Contains(notices, test.want) {
				t.Errorf("notices lack %q:\n%s", test.want, notices)
			}
			content, err := render.CalicoPools(env, plan, env.Spec.Clusters[0], opts)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(content), "kind: "+test.excluded+"\n") || strings.Contains(string(content), "name: "+test.excluded+"\n") {
				t.Errorf("%s is rendered all the same", test.excluded)
			}
		})
	}
}

func TestCgroupV1Patch(t *testing.T) {
	for name, test := range map[string]struct {
		image    string
		cgroupV1 bool
		want     bool
	}{
		"new Kubernetes on cgroup v1":       {"kindest/node:v1.35.0", true, true},
		"new Kubernetes on cgroup v2":       {"kindest/node:v1.35.0", false, false},
		"old Kubernetes on cgroup v1":       {"kindest/node:v1.34.3", true, false},
		"an unknown Kubernetes counts new":  {"example.com/node:latest", true, true},
		"an image with a port and a digest": {"localhost:5001/node:v1.34.0@sha256:0123456789012345678901234567890123456789012345678901234567890123", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			env, plan := load(t, "  ipFamilies: [IPv4]")
			content, err := render.KindConfig(env, plan, v1alpha1.Cluster{Name: "a", NodeImage: test.image}, render.Options{CgroupV1: test.cgroupV1})
			if err != nil {
				t.Fatal(err)
			}
			if have := strings.Contains(string(content), "failCgroupV1: false"); have != test.want {
				t.Errorf("patched: %t, want %t", have, test.want)
			}
		})
	}
}

func TestSeedForms(t *testing.T) {
	for name, test := range map[string]struct {
		version string
		form    render.SeedForm
		want    string
	}{
		"Helm values before v1.142":       {"v1.141.0", "", "config:\n  seedConfig:"},
		"a Gardenlet from v1.142":         {"v1.142.0", "", "kind: Gardenlet"},
		"a Seed when asked for":           {"v1.142.0", render.SeedFormSeed, "kind: Seed"},
		"a Gardenlet before is refused":   {"v1.141.0", render.SeedFormGardenlet, ""},
		"a pre-release counts as its own": {"v1.142-dev", "", "kind: Gardenlet"},
	} {
		t.Run(name, func(t *testing.T) {
			env, plan := load(t, "  gardener: {version: "+test.version+"}")
			content, err := render.Seed(plan, env.Spec.Clusters[0], render.Options{SeedForm: test.form})
			if (err != nil) != (test.want == "") || !strings.Contains(string(content), test.want) {
				t.Errorf("%v\n%s", err, content)
			}
		})
	}
}
