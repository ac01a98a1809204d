// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package calico

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/internal/testutil"
)

// flatten writes every value of a tree under its path, empty ones too. Containers and variables go by their names, so that one more
// or less does not rename the others. The CNI configuration is opened up like the rest.
func flatten(into map[string]string, at string, value any) {
	switch value := value.(type) {
	case map[string]any:
		into[at] = "an object"
		for key, item := range value {
			flatten(into, at+"."+key, item)
		}
	case []any:
		into[at] = "a list"
		for i, item := range value {
			name := fmt.Sprint(i)
			if strings.HasSuffix(at, ".env") || strings.HasSuffix(at, ".containers") {
				name = nameOf(item)
			}
			flatten(into, at+"["+name+"]", item)
		}
	case string:
		var network map[string]any
		quoted := strings.ReplaceAll(value, mtuPlaceholder, `"mtu"`)
		if path.Ext(at) == ".cni_network_config" && json.Unmarshal([]byte(quoted), &network) == nil {
			flatten(into, at, network)
			return
		}
		into[at] = fmt.Sprintf("%q", value)
	default:
		into[at] = fmt.Sprint(value)
	}
}

func flattenManifest(m *Manifest) map[string]string {
	values := map[string]string{}
	for _, object := range slices.Concat(m.CRDs, m.Objects) {
		flatten(values, object.GetKind()+"/"+object.GetName(), object.Object)
	}
	return values
}

// changes lists what differs, one "path: old -> new" a line; "-" stands for nothing.
func changes(before, after *Manifest) []string {
	old, current := flattenManifest(before), flattenManifest(after)
	both := maps.Clone(old)
	maps.Copy(both, current)
	orNothing := func(values map[string]string, key string) string {
		if value, there := values[key]; there {
			return value
		}
		return "-"
	}
	var lines []string
	for key := range both {
		if a, b := orNothing(old, key), orNothing(current, key); a != b {
			lines = append(lines, fmt.Sprintf("%s: %s -> %s", key, a, b))
		}
	}
	slices.Sort(lines)
	return lines
}

const (
	nodePath    = "DaemonSet/calico-node.spec.template.spec.containers[calico-node]"
	networkPath = "ConfigMap/calico-config.data.cni_network_config.plugins[0].ipam"
)

// envChange is what changes with a variable of calico-node, which is there before, after, or both.
func envChange(name, before, after string) []string {
	at := fmt.Sprintf("%s.env[%s]", nodePath, name)
	lines := []string{fmt.Sprintf("%s.value: %s -> %s", at, before, after)}
	switch {
	case before == "-":
		return append(lines, fmt.Sprintf("%s: - -> an object", at), fmt.Sprintf("%s.name: - -> %q", at, name))
	case after == "-":
		return append(lines, fmt.Sprintf("%s: an object -> -", at), fmt.Sprintf("%s.name: %q -> -", at, name))
	}
	return lines
}

func poolChanges() []string {
	return slices.Concat(
		envChange("CALICO_IPV4POOL_IPIP", `"Always"`, "-"), envChange("CALICO_IPV4POOL_VXLAN", `"Never"`, "-"),
		envChange("CALICO_IPV6POOL_VXLAN", `"Never"`, "-"), envChange("NO_DEFAULT_POOLS", "-", `"true"`))
}

func vxlanChanges() []string {
	return []string{
		`ConfigMap/calico-config.data.calico_backend: "bird" -> "vxlan"`,
		nodePath + `.livenessProbe.exec.command[2]: "-bird-live" -> -`,
		nodePath + `.readinessProbe.exec.command[2]: "-bird-ready" -> -`,
	}
}

func ipv6Changes(assignIPv4 string) []string {
	return slices.Concat([]string{
		fmt.Sprintf(`%s.assign_ipv4: - -> %q`, networkPath, assignIPv4),
		fmt.Sprintf(`%s.assign_ipv6: - -> "true"`, networkPath),
	}, envChange("IP6", "-", `"autodetect"`), envChange("FELIX_IPV6SUPPORT", `"false"`, `"true"`))
}

// TestPatchChangesNothingElse lists every value of the real manifests that a patch changes.
func TestPatchChangesNothingElse(t *testing.T) {
	originals := map[string]*Manifest{}
	for _, version := range PinnedVersions() {
		originals[version] = parse(t, testutil.Shared(t, "calico/calico-"+version+".yaml"))
	}
	ipv6Only := slices.Concat(ipv6Changes("false"), envChange("IP", `"autodetect"`, `"none"`))
	for name, test := range map[string]struct {
		opts Options
		want []string
	}{
		"IPIP keeps BIRD": {Options{[]string{"IPv4"}, "IPIP"}, poolChanges()},
		"None keeps BIRD": {Options{[]string{"IPv4"}, "None"}, poolChanges()},
		"VXLAN has no BIRD": {
			Options{[]string{"IPv4"}, "VXLAN"}, slices.Concat(poolChanges(), vxlanChanges()),
		},
		"dual stack with IPIP": {
			Options{[]string{"IPv4", "IPv6"}, "IPIP"}, slices.Concat(poolChanges(), ipv6Changes("true")),
		},
		"dual stack, IPv6 first": {
			Options{[]string{"IPv6", "IPv4"}, "VXLANCrossSubnet"}, slices.Concat(poolChanges(), vxlanChanges(), ipv6Changes("true")),
		},
		"IPv6 alone": {
			Options{[]string{"IPv6"}, "VXLANCrossSubnet"}, slices.Concat(poolChanges(), vxlanChanges(), ipv6Only),
		},
		"IPv6 alone gives BIRD a router id": {
			Options{[]string{"IPv6"}, "None"}, slices.Concat(poolChanges(), ipv6Only, envChange("CALICO_ROUTER_ID", "-", `"hash"`)),
		},
	} {
		for version, before := range originals {
			t.Run(name+"/"+version, func(t *testing.T) {
				after := clone(before)
				if err := after.Patch(test.opts); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(slices.Sorted(slices.Values(test.want)), changes(before, after)); diff != "" {
					t.Error(diff)
				}
				once := clone(after)
				if err := after.Patch(test.opts); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(once, after); diff != "" {
					t.Errorf("a second patch changes something:\n%s", diff)
				}
			})
		}
	}
}

func clone(m *Manifest) *Manifest {
	result := &Manifest{}
	for _, object := range m.CRDs {
		result.CRDs = append(result.CRDs, object.DeepCopy())
	}
	for _, object := range m.Objects {
		result.Objects = append(result.Objects, object.DeepCopy())
	}
	return result
}
