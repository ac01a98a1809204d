// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package plain makes a pod network out of nothing but the CNI plugins that every kind node image holds: a range of seed pods for
// each node, and routes between the nodes. It has no pools and no policies. The package is pure.
package plain

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"

	"go4.org/netipx"
)

// ConfigPath is where the container runtime of a node looks for the network configuration.
const ConfigPath = "/etc/cni/net.d/10-kindling.conflist"

// Prefix lengths of a node's range. Seed pods too small for that are cut into smaller ranges.
const (
	nodeBitsIPv4 = 24
	nodeBitsIPv6 = 64
)

// Node is a node of the cluster.
type Node struct {
	Name string
	// Addresses in the container network.
	Addresses []netip.Addr
	// Ranges of the node's pods, one for each family; see Assign.
	Ranges []netip.Prefix
}

// Assign gives each node a range of each family of seed pods, in the order of the nodes' names.
func Assign(seedPods []netip.Prefix, nodes []Node) ([]Node, error) {
	assigned := slices.Clone(nodes)
	slices.SortFunc(assigned, func(a, b Node) int { return compareNames(a.Name, b.Name) })
	for _, pods := range seedPods {
		wanted := nodeBitsIPv4
		if pods.Addr().Is6() {
			wanted = nodeBitsIPv6
		}
		length := max(wanted, pods.Bits()+bits.Len(uint(len(nodes)-1)))
		if length > pods.Addr().BitLen()-2 {
			return nil, fmt.Errorf("seed pods %s are too small for %d nodes: a node needs four addresses or more", pods, len(nodes))
		}
		next := netip.PrefixFrom(pods.Addr(), length)
		for i := range assigned {
			assigned[i].Ranges = append(slices.Clone(assigned[i].Ranges), next)
			next = netip.PrefixFrom(netipx.PrefixLastIP(next).Next(), length)
		}
	}
	return assigned, nil
}

func compareNames(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}

// Config returns the CNI configuration of a node: ptp wires a pod, host-local gives it an address of the node's ranges, portmap
// serves hostPort.
func Config(node Node) ([]byte, error) {
	var ranges [][]map[string]string
	var routes []map[string]string
	for _, prefix := range node.Ranges {
		ranges = append(ranges, []map[string]string{{"subnet": prefix.String()}})
		destination := "0.0.0.0/0"
		if prefix.Addr().Is6() {
			destination = "::/0"
		}
		routes = append(routes, map[string]string{"dst": destination})
	}
	data, err := json.MarshalIndent(map[string]any{
		"cniVersion": "0.3.1",
		"name":       "kindling",
		"plugins": []map[string]any{
			{"type": "ptp", "ipMasq": false, "ipam": map[string]any{
				"type": "host-local", "dataDir": "/run/cni-ipam-state", "ranges": ranges, "routes": routes,
			}},
			{"type": "portmap", "capabilities": map[string]bool{"portMappings": true}},
		},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding the CNI configuration of node %s: %w", node.Name, err)
	}
	return append(data, '\n'), nil
}

// Route leads to the pods of another node.
type Route struct {
	Destination netip.Prefix
	Via         netip.Addr
}

// Routes returns the routes that a node needs to the pods of all others.
func Routes(node Node, nodes []Node) []Route {
	var routes []Route
	for _, other := range nodes {
		if other.Name == node.Name {
			continue
		}
		for _, prefix := range other.Ranges {
			for _, address := range other.Addresses {
				if address.Is4() == prefix.Addr().Is4() {
					routes = append(routes, Route{prefix, address})
				}
			}
		}
	}
	return routes
}
