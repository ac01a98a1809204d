// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package calico

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Options are what the manifest is adapted to.
type Options struct {
	// Families of the cluster, "IPv4" and "IPv6".
	Families []string
	// Encapsulation of the pools: "IPIP", "VXLAN" or "VXLANCrossSubnet".
	Encapsulation string
}

// Patch adapts the manifest: calico-node makes no pools of its own, the backend fits the encapsulation, and IPv6 is served
// where the cluster has it.
func (m *Manifest) Patch(opts Options) error {
	config, err := m.find("ConfigMap", configConfigMap)
	if err != nil {
		return err
	}
	daemonSet, err := m.find("DaemonSet", nodeDaemonSet)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(containers(daemonSet, "containers"), func(c map[string]any) bool { return c["name"] == nodeDaemonSet })
	if i < 0 {
		return &ManifestError{"its DaemonSet has no container " + nodeDaemonSet}
	}
	node := containers(daemonSet, "containers")[i]
	patchPools(node)
	if opts.Encapsulation != "IPIP" {
		if err := unstructured.SetNestedField(config.Object, "vxlan", "data", "calico_backend"); err != nil {
			return &ManifestError{err.Error()}
		}
		withoutBird(node)
	}
	if slices.Contains(opts.Families, "IPv6") {
		return patchIPv6(config, node, slices.Contains(opts.Families, "IPv4"))
	}
	return nil
}

// patchPools forbids calico-node to make pools. It refuses to start when it is told a pool's CIDR as well; the other variables
// about pools lose their meaning.
func patchPools(node map[string]any) {
	env, _ := node["env"].([]any)
	env = slices.DeleteFunc(env, func(item any) bool {
		name := nameOf(item)
		return strings.HasPrefix(name, "CALICO_IPV4POOL_") || strings.HasPrefix(name, "CALICO_IPV6POOL_")
	})
	node["env"] = env
	setEnv(node, "NO_DEFAULT_POOLS", "true")
}

// withoutBird takes the checks of BIRD out of the probes: with the backend vxlan it is not started.
func withoutBird(node map[string]any) {
	for _, probe := range []string{"livenessProbe", "readinessProbe"} {
		command, found, err := unstructured.NestedStringSlice(node, probe, "exec", "command")
		if !found || err != nil {
			continue
		}
		command = slices.DeleteFunc(command, func(argument string) bool { return argument == "-bird-live" || argument == "-bird-ready" })
		_ = unstructured.SetNestedStringSlice(node, command, probe, "exec", "command") // its parents are maps: it was read
	}
}

// patchIPv6 lets calico-node find an IPv6 address and the CNI plugin assign one.
func patchIPv6(config *unstructured.Unstructured, node map[string]any, dual bool) error {
	setEnv(node, "FELIX_IPV6SUPPORT", "true")
	setEnv(node, "IP6", "autodetect")
	if !dual {
		setEnv(node, "IP", "none")
	}
	network, _, _ := unstructured.NestedString(config.Object, "data", "cni_network_config")
	patched, err := assignFamilies(network, dual)
	if err != nil {
		return err
	}
	return unstructured.SetNestedField(config.Object, patched, "data", "cni_network_config")
}

func setEnv(container map[string]any, name, value string) {
	env, _ := container["env"].([]any)
	entry := map[string]any{"name": name, "value": value}
	if i := slices.IndexFunc(env, func(item any) bool { return nameOf(item) == name }); i >= 0 {
		env[i] = entry
	} else {
		env = append(env, entry)
	}
	container["env"] = env
}

func nameOf(item any) string {
	entry, _ := item.(map[string]any)
	name, _ := entry["name"].(string)
	return name
}
