// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
)

const head = "apiVersion: kindling.gardener.cloud/v1alpha1\nkind: Environment\nmetadata:\n  name: test\n"

func TestLoadRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		file string
		want []string // each in the error
	}{
		"an empty file":                            {"", []string{"the file is empty"}},
		"a file of comments":                       {"# nothing\n", []string{"the file is empty"}},
		"null":                                     {"null\n", []string{"the file is empty"}},
		"two documents":                            {head + "---\n" + head, []string{"line 5", "a second document"}},
		"no YAML":                                  {"spec: [", []string{"line 1"}},
		"a list":                                   {"- a\n", []string{"line 1", "want a mapping, have a list"}},
		"an unknown version":                       {"apiVersion: kindling.gardener.cloud/v2\nkind: Environment\nmetadata: {name: a}\n", []string{"apiVersion", "kindling.gardener.cloud/v1alpha1"}},
		"another kind":                             {"apiVersion: kindling.gardener.cloud/v1alpha1\nkind: Cluster\nmetadata: {name: a}\n", []string{"kind: want Environment"}},
		"an unknown field":                         {head + "spec:\n  networks:\n    ipv4:\n      foo: bar\n", []string{"line 8", "spec.networks.ipv4.foo: unknown field", "seedPods"}},
		"a field in another case":                  {head + "spec:\n  Gardener: {}\n", []string{"line 6", "spec.Gardener", "write gardener"}},
		"a key given twice":                        {head + "spec:\n  layout: Split\n  layout: Outside\n", []string{"line 7", "spec.layout: given twice, first in line 6"}},
		"a list for a string":                      {head + "spec:\n  layout: [Split]\n", []string{"line 6", "spec.layout: want a string", "have a list"}},
		"a number for a string":                    {head + "spec:\n  gardener:\n    version: 1.149\n", []string{"line 7", "in quotes", "have 1.149"}},
		"a string for a number":                    {head + "spec:\n  networks:\n    ipv4:\n      shootNodesPrefixLength: \"20\"\n", []string{"line 8", "a whole number"}},
		"a string for a boolean":                   {head + "spec:\n  calico:\n    machinePool:\n      guard: \"no\"\n", []string{"line 8", "true or false"}},
		"an alias":                                 {head + "spec: &a\n  layout: Split\n", []string{"line 5", "anchors and aliases"}},
		"an unknown field of kind's":               {head + "spec:\n  clusters:\n  - name: a\n    nodes:\n    - role: worker\n      extraMounts:\n      - hostpath: /a\n", []string{"spec.clusters[0].nodes[0].extraMounts[0].hostpath", "write hostPath"}},
		"several faults at once":                   {head + "spec:\n  foo: 1\n  bar: 2\n", []string{"spec.foo", "spec.bar"}},
		"host bits":                                {head + "spec: {networks: {ipv4: {pods: 10.0.0.1/15}}}\n", []string{"spec.networks.ipv4.pods", "has host bits: write 10.0.0.0/15"}},
		"the wrong family":                         {head + "spec: {networks: {ipv4: {pods: \"fd00::/48\"}}}\n", []string{"spec.networks.ipv4.pods", "must be an IPv4 range"}},
		"a family that is not there":               {head + "spec: {networks: {ipv6: {pods: \"fd00::/48\"}}}\n", []string{"spec.networks.ipv6", "spec.ipFamilies has no IPv6"}},
		"the whole address space":                  {head + "spec: {networks: {ipv4: {pods: 0.0.0.0/0}}}\n", []string{"spec.networks.ipv4.pods", "the whole address space"}},
		"IPv4 written as IPv6":                     {head + "spec:\n  ipFamilies: [IPv6]\n  networks: {ipv6: {pods: \"::ffff:10.0.0.0/104\"}}\n", []string{"written as IPv6"}},
		"no CIDR":                                  {head + "spec: {networks: {ipv4: {pods: ten}}}\n", []string{"is no CIDR"}},
		"a Gardener that is none":                  {head + "spec: {gardener: {version: latest}}\n", []string{"spec.gardener.version", "write one such as v1.149.0"}},
		"a layout that is none":                    {head + "spec: {layout: Halves}\n", []string{"spec.layout", "Split"}},
		"machines in the layout Legacy":            {head + "spec: {layout: Legacy, networks: {ipv4: {machines: 10.0.0.0/16}}}\n", []string{"spec.networks.ipv4.machines", "no machines range"}},
		"a family twice":                           {head + "spec: {ipFamilies: [IPv4, IPv4]}\n", []string{"spec.ipFamilies[1]", "Duplicate"}},
		"no control plane":                         {head + "spec: {clusters: [{name: a, nodes: [{role: worker}]}]}\n", []string{"spec.clusters[0].nodes", "control-plane"}},
		"two clusters of one name":                 {head + "spec: {clusters: [{name: a}, {name: a}]}\n", []string{"spec.clusters[1].name", "Duplicate"}},
		"a shoot on an unknown seed":               {head + "spec: {shoots: [{name: a, seed: b}]}\n", []string{"spec.shoots[0].seed", "Not found"}},
		"a shoot of a missing family":              {head + "spec: {shoots: [{name: a, ipFamily: IPv6}]}\n", []string{"spec.shoots[0].ipFamily"}},
		"an image with a flag in it":               {head + "spec: {clusters: [{name: a, nodeImage: --privileged}]}\n", []string{"spec.clusters[0].nodeImage"}},
		"a port that is none":                      {head + "spec: {registry: {port: 70000}}\n", []string{"spec.registry.port"}},
		"a cache of a URL":                         {head + "spec: {registry: {caches: [{host: \"https://quay.io\"}]}}\n", []string{"spec.registry.caches[0].host", "write it as registry.k8s.io"}},
		"two caches of one host":                   {head + "spec: {registry: {caches: [{host: quay.io}, {host: quay.io}]}}\n", []string{"spec.registry.caches[1].host", "Duplicate"}},
		"an upstream that is no URL":               {head + "spec: {registry: {caches: [{host: quay.io, remoteURL: quay.io}]}}\n", []string{"spec.registry.caches[0].remoteURL", "http"}},
		"a name server with a flag":                {head + "spec: {dns: {image: --rm}}\n", []string{"spec.dns.image"}},
		"a name that is no label":                  {"apiVersion: kindling.gardener.cloud/v1alpha1\nkind: Environment\nmetadata: {name: ../etc}\n", []string{"metadata.name"}},
		"a URL without checksum":                   {head + "spec: {calico: {manifest: {url: \"https://example.com/calico.yaml\"}}}\n", []string{"spec.calico.manifest.sha256"}},
		"a URL without https":                      {head + "spec: {calico: {manifest: {url: \"http://example.com/calico.yaml\", sha256: \"0\"}}}\n", []string{"https://", "64 hexadecimal digits"}},
		"a URL and a path":                         {head + "spec: {calico: {manifest: {url: \"https://example.com/a\", path: a}}}\n", []string{"spec.calico.manifest.path", "not from both"}},
		"a mount with more in it":                  {head + "spec: {clusters: [{name: a, nodes: [{role: control-plane, extraMounts: [{hostPath: \"/a:/etc\", containerPath: /a}]}]}]}\n", []string{"spec.clusters[0].nodes[0].extraMounts[0].hostPath", "colons"}},
		"a mount over two lines":                   {head + "spec: {clusters: [{name: a, nodes: [{role: control-plane, extraMounts: [{hostPath: /a, containerPath: \"/a\\nb\"}]}]}]}\n", []string{"spec.clusters[0].nodes[0].extraMounts[0].containerPath", "/a\\nb"}},
		"a propagation that is none":               {head + "spec: {clusters: [{name: a, nodes: [{role: control-plane, extraMounts: [{hostPath: /a, containerPath: /a, propagation: \"rw,exec\"}]}]}]}\n", []string{"extraMounts[0].propagation"}},
		"an address with a flag":                   {head + "spec: {clusters: [{name: a, nodes: [{role: control-plane, extraPortMappings: [{containerPort: 80, listenAddress: --rm}]}]}]}\n", []string{"extraPortMappings[0].listenAddress", "no IP address"}},
		"a port that no container has":             {head + "spec: {clusters: [{name: a, nodes: [{role: control-plane, extraPortMappings: [{containerPort: 0, hostPort: 70000, protocol: X}]}]}]}\n", []string{"extraPortMappings[0].containerPort", "extraPortMappings[0].hostPort", "extraPortMappings[0].protocol"}},
		"a feature gate that ends its line":        {head + "spec: {clusters: [{name: a, featureGates: {\"A\\\": true\\nb\": true}}]}\n", []string{"spec.clusters[0].featureGates"}},
		"a resource with quotes":                   {head + "spec: {clusters: [{name: a, runtimeConfig: {\"a\\\"b\": \"true\", c: \"$(d)\"}}]}\n", []string{"spec.clusters[0].runtimeConfig", "spec.clusters[0].runtimeConfig[c]"}},
		"a folder of the registry with more in it": {head + "spec: {registry: {dir: \"/a:ro\"}}\n", []string{"spec.registry.dir"}},
		"a checkout with more in it":               {head + "spec: {gardener: {dir: \"/a:ro\"}}\n", []string{"spec.gardener.dir"}},
		"a name that is a flag":                    {head + "spec: {clusters: [{name: --privileged}]}\n", []string{"spec.clusters[0].name"}},
		"a name with a command":                    {head + "spec: {shoots: [{name: $(reboot)}]}\n", []string{"spec.shoots[0].name"}},
		"a namespace with a line":                  {head + "spec: {shoots: [{name: a, namespace: \"a\\nb\"}]}\n", []string{"spec.shoots[0].namespace"}},
		"a zone with quotes":                       {head + "spec: {clusters: [{name: a, nodes: [{role: control-plane, zone: 'a b'}]}]}\n", []string{"spec.clusters[0].nodes[0].zone"}},
		"a field that colours the terminal":        {head + "\"\\x1b[31mspec\": {}\n", []string{"\\x1b[31mspec"}},
		"a bad label":                              {head + "spec: {clusters: [{name: a, nodes: [{role: control-plane, labels: {\"a b\": c}}]}]}\n", []string{"spec.clusters[0].nodes[0].labels[a b]"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := v1alpha1.Load([]byte(test.file), "test.yaml")
			if _, ok := errors.AsType[*v1alpha1.FileError](err); !ok {
				t.Fatalf("error %T: %v", err, err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q:\n%v", want, err)
				}
			}
		})
	}
}

