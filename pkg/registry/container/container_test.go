// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package container_test

import (
	"encoding/json"
	"flag"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/registry"
	"github.com/gardener/kindling/pkg/registry/container"
)

var _ = flag.Bool("update", false, "write the golden files")

func environment() (container.Environment, []registry.Server) {
	spec := v1alpha1.Registry{
		Image: "example.com/registry:3", Port: 5001,
		Caches: []v1alpha1.RegistryCache{{Host: "gcr.io", RemoteURL: "https://gcr.io"}},
	}
	return container.Environment{Labels: map[string]string{"environment": "e"}, Spec: spec, Dir: "/data"}, registry.Servers(spec, gardener.MustParse("v1.149.0"))
}

func TestContainers(t *testing.T) {
	env, servers := environment()
	for i, server := range servers {
		spec := env.Container(server, true, container.Addresses([]netip.Prefix{netip.MustParsePrefix("172.18.0.0/24"), netip.MustParsePrefix("fd00:10::/64")}, i))
		data, err := json.MarshalIndent(spec, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		testutil.Golden(t, "testdata/"+server.Name+".json", append(data, '\n'))
	}
}

func TestWithoutIPv6AtTheHostSettingsStayTheSame(t *testing.T) {
	t.Parallel()
	env, servers := environment()
	with, without := env.Container(servers[0], true, nil), env.Container(servers[0], false, nil)
	if diff := cmp.Diff(with.Labels, without.Labels); diff != "" {
		t.Error(diff)
	}
	for _, port := range without.Ports {
		if !port.Host.Addr().Is4() {
			t.Errorf("published at %s", port.Host)
		}
	}
	if len(with.Ports) != len(without.Ports)+1 {
		t.Errorf("published at %v", with.Ports)
	}
}

func TestSettingsNameWhatDiffers(t *testing.T) {
	t.Parallel()
	env, servers := environment()
	for name, change := range map[string]func(*container.Environment, *registry.Server){
		"image":                func(e *container.Environment, _ *registry.Server) { e.Spec.Image = "other" },
		"folder":               func(e *container.Environment, _ *registry.Server) { e.Dir = "/other" },
		"upstream":             func(_ *container.Environment, s *registry.Server) { s.RemoteURL = "http://other" },
		"port in the network":  func(_ *container.Environment, s *registry.Server) { s.Port = 5000 },
		"whether it is cached": func(_ *container.Environment, s *registry.Server) { s.RemoteURL = "" },
	} {
		changedEnv, changed := env, servers[1]
		change(&changedEnv, &changed)
		if changedEnv.Settings(changed) == env.Settings(servers[1]) {
			t.Errorf("%s: the same settings", name)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		prefixes string
		index    int
		want     []string
	}{
		{"of the registry", "172.18.0.0/24", 0, []string{"172.18.0.192"}},
		{"of the last one before those of load balancers", "172.18.0.0/24", 31, []string{"172.18.0.223"}},
		{"of too many are the engine's choice", "172.18.0.0/24", 32, nil},
		{"in a wider range are among the first", "172.18.0.0/16", 1, []string{"172.18.0.193"}},
		{"in a narrow range are the engine's choice", "172.18.0.0/25", 1, nil},
		{"of IPv6", "fd00:10::/64", 2, []string{"fd00:10::c2"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var have []string
			for _, address := range container.Addresses([]netip.Prefix{netip.MustParsePrefix(test.prefixes)}, test.index) {
				have = append(have, address.String())
			}
			if diff := cmp.Diff(test.want, have, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
