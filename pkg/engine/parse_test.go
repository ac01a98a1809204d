// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gardener/kindling/pkg/engine"
)

// versions are the engines whose output is in testdata.
func versions() map[string]string {
	return map[string]string{
		"docker-20.10": engine.Docker, "docker-28": engine.Docker, "docker-29": engine.Docker,
		"podman-5": engine.Podman, "nerdctl-2": engine.Nerdctl,
	}
}

func prefixes(texts ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

func unordered() cmp.Option {
	return cmp.Options{
		cmpopts.EquateComparable(netip.Prefix{}, netip.Addr{}), cmpopts.EquateEmpty(),
		cmpopts.SortSlices(func(a, b netip.Prefix) bool { return a.String() < b.String() }),
		cmpopts.SortSlices(netip.Addr.Less),
	}
}

func TestReadsTheNetworkOfEveryEngine(t *testing.T) {
	label := map[string]string{"kindling.gardener.cloud/environment": "local"}
	for version, want := range map[string]engine.Network{
		"docker-20.10": {Labels: label, Masquerade: true, Containers: []string{"local-control-plane", "local-worker"}},
		"docker-28":    {Labels: label, Masquerade: true},
		"docker-29":    {Masquerade: false},
		"podman-5":     {Labels: label, Masquerade: true, Containers: []string{"local-control-plane"}},
		"nerdctl-2":    {Labels: label, Masquerade: true, Containers: []string{"local-control-plane"}},
	} {
		t.Run(version, func(t *testing.T) {
			want.Name, want.Driver, want.IPv6 = "kind", "bridge", true
			want.Prefixes = prefixes("172.18.0.0/24", "fd00:10::/64")
			want.Gateways = []netip.Addr{netip.MustParseAddr("172.18.0.1"), netip.MustParseAddr("fd00:10::1")}
			runner := &recorder{answers: map[string]answer{
				"network ls": {stdout: "1\n2\n"}, "network inspect 1 2": {stdout: read(t, version, "networks.json")},
			}}
			got, err := engine.New(versions()[version], runner).Network(t.Context(), "kind")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, *got, unordered(), cmpopts.IgnoreFields(engine.Network{}, "ID")); diff != "" {
				t.Error(diff)
			}
			if got.ID == "" {
				t.Error("the network has no identity")
			}
		})
	}
}

func TestReadsNetworksWithoutRanges(t *testing.T) {
	runner := &recorder{answers: map[string]answer{"network ls": {stdout: "1"}, "network inspect": {stdout: read(t, "docker-20.10", "networks.json")}}}
	networks, err := engine.New(engine.Docker, runner).Networks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if none := networks[2]; len(none.Prefixes) != 0 || none.Driver != "null" {
		t.Errorf("network none: %+v", none)
	}
	if want := netip.MustParseAddr("fd4b:696e:646c::1"); networks[1].Gateways[0] != want {
		t.Errorf("gateway written with a length: %v, want %v", networks[1].Gateways, want)
	}
}

func TestReadsTheHostOfEveryEngine(t *testing.T) {
	for version, want := range map[string]engine.Info{
		"docker-20.10": {
			ServerVersion: "20.10.24+dfsg1", OperatingSystem: "Debian GNU/Linux 12 (bookworm)", Architecture: "x86_64", Kernel: "5.10.0-28-amd64",
			CgroupVersion: 1, CPUs: 2, Memory: 25276026880,
		},
		"docker-28": {
			ServerVersion: "28.2.2", OperatingSystem: "Ubuntu 24.04.2 LTS", Architecture: "aarch64", Kernel: "6.8.0-60-generic",
			CgroupVersion: 2, CPUs: 10, Memory: 16777216000, Rootless: true,
		},
		"docker-29": {
			ServerVersion: "29.1.3", OperatingSystem: "Docker Desktop", Architecture: "aarch64", Kernel: "6.10.14-linuxkit",
			CgroupVersion: 2, CPUs: 8, Memory: 8217858048,
		},
		"podman-5": {
			ServerVersion: "5.5.0", OperatingSystem: "linux", Architecture: "amd64", Kernel: "6.14.5-300.fc42.x86_64",
			CgroupVersion: 2, CPUs: 16, Memory: 33364131840, Rootless: true,
		},
		"nerdctl-2": {
			Name: "lima", ServerVersion: "v2.1.1", OperatingSystem: "Alpine Linux v3.21", Architecture: "x86_64", Kernel: "6.6.87",
			CgroupVersion: 2, CPUs: 4, Memory: 4113121280,
		},
	} {
		t.Run(version, func(t *testing.T) {
			runner := &recorder{answers: map[string]answer{"info": {stdout: read(t, version, "info.json")}}}
			got, err := engine.New(versions()[version], runner).Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzNetworksNeverPanic(f *testing.F) {
	f.Add(`[{"Name": "kind", "IPAM": {"Config": [{"Subnet": "172.18.0.0/24", "Gateway": "172.18.0.1/24"}]}}]`)
	f.Add(`[{"name": "kind", "subnets": [{"subnet": "fd00::/64"}], "ipv6_enabled": true}]`)
	f.Add(`[{"Name": "kind", "IPAM": {"Config": [{"Subnet": "172.18.0.0/99"}]}}]`)
	f.Fuzz(func(t *testing.T, output string) {
		runner := &recorder{answers: map[string]answer{"network ls": {stdout: "1"}, "network inspect": {stdout: output}}}
		networks, err := engine.New(engine.Docker, runner).Networks(t.Context())
		for _, network := range networks {
			for _, prefix := range network.Prefixes {
				if err != nil || !prefix.IsValid() || prefix != prefix.Masked() {
					t.Errorf("range %v of %q", prefix, output)
				}
			}
		}
	})
}