func TestFiveLinesAreEnough(t *testing.T) {
	env, err := v1alpha1.Load([]byte(head), "test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	spec := env.Spec
	if spec.Layout != v1alpha1.LayoutSplit || spec.NetworkPlugin != v1alpha1.NetworkPluginCalico || len(spec.Clusters) != 1 || len(spec.Shoots) != 1 {
		t.Errorf("defaults: %+v", spec)
	}
	if c := spec.Clusters[0]; c.Seed != "local" || !strings.HasPrefix(c.NodeImage, "kindest/node:v1.36.1@sha256:") || c.Nodes[0].Zone != "0" {
		t.Errorf("cluster: %+v", c)
	}
}

func TestRelativePathsCountFromTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "environment.yaml")
	content := head + `spec:
  calico: {manifest: {path: calico.yaml}}
  clusters: [{name: a, nodes: [{role: control-plane, extraMounts: [{hostPath: data, containerPath: /data}]}]}]
`
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	env, err := v1alpha1.LoadFile(path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if have := env.Spec.Calico.Manifest.Path; have != filepath.Join(dir, "calico.yaml") {
		t.Errorf("manifest %s", have)
	}
	if have := env.Spec.Clusters[0].Nodes[0].ExtraMounts[0].HostPath; have != filepath.Join(dir, "data") {
		t.Errorf("mount %s", have)
	}
}

func TestAFileWithoutEndIsNotReadToTheEnd(t *testing.T) {
	_, err := v1alpha1.LoadFile("-", endless{}, nil)
	if err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("error %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '#'
	}
	return len(p), nil
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(head))
	f.Add([]byte(head + "spec: {clusters: [{name: a, nodes: [{role: worker}]}], shoots: [{name: b}]}"))
	f.Add([]byte("a: &a [*a, *a]"))
	f.Add([]byte("? [a]\n: b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		env, err := v1alpha1.Load(data, "fuzz")
		if err == nil && env.Metadata.Name == "" {
			t.Error("an environment without a name is valid")
		}
	})
}
