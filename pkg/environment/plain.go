// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/plain"
	"github.com/gardener/kindling/pkg/steps"
)

// plain configures the CNI plugins of the node image, and the routes between nodes.
func (c *cluster) plain() steps.Step {
	return steps.Step{
		Name:  c.step("plain"),
		Title: "Plain network in " + c.spec.Name + " (no pools, no policies)",
		// A network makes nodes ready, and pods on ready nodes pull images.
		Needs:   c.env.withRegistry(c.beforePods()...),
		Observe: c.observePlain,
		Apply: func(ctx context.Context, _ func(string)) (string, error) {
			nodes, planned, err := c.plannedNodes(ctx)
			if err != nil {
				return "", err
			}
			_, err = eachNode(ctx, nodes, func(ctx context.Context, node kindcluster.Node) (struct{}, error) {
				if err := c.applyPlain(ctx, node, planned[node.Name()]); err != nil {
					return struct{}{}, fmt.Errorf("configuring the network of node %s: %w", node.Name(), err)
				}
				return struct{}{}, nil
			})
			return fmt.Sprintf("%d nodes", len(nodes)), err
		},
	}
}

// plannedNodes returns the nodes of the cluster, and what each of them shall have.
func (c *cluster) plannedNodes(ctx context.Context) ([]kindcluster.Node, map[string]plannedNode, error) {
	nodes, err := c.kindNodes(ctx)
	if err != nil {
		return nil, nil, err
	}
	var seedPods []netip.Prefix
	for _, family := range c.env.plan.Families {
		seedPods = append(seedPods, family.SeedPods)
	}
	containers, err := c.knownContainers(ctx)
	if err != nil {
		return nil, nil, err
	}
	described, err := eachNode(ctx, nodes, func(ctx context.Context, node kindcluster.Node) (plain.Node, error) {
		addresses, err := addressesOf(ctx, node, containers)
		return plain.Node{Name: node.Name(), Addresses: addresses}, err
	})
	if err != nil {
		return nil, nil, err
	}
	assigned, err := plain.Assign(seedPods, described)
	if err != nil {
		return nil, nil, err
	}
	planned := map[string]plannedNode{}
	for _, node := range assigned {
		config, err := plain.Config(node)
		if err != nil {
			return nil, nil, err
		}
		planned[node.Name] = plannedNode{config, plain.Routes(node, assigned)}
	}
	return nodes, planned, nil
}

// addressesOf takes a node's addresses from what is known of the containers, and asks where the engine does not tell of networks.
func addressesOf(ctx context.Context, node kindcluster.Node, containers []engine.Container) ([]netip.Addr, error) {
	for _, container := range containers {
		if addresses := container.Addresses[netplan.ContainerNetwork]; container.Name == node.Name() && len(addresses) > 0 {
			return addresses, nil
		}
	}
	return node.Addresses(ctx)
}

type plannedNode struct {
	config []byte
	routes []plain.Route
}

func (c *cluster) observePlain(ctx context.Context) (steps.Observation, error) {
	nodes, planned, err := c.plannedNodes(ctx)
	if err != nil {
		return steps.Observation{}, err
	}
	found, err := eachNode(ctx, nodes, func(ctx context.Context, node kindcluster.Node) ([]steps.Difference, error) {
		return c.nodeDifferences(ctx, node, planned[node.Name()])
	})
	if err != nil {
		return steps.Observation{}, err
	}
	differences := slices.Concat(found...)
	if len(differences) > 0 {
		return steps.Observation{State: steps.Differs, Text: fmt.Sprintf("%d differences", len(differences)), Differences: differences}, nil
	}
	return steps.Observation{State: steps.AsWanted, Text: fmt.Sprintf("%d nodes", len(nodes))}, nil
}

// plainState is what a node has of the plain network.
type plainState struct {
	config []byte
	routes []plain.Route
	// rules of the chain POSTROUTING of all families, as iptables lists them.
	rules []string
}

