// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package checkout_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/checkout"
	"github.com/gardener/kindling/pkg/gardener"
)

// tree writes files below a folder of the test.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpen(t *testing.T) {
	module := "module github.com/gardener/gardener\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  string
		// wrong is part of the error.
		wrong string
	}{
		"a release":               {files: map[string]string{"go.mod": module, "VERSION": "v1.93.0\n"}, want: "v1.93.0"},
		"between releases":        {files: map[string]string{"go.mod": module, "VERSION": "v1.150.0-dev"}, want: "v1.150.0-dev"},
		"a folder of nothing":     {wrong: "go.mod"},
		"another module":          {files: map[string]string{"go.mod": "module example.com/a\n", "VERSION": "v1.93.0"}, wrong: `module "example.com/a"`},
		"without VERSION":         {files: map[string]string{"go.mod": module}, wrong: "VERSION"},
		"with a VERSION of words": {files: map[string]string{"go.mod": module, "VERSION": "latest"}, wrong: `"latest" is no Gardener version`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opened, err := checkout.Open(tree(t, test.files))
			if test.wrong == "" {
				if err != nil || opened.Version.String() != test.want {
					t.Errorf("version %s: %v", opened.Version, err)
				}
				return
			}
			if _, ok := errors.AsType[*checkout.Error](err); !ok || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("error %v, want one about %s", err, test.wrong)
			}
		})
	}
}

func TestFindsTheCheckoutAroundAFolder(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"go.mod": "module github.com/gardener/gardener\n", "VERSION": "v1.93.0", "example/gardener-local/kind/cluster/values.yaml": ""})
	found, err := checkout.Around(filepath.Join(dir, "example/gardener-local/kind/cluster"))
	if err != nil || found.Dir != dir {
		t.Errorf("found %s, want %s: %v", found.Dir, dir, err)
	}
	if _, err := checkout.Around(t.TempDir()); err == nil {
		t.Error("found one where there is none")
	}
}

func TestKubeconfigsAreWhereTheMakefileLooks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		version, cluster string
		want             []string
	}{
		"the first cluster at v1.93":   {"v1.93.0", "gardener-local", []string{"example/gardener-local/kind/local/kubeconfig", "example/provider-local/seed-kind/base/kubeconfig"}},
		"the operator's at v1.93":      {"v1.93.0", "gardener-operator-local", []string{"example/gardener-local/kind/operator/kubeconfig"}},
		"the operator's at v1.98":      {"v1.98.0", "gardener-operator-local", []string{"example/gardener-local/kind/operator/kubeconfig", "example/provider-local/seed-operator/base/kubeconfig"}},
		"the operator's at v1.128":     {"v1.128.0", "gardener-operator-local", []string{"example/gardener-local/kind/multi-zone/kubeconfig", "dev-setup/gardenlet/components/kubeconfigs/seed-local/kubeconfig"}},
		"the second one at v1.149":     {"v1.149.0", "gardener-local2", []string{"dev-setup/kubeconfigs/seed2/kubeconfig", "dev-setup/gardenlet/components/kubeconfigs/seed-local2/kubeconfig", "internal dev-setup/gardenlet/components/kubeconfigs/seed-local2/kubeconfig-gardener-operator"}},
		"one that no script makes":     {"v1.149.0", "mine", nil},
		"one that is not made anymore": {"v1.149.0", "gardener-operator-local", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, one := range (checkout.Checkout{Dir: "/g", Version: gardener.MustParse(test.version)}).Kubeconfigs(test.cluster) {
				path := strings.TrimPrefix(filepath.ToSlash(one.Path), "/g/")
				if one.Internal {
					path = "internal " + path
				}
				got = append(got, path)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClustersOfProfiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ version, profile, want string }{
		{"v1.93.0", "ha-single-zone", "gardener-local-ha-single-zone"},
		{"v1.93.0", "multi-node", ""},
		{"v1.128.0", "multi-node", "gardener-operator-local"},
		{"v1.149.0", "multi-node", "gardener-local"},
		{"v1.149.0", "ha-single-zone", ""},
		{"v1.149.0", "extensions", ""},
	} {
		if got := (checkout.Checkout{Version: gardener.MustParse(test.version)}).ClusterName(test.profile); got != test.want {
			t.Errorf("%s at %s is %q, want %q", test.profile, test.version, got, test.want)
		}
	}
	if got := (checkout.Checkout{Version: gardener.MustParse("v1.149.0")}).Profiles(); !cmp.Equal(got, []string{"local", "local2", "multi-node", "multi-node2", "multi-zone"}) {
		t.Errorf("profiles %v", got)
	}
}

func TestReadValues(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"base.yaml":    "gardener: {controlPlane: {deployed: true}, seed: {istio: {listenAddresses: [127.0.0.1]}}}\nworkers: [{zone: \"0\"}]\n",
		"over.yaml":    "gardener: {controlPlane: {deployed: false}}\nworkers: [{zone: \"1\"}, {zone: \"2\"}]\n",
		"empty.yaml":   "# nothing\n",
		"unknown.yaml": "gardener:\n  seeds:\n    deployed: true\n",
		"broken.yaml":  "gardener: [\n",
	})
	path := func(name string) string { return filepath.Join(dir, name) }
	values, err := checkout.ReadValues(path("base.yaml"), path("over.yaml"), path("empty.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := checkout.Values{
		Gardener: checkout.Gardener{
			ControlPlane: checkout.ControlPlane{Deployed: new(false)},
			Seed:         checkout.Seed{Istio: checkout.Listen{ListenAddresses: []string{"127.0.0.1"}}},
		},
		Workers: []checkout.Worker{{Zone: "1"}, {Zone: "2"}},
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Error(diff)
	}
	for name, part := range map[string]string{"unknown.yaml": "line 2: gardener.seeds: unknown field", "broken.yaml": "line", "missing.yaml": "no such file"} {
		_, err := checkout.ReadValues(path(name))
		if _, ok := errors.AsType[*checkout.FileError](err); !ok || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: error %v, want one about %s", name, err, part)
		}
	}
}

