// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package calico

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	familyIPv4   = "IPv4"
	familyIPv6   = "IPv6"
	backendBird  = "bird"
	backendVXLAN = "vxlan"
)

// Options are what the manifest is adapted to.
type Options struct {
	// Families of the cluster, "IPv4" and "IPv6", at least one.
	Families []string
	// Encapsulation of the pools: "IPIP", "VXLAN", "VXLANCrossSubnet" or "None".
	Encapsulation string
}

// backend returns the value of calico_backend. Without BIRD only VXLAN pools have routes between nodes: IPIP and None need it.
func (o Options) backend() (string, error) {
	switch o.Encapsulation {
	case "IPIP", "None":
		return backendBird, nil
	case "VXLAN", "VXLANCrossSubnet":
		return backendVXLAN, nil
	}
	return "", fmt.Errorf("encapsulation %q is unknown: use IPIP, VXLAN, VXLANCrossSubnet or None", o.Encapsulation)
}

func (o Options) validateFamilies() error {
	for _, family := range o.Families {
		if family != familyIPv4 && family != familyIPv6 {
			return fmt.Errorf("address family %q is unknown: use %s and %s", family, familyIPv4, familyIPv6)
		}
	}
	if len(o.Families) == 0 {
		return fmt.Errorf("no address family is given: use %s, %s or both", familyIPv4, familyIPv6)
	}
	return nil
}

// Patch adapts the manifest: calico-node makes no pools of its own, the backend fits the encapsulation, and IPv6 is served
// where the cluster has it. After an error the manifest may be half adapted: parse it again. The error is a *ManifestError, or
// says which option is wrong.
func (m *Manifest) Patch(opts Options) error {
	backend, err := opts.backend()
	if err != nil {
		return err
	}
	if err := opts.validateFamilies(); err != nil {
		return err
	}
	config, err := m.find("ConfigMap", configConfigMap)
	if err != nil {
		return err
	}
	node, err := m.nodeContainer()
	if err != nil {
		return err
	}
	patchPools(node)
	if err := unstructured.SetNestedField(config.Object, backend, "data", "calico_backend"); err != nil {
		return &ManifestError{err.Error()}
	}
	if backend != backendBird {
		withoutBird(node)
	}
	if !slices.Contains(opts.Families, familyIPv6) {
		return nil
	}
	dual := slices.Contains(opts.Families, familyIPv4)
	if !dual && backend == backendBird {
		// BIRD takes the node's IPv4 address for its router id; without one it needs another.
		setEnv(node, "CALICO_ROUTER_ID", "hash")
	}
	return patchIPv6(config, node, dual)
}

// nodeContainer returns the container calico-node; changes to it change the manifest.
func (m *Manifest) nodeContainer() (map[string]any, error) {
	daemonSet, err := m.find("DaemonSet", nodeDaemonSet)
	if err != nil {
		return nil, err
	}
	for _, container := range containers(daemonSet, "containers") {
		if container["name"] == nodeDaemonSet {
			return container, nil
		}
	}
	return nil, &ManifestError{"its DaemonSet has no container " + nodeDaemonSet}
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