// readPlain asks a node for all of it in one call.
func (c *cluster) readPlain(ctx context.Context, node kindcluster.Node) (plainState, error) {
	commands := [][]string{{"find", plain.ConfigPath, "-exec", "cat", "{}", ";"}}
	for _, family := range c.env.plan.Families {
		commands = append(commands,
			[]string{"ip", ipFlag(family), "-json", "route", "show"},
			[]string{iptables(family), "--table", "nat", "--list-rules", "POSTROUTING"})
	}
	outputs, err := node.Commands(ctx, commands...)
	if len(outputs) < len(commands) {
		return plainState{}, err
	}
	state := plainState{config: outputs[0]}
	if len(state.config) > 0 && err != nil {
		return plainState{}, err // find fails where there is no configuration yet, and nothing else does
	}
	for i := 1; i < len(outputs); i += 2 {
		routes, err := parseRoutes(outputs[i])
		if err != nil {
			return plainState{}, fmt.Errorf("reading the routes of node %s: %w", node.Name(), err)
		}
		state.routes = append(state.routes, routes...)
		state.rules = append(state.rules, strings.Split(string(outputs[i+1]), "\n")...)
	}
	return state, nil
}

// parseRoutes returns the routes that lead over another address.
func parseRoutes(output []byte) ([]plain.Route, error) {
	var entries []struct {
		Destination string `json:"dst"`
		Gateway     string `json:"gateway"`
	}
	if err := json.Unmarshal(output, &entries); err != nil {
		return nil, err
	}
	var routes []plain.Route
	for _, entry := range entries {
		destination, destinationErr := netip.ParsePrefix(entry.Destination)
		gateway, gatewayErr := netip.ParseAddr(entry.Gateway)
		if destinationErr == nil && gatewayErr == nil { // others, such as "default", are none of ours
			routes = append(routes, plain.Route{Destination: destination, Via: gateway})
		}
	}
	return routes, nil
}

func (c *cluster) nodeDifferences(ctx context.Context, node kindcluster.Node, planned plannedNode) ([]steps.Difference, error) {
	have, err := c.readPlain(ctx, node)
	if err != nil {
		return nil, err
	}
	var differences []steps.Difference
	switch {
	case len(have.config) == 0:
		differences = append(differences, steps.Difference{Field: node.Name() + " " + plain.ConfigPath, Have: "missing", Want: "as planned"})
	case !slices.Equal(have.config, planned.config):
		differences = append(differences, steps.Difference{Field: node.Name() + " " + plain.ConfigPath, Have: "another content", Want: "as planned"})
	}
	for _, family := range c.env.plan.Families {
		if !have.masquerades(family) { // the rule goes when a node is restarted
			differences = append(differences, steps.Difference{Field: node.Name() + " masquerading of " + family.SeedPods.String(), Have: "missing", Want: "there"})
		}
	}
	for _, route := range planned.routes {
		if !slices.Contains(have.routes, route) {
			differences = append(differences, steps.Difference{
				Field: node.Name() + " route to " + route.Destination.String(), Have: "missing", Want: "via " + route.Via.String(),
			})
		}
	}
	return differences, nil
}

func (c *cluster) applyPlain(ctx context.Context, node kindcluster.Node, planned plannedNode) error {
	have, err := c.readPlain(ctx, node)
	if err != nil {
		return err
	}
	var commands [][]string
	for _, route := range planned.routes {
		commands = append(commands, []string{"ip", "route", "replace", route.Destination.String(), "via", route.Via.String()})
	}
	for _, family := range c.env.plan.Families {
		if !have.masquerades(family) {
			commands = append(commands, append([]string{iptables(family), "--table", "nat", "--append"}, masquerading(family)...))
		}
	}
	if _, err := node.Commands(ctx, commands...); err != nil {
		return err
	}
	// The configuration comes last: it makes the node ready.
	return node.WriteFile(ctx, plain.ConfigPath, planned.config, 0o644)
}

func ipFlag(family netplan.Family) string {
	return map[v1alpha1.IPFamily]string{v1alpha1.IPv4: "-4", v1alpha1.IPv6: "-6"}[family.IPFamily]
}

func iptables(family netplan.Family) string {
	return map[v1alpha1.IPFamily]string{v1alpha1.IPv4: "iptables", v1alpha1.IPv6: "ip6tables"}[family.IPFamily]
}

// masquerading is the rule that hides pods behind their node towards everything that does not know the way back. It is written as
// iptables lists it, so that it can be found again.
func masquerading(family netplan.Family) []string {
	return []string{"POSTROUTING", "-s", family.SeedPods.String(), "!", "-d", family.Pods.String(), "-j", "MASQUERADE"}
}

func (s plainState) masquerades(family netplan.Family) bool {
	return slices.Contains(s.rules, "-A "+strings.Join(masquerading(family), " "))
}
