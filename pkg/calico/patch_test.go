// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package calico

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/internal/testutil"
)

func parse(t *testing.T, path string) *Manifest {
	t.Helper()
	manifest, err := Parse(testutil.ReadFile(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return manifest
}

// env returns the environment of calico-node that has literal values.
func env(t *testing.T, m *Manifest) map[string]string {
	t.Helper()
	daemonSet, err := m.find("DaemonSet", nodeDaemonSet)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	items, _ := containers(daemonSet, "containers")[0]["env"].([]any)
	for _, item := range items {
		entry := item.(map[string]any)
		if value, ok := entry["value"].(string); ok {
			values[entry["name"].(string)] = value
		}
	}
	return values
}

func TestPatchPools(t *testing.T) {
	m := parse(t, "testdata/manifest.yaml")
	if err := m.Patch(Options{Families: []string{"IPv4"}, Encapsulation: "IPIP"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"IP": "autodetect", "FELIX_IPV6SUPPORT": "false", "NO_DEFAULT_POOLS": "true"}
	if diff := cmp.Diff(want, env(t, m)); diff != "" {
		t.Error(diff)
	}
}

func TestPatchFamilies(t *testing.T) {
	for name, test := range map[string]struct {
		families     []string
		ip           string
		assignIPv4   string
		wantIPv6Only bool
	}{
		"dual stack assigns both families": {[]string{"IPv6", "IPv4"}, "autodetect", "true", false},
		"IPv6 alone has no IPv4 address":   {[]string{"IPv6"}, "none", "false", true},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, "testdata/manifest.yaml")
			if err := m.Patch(Options{Families: test.families, Encapsulation: "VXLANCrossSubnet"}); err != nil {
				t.Fatal(err)
			}
			have := env(t, m)
			if have["IP"] != test.ip || have["IP6"] != "autodetect" || have["FELIX_IPV6SUPPORT"] != "true" {
				t.Errorf("environment %v", have)
			}
			config, _ := m.find("ConfigMap", configConfigMap)
			network, _, _ := unstructured.NestedString(config.Object, "data", "cni_network_config")
			for _, want := range []string{`"assign_ipv4": "` + test.assignIPv4 + `"`, `"assign_ipv6": "true"`, `"mtu": __CNI_MTU__`} {
				if !strings.Contains(network, want) {
					t.Errorf("the CNI configuration lacks %s:\n%s", want, network)
				}
			}
		})
	}
}

// TestPatchEqualsTheVXLANManifest compares with the manifest that Calico ships for VXLAN: it differs from the patched one only in
// the variables about pools.
func TestPatchEqualsTheVXLANManifest(t *testing.T) {
	for _, version := range PinnedVersions() {
		t.Run(version, func(t *testing.T) {
			patched := parse(t, testutil.Shared(t, "calico/calico-"+version+".yaml"))
			shipped := parse(t, testutil.Shared(t, "calico/calico-vxlan-"+version+".yaml"))
			if err := patched.Patch(Options{Families: []string{"IPv4"}, Encapsulation: "VXLANCrossSubnet"}); err != nil {
				t.Fatal(err)
			}
			daemonSet, err := shipped.find("DaemonSet", nodeDaemonSet)
			if err != nil {
				t.Fatal(err)
			}
			patchPools(containers(daemonSet, "containers")[0])
			if diff := cmp.Diff(shipped, patched); diff != "" {
				t.Errorf("shipped (-) and patched (+) differ:\n%s", diff)
			}
		})
	}
}

func TestPatchRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		opts Options
		says string
	}{
		"an encapsulation it does not know": {Options{Families: []string{"IPv4"}, Encapsulation: "Auto"}, `"Auto"`},
		"no encapsulation":                  {Options{Families: []string{"IPv4"}}, `""`},
		"a family it does not know":         {Options{Families: []string{"ipv4"}, Encapsulation: "IPIP"}, `"ipv4"`},
		"no family":                         {Options{Encapsulation: "IPIP"}, "no address family"},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, "testdata/manifest.yaml")
			if err := m.Patch(test.opts); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v, want one about %s", err, test.says)
			}
			if diff := cmp.Diff(parse(t, "testdata/manifest.yaml"), m); diff != "" {
				t.Errorf("changed what it refused to patch:\n%s", diff)
			}
		})
	}
}

func TestAssignFamiliesRefuses(t *testing.T) {
	for name, network := range map[string]string{
		"what is no JSON":                    `{"plugins": __OTHER__}`,
		"what has more than one value":       `{"plugins": [{"type": "calico", "ipam": {}}]} {}`,
		"a configuration without the plugin": `{"plugins": [{"type": "portmap", "ipam": {}}]}`,
		"the number that stands in":          `{"plugins": [{"type": "calico", "mtu": 987654321, "ipam": {}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := assignFamilies(network, true)
			if _, ok := errors.AsType[*ManifestError](err); !ok {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAssignFamiliesKeepsTheRest(t *testing.T) {
	have, err := assignFamilies(`{"plugins":[{"type":"calico","id":9007199254740993,"mtu":__CNI_MTU__,"note":"<a&b>","ipam":{}}]}`, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id": 9007199254740993`, `"mtu": __CNI_MTU__`, `"note": "<a&b>"`} {
		if !strings.Contains(have, want) {
			t.Errorf("lacks %s:\n%s", want, have)
		}
	}
}
