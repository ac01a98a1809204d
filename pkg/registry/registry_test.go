// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/registry"
)

var _ = flag.Bool("update", false, "write the golden files")

// spec is a registry with caches of hosts, with the defaults of a version.
func spec(version gardener.Version, hosts ...string) v1alpha1.Registry {
	spec := v1alpha1.Registry{Port: version.RegistryPort()}
	for _, host := range hosts {
		spec.Caches = append(spec.Caches, v1alpha1.RegistryCache{Host: host, RemoteURL: v1alpha1.DefaultRemoteURL(host)})
	}
	return spec
}

func TestServers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 60) + ".example.com"
	tests := []struct {
		name    string
		version string
		hosts   []string
		want    []string
	}{
		{
			"have the names that Gardener's machines know", "v1.149.0", []string{"gcr.io", "registry.k8s.io", "quay.io", "europe-docker.pkg.dev"}, []string{
				"registry localhost registry.local.gardener.cloud:5001",
				"registry-cache-gcr gcr gcr.registry-cache.local.gardener.cloud:5001",
				"registry-cache-k8s k8s k8s.registry-cache.local.gardener.cloud:5001",
				"registry-cache-quay quay quay.registry-cache.local.gardener.cloud:5001",
				"registry-cache-europe-docker-pkg-dev europe-docker-pkg-dev europe-docker-pkg-dev.registry-cache.local.gardener.cloud:5001",
			},
		},
		{"listen on 5000 at v1.134.0 only", "v1.134.0", nil, []string{"registry localhost registry.local.gardener.cloud:5000"}},
		{"listen on 5001 from v1.134.1 on", "v1.134.1", nil, []string{"registry localhost registry.local.gardener.cloud:5001"}},
		{"take a name from a host with a port", "v1.149.0", []string{"mirror.example.com:5000"}, []string{
			"registry localhost registry.local.gardener.cloud:5001",
			"registry-cache-mirror-example-com-5000 mirror-example-com-5000 mirror-example-com-5000.registry-cache.local.gardener.cloud:5001",
		}},
		{"of hosts that would have the same name have two", "v1.149.0", []string{"a.b", "a-b"}, []string{
			"registry localhost registry.local.gardener.cloud:5001",
			"registry-cache-a-b-2e7336dc a-b-2e7336dc a-b-2e7336dc.registry-cache.local.gardener.cloud:5001",
			"registry-cache-a-b-d44362d6 a-b-d44362d6 a-b-d44362d6.registry-cache.local.gardener.cloud:5001",
		}},
		{"don't mix the folder of a host called localhost with that of the registry", "v1.149.0", []string{"localhost"}, []string{
			"registry localhost registry.local.gardener.cloud:5001",
			"registry-cache-localhost-49960de5 localhost-49960de5 localhost-49960de5.registry-cache.local.gardener.cloud:5001",
		}},
		{"have names that fit into DNS", "v1.149.0", []string{long}, []string{
			"registry localhost registry.local.gardener.cloud:5001", "",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			version := gardener.MustParse(test.version)
			var have []string
			for _, server := range registry.Servers(spec(version, test.hosts...), version) {
				line := fmt.Sprintf("%s %s %s:%d", server.Name, server.Folder, server.Alias, server.Port)
				if label, _, _ := strings.Cut(server.Alias, "."); len(label) > 63 {
					t.Errorf("%s is too long for DNS", label)
				}
				if server.Host == long {
					line = ""
				}
				have = append(have, line)
			}
			if diff := cmp.Diff(test.want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConfigurations(t *testing.T) {
	version := gardener.MustParse("v1.149.0")
	for _, server := range registry.Servers(spec(version, "gcr.io"), version) {
		testutil.Golden(t, "testdata/"+server.Name+".yaml", registry.Config(server))
	}
}

func TestMirrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, version string
		change        func(*v1alpha1.Registry)
		want          []string
	}{
		{
			"of today's Gardener: the registry by both names, Docker Hub by its own", "v1.149.0", func(*v1alpha1.Registry) {}, []string{
				"localhost:5001 http://registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001",
				"registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001",
				"docker.io https://registry-1.docker.io http://docker-io.registry-cache.local.gardener.cloud:5001",
			},
		},
		{
			"until v1.133 images carry the name of the garden", "v1.133.0", func(r *v1alpha1.Registry) { r.Caches = nil }, []string{
				"garden.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001",
				"localhost:5001 http://registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001",
				"registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001",
			},
		},
		{
			"with another port the names of images have that", "v1.149.0", func(r *v1alpha1.Registry) { r.Caches, r.Port = nil, 6001 }, []string{
				"localhost:6001 http://registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001",
				"registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001",
				"registry.local.gardener.cloud:6001 http://registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001",
			},
		},
		{
			"an upstream without TLS is reached without when its cache is down", "v1.149.0", func(r *v1alpha1.Registry) {
				r.Caches = []v1alpha1.RegistryCache{{Host: "a:5000", RemoteURL: "http://b:5000"}}
			}, []string{
				"localhost:5001 http://registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001",
				"registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001 http://registry.local.gardener.cloud:5001",
				"a:5000 http://b:5000 http://a-5000.registry-cache.local.gardener.cloud:5001",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			version := gardener.MustParse(test.version)
			given := spec(version, "docker.io")
			test.change(&given)
			var have []string
			for _, mirror := range registry.Mirrors(given, version) {
				var server, host string
				if _, err := fmt.Sscanf(string(mirror.HostsTOML), "server = %q\n\n[host.%q]\n", &server, &host); err != nil {
					t.Fatalf("%v\n%s", err, mirror.HostsTOML)
				}
				have = append(have, mirror.Host+" "+server+" "+host)
			}
			if diff := cmp.Diff(test.want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	version := gardener.MustParse("v1.149.0")
	servers := registry.Servers(spec(version, "gcr.io", "quay.io"), version)
	for words, want := range map[string]string{
		"quay.io gcr.io": "registry-cache-gcr registry-cache-quay", "gcr": "registry-cache-gcr", "registry-cache-gcr gcr.io": "registry-cache-gcr",
		"localhost:5001": "registry", "localhost": "registry", "docker.io": "error",
	} {
		selected, err := registry.Select(servers, strings.Fields(words))
		var names []string
		for _, server := range selected {
			names = append(names, server.Name)
		}
		have := strings.Join(names, " ")
		if err != nil {
			have = "error"
		}
		if have != want {
			t.Errorf("%s: %s, want %s (%v)", words, have, want, err)
		}
	}
}

func TestParseCounters(t *testing.T) {
	t.Parallel()
	have, err := registry.ParseCounters([]byte(`{"cmdline":["registry"],"registry":{"notifications":{},"proxy":{
		"blobs":{"Requests":5,"Hits":3,"Misses":2,"BytesPulled":20,"BytesPushed":50},
		"manifests":{"Requests":1,"Hits":0,"Misses":1,"BytesPulled":7,"BytesPushed":7}}}}`))
	if want := (registry.Counters{Requests: 6, Hits: 3, Misses: 3, BytesPulled: 27, BytesServed: 57}); err != nil || have != want {
		t.Errorf("%+v, %v, want %+v", have, err, want)
	}
	for _, text := range []string{"", "{}", `{"registry":{}}`, `{"registry":{"proxy":7}}`, `<html>`} {
		if _, err := registry.ParseCounters([]byte(text)); err == nil {
			t.Errorf("%q has counters", text)
		}
	}
}

func TestClusterCache(t *testing.T) {
	t.Parallel()
	if name, url := registry.ClusterCache("europe-docker.pkg.dev"); name != "registry-europe-docker-pkg-dev.kube-system.svc.cluster.local" || url != "http://"+name+":5001" {
		t.Errorf("%s %s", name, url)
	}
}
