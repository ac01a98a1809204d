// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package inspect_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/inspect"
	"github.com/gardener/kindling/pkg/netplan"
)

// violations reads files given as name, content pairs, and returns the rules that they break.
func violations(t *testing.T, version string, mode netplan.Mode, files ...inspect.File) []string {
	t.Helper()
	read, err := inspect.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	read.Subject.Version = gardener.MustParse(version)
	var broken []string
	for _, finding := range append(read.Findings, netplan.Check(read.Subject, mode)...) {
		if finding.Level == netplan.LevelViolation {
			broken = append(broken, finding.Rule+": "+finding.A.Name)
		}
	}
	return broken
}

func shared(t *testing.T, names ...string) []inspect.File {
	t.Helper()
	var files []inspect.File
	for _, name := range names {
		files = append(files, inspect.File{Name: filepath.Base(name), Content: testutil.ReadFile(t, testutil.Shared(t, filepath.Join("gardener", name)))})
	}
	return files
}

// TestGardenersOwnFiles says of each version's own files what there is to say.
func TestGardenersOwnFiles(t *testing.T) {
	for name, test := range map[string]struct {
		version string
		mode    netplan.Mode
		files   []string
		want    []string
	}{
		"v1.93.0 lacks nodes": {
			"v1.93.0", netplan.ModeStrict,
			[]string{"v1.93.0/gardenlet-values.yaml", "v1.93.0/shoot.yaml", "v1.93.0/kind-values.yaml"},
			[]string{"nodes-set: nodes of shoot garden-local/local"},
		},
		"Gardener v1.93.0 was content with them": {
			"v1.93.0", netplan.ModeGardener, []string{"v1.93.0/gardenlet-values.yaml", "v1.93.0/shoot.yaml"}, nil,
		},
		"v1.93.0 with IPv6 lacks nodes": {
			"v1.93.0", netplan.ModeStrict,
			[]string{"v1.93.0/gardenlet-values-ipv6.yaml", "v1.93.0/shoot-ipv6.yaml", "v1.93.0/kind-values-ipv6.yaml"},
			[]string{"nodes-set: nodes of shoot garden-local/local"},
		},
		"v1.96.0 is content": {
			"v1.96.0", netplan.ModeStrict, []string{"v1.96.0/gardenlet-values.yaml", "v1.96.0/shoot.yaml", "v1.96.0/shoot-ipv6.yaml"}, nil,
		},
		"v1.96.0's shoot with a newer provider-local": {
			"v1.128.0", netplan.ModeStrict,
			[]string{"v1.96.0/gardenlet-values.yaml", "v1.96.0/shoot.yaml"},
			[]string{"provider-local: nodes of shoot garden-local/local"},
		},
		"v1.149.0 is content": {
			"v1.149.0", netplan.ModeStrict,
			[]string{"v1.149.0/gardenlet.yaml", "v1.149.0/garden.yaml", "v1.149.0/kind-cluster.yaml", "v1.149.0/shoot.yaml", "v1.149.0/shoot-ipv6.yaml", "v1.149.0/shoot-workerless.yaml"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, violations(t, test.version, test.mode, shared(t, test.files...)...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEveryFileIsRecognised reads every file of Gardener that is at hand.
func TestEveryFileIsRecognised(t *testing.T) {
	root := testutil.Shared(t, "gardener")
	paths, err := filepath.Glob(filepath.Join(root, "*", "*.yaml"))
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		// Together with another file: values that change nothing are empty.
		files := []inspect.File{{Name: "seed.yaml", Content: []byte(seedFile)}, {Name: path, Content: testutil.ReadFile(t, path)}}
		if _, err := inspect.Read(files); err != nil {
			t.Error(err)
		}
	}
}

const (
	seedFile = `apiVersion: core.gardener.cloud/v1beta1
kind: Seed
metadata: {name: local}
spec:
  networks: {nodes: 172.18.0.0/24, pods: 10.1.0.0/16, services: 10.2.0.0/16, shootDefaults: {pods: 10.3.0.0/16, services: 10.4.0.0/16}}
`
	shootHead = `apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: local, namespace: garden-local}
spec:
  provider: {workers: [{name: a}]}
`
	kindFile = `kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
name: a
networking: {podSubnet: 10.0.0.0/15, serviceSubnet: 10.2.0.0/16}
`
	poolHead = "apiVersion: crd.projectcalico.org/v1\nkind: IPPool\n"
)

func TestRulesOverFiles(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		want    []string
	}{
		"all is well":                     {seedFile + "---\n" + shootHead + "  networking: {nodes: 10.0.0.0/16}\n---\n" + kindFile, nil},
		"no nodes":                        {seedFile + "---\n" + shootHead, []string{"nodes-set: nodes of shoot garden-local/local"}},
		"a workerless shoot needs none":   {"apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a, namespace: b}\nspec: {}\n", nil},
		"nodes in seed pods":              {seedFile + "---\n" + shootHead + "  networking: {nodes: 10.1.128.0/17}\n", []string{"shoot-seed: nodes of shoot garden-local/local", "provider-local: nodes of shoot garden-local/local"}},
		"shoot pods of the seed in nodes": {seedFile + "---\n" + shootHead + "  networking: {nodes: 10.3.0.0/16}\n", []string{"shoot-ranges: nodes of shoot garden-local/local", "provider-local: nodes of shoot garden-local/local"}},
		"the seed names the pod CIDR":     {strings.Replace(seedFile, "10.1.0.0/16", "10.0.0.0/15", 1) + "---\n" + shootHead + "  networking: {nodes: 10.0.0.0/16}\n", []string{"shoot-seed: nodes of shoot garden-local/local"}},
		"the seed names other services":   {strings.Replace(seedFile, "10.2.0.0/16", "10.5.0.0/16", 1) + "---\n" + kindFile, []string{"seed-matches-cluster: services of seed local"}},
		"a pool with host bits":           {poolHead + "metadata: {name: a}\nspec: {cidr: 10.1.0.1/16}\n", []string{"pools: pool a"}},
		"a machine pool for everybody":    {poolHead + "metadata: {name: shoot-machine-pods-a}\nspec: {cidr: 10.0.0.0/16, nodeSelector: all()}\n", []string{"pools: pool shoot-machine-pods-a"}},
		"a CIDR that is none":             {strings.Replace(seedFile, "10.2.0.0/16", "ten", 1), []string{"cidr: services of seed local"}},
		"a dual-stack shoot":              {shootHead + "  networking: {nodes: 10.0.0.0/16, ipFamilies: [IPv4, IPv6]}\n", []string{"families: shoot garden-local/local"}},
	} {
		t.Run(name, func(t *testing.T) {
			have := violations(t, "v1.149.0", netplan.ModeStrict, inspect.File{Name: "test.yaml", Content: []byte(test.content)})
			if diff := cmp.Diff(test.want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"no YAML":                   {"a: [", "no valid YAML"},
		"a list":                    {"- a", "no valid YAML"},
		"a key given twice":         {"kind: Seed\nkind: Seed\n", "already set"},
		"nothing that is known":     {"apiVersion: v1\nkind: Secret\n", "it has v1 Secret"},
		"a Seed of another shape":   {"apiVersion: core.gardener.cloud/v1beta1\nkind: Seed\nspec: [a]\n", "not readable as Seed"},
		"networks of another shape": {"apiVersion: core.gardener.cloud/v1beta1\nkind: Seed\nspec: {networks: {pods: 7}}\n", "not readable as Seed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := inspect.Read([]inspect.File{{Name: "test.yaml", Content: []byte(test.content)}})
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "test.yaml") {
				t.Errorf("error %v, want one about %q", err, test.want)
			}
		})
	}
	if _, err := inspect.Read([]inspect.File{{Name: "a"}, {Name: "b", Content: []byte("# nothing")}}); err == nil {
		t.Error("nothing at all is accepted")
	}
	_, err := inspect.Read([]inspect.File{{Name: "a", Content: []byte("kind: Foo\napiVersion: v1\n")}})
	if _, ok := errors.AsType[*inspect.UnrecognisedError](err); !ok {
		t.Errorf("error %T", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(seedFile + "---\n" + shootHead))
	f.Add([]byte(kindFile))
	f.Add([]byte("---\n---\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if read, err := inspect.Read([]inspect.File{{Name: "fuzz", Content: data}}); err == nil {
			read.Subject.Version = gardener.MustParse("v1.149.0")
			netplan.Check(read.Subject, netplan.ModeStrict)
			netplan.Check(read.Subject, netplan.ModeGardener)
		}
	})
}