func TestValuesOfTheReleaseBecomeEnvironments(t *testing.T) {
	t.Parallel()
	shared := func(name string) string { return testutil.Shared(t, "gardener/v1.93.0/"+name) }
	c := checkout.Checkout{Dir: "/g", Version: gardener.MustParse("v1.93.0")}
	part := func(parts ...v1alpha1.Part) []v1alpha1.Part { return parts }
	for name, test := range map[string]struct {
		cluster, values, family string
		parts                   []v1alpha1.Part
		zones                   string
		garden, pods            string
	}{
		"local":           {"gardener-local", "kind-local-values.yaml", "", part("ControlPlane", "Seed", "BackupBucket"), "", "gardener-local", "10.1.0.0/16"},
		"local2":          {"gardener-local2", "kind-local2-values.yaml", "", part("Seed", "BackupBucket"), "", "gardener-local", "10.1.0.0/16"},
		"ha-multi-zone":   {"gardener-local-ha-multi-zone", "kind-ha-multi-zone-values.yaml", "", part("ControlPlane", "Seed", "BackupBucket"), "12", "gardener-local-ha-multi-zone", "10.1.0.0/16"},
		"ha-single-zone2": {"gardener-local2-ha-single-zone", "kind-ha-single-zone2-values.yaml", "", part("Seed", "BackupBucket"), "00", "gardener-local-ha-single-zone", "10.1.0.0/16"},
		"operator":        {"gardener-operator-local", "kind-operator-values.yaml", "", part("Garden", "BackupBucket"), "12", "gardener-operator-local", "10.1.0.0/16"},
		"extensions":      {"gardener-extensions", "kind-extensions-values.yaml", "", part("ControlPlane", "APIServerRelay", "BackupBucket"), "", "gardener-extensions", "10.1.0.0/16"},
		"local, ipv6":     {"gardener-local", "kind-local-values.yaml", "ipv6", part("ControlPlane", "Seed", "BackupBucket"), "", "gardener-local", "fd00:10:1::/56"},
		"local, dual":     {"gardener-local", "kind-local-values.yaml", "dual", part("ControlPlane", "Seed", "BackupBucket"), "", "gardener-local", "10.1.0.0/16,fd00:10:1::/56"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			paths := []string{shared("kind-values.yaml"), shared(test.values)}
			if test.family != "" {
				paths = append(paths, shared("kind-values-"+test.family+".yaml"))
			}
			values, err := checkout.ReadValues(paths...)
			if err != nil {
				t.Fatal(err)
			}
			families, err := checkout.Families(test.family, c.Version)
			if err != nil {
				t.Fatal(err)
			}
			env, err := c.Environment(values, checkout.Request{ClusterName: test.cluster, Families: families})
			if err != nil {
				t.Fatal(err)
			}
			cluster := env.Spec.Clusters[0]
			zones := ""
			for _, node := range cluster.Nodes[1:] {
				zones += node.Zone
			}
			pods := strings.Trim(env.Spec.Networks.IPv4.Pods+","+env.Spec.Networks.IPv6.Pods, ",")
			if zones != test.zones || env.Spec.Gardener.Cluster != test.garden || pods != test.pods || env.Spec.NodeImage != "kindest/node:v1.29.2" {
				t.Errorf("zones %s, garden in %s, pods %s, image %s", zones, env.Spec.Gardener.Cluster, pods, env.Spec.NodeImage)
			}
			if diff := cmp.Diff(test.parts, cluster.Parts); diff != "" {
				t.Error(diff)
			}
		})
	}
}
