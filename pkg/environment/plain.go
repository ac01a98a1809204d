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
		Name:    c.step("plain"),
		Title:   "Plain network in " + c.spec.Name + " (no pools, no policies)",
		Needs:   c.steps("cluster"),
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
		if addresses := container.Addresses[NetworkName]; container.Name == node.Name() && len(addresses) > 0 {
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

func (c *cluster) nodeDifferences(ctx context.Context, node kindcluster.Node, planned plannedNode) ([]steps.Difference, error) {
	config, err := node.Command(ctx, nil, "cat", plain.ConfigPath)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return []steps.Difference{{Field: node.Name() + " " + plain.ConfigPath, Have: "missing", Want: "as planned"}}, nil //nolint:nilerr // cat fails when there is none
	}
	var differences []steps.Difference
	if !slices.Equal(config, planned.config) {
		differences = append(differences, steps.Difference{Field: node.Name() + " " + plain.ConfigPath, Have: "another content", Want: "as planned"})
	}
	have, err := c.routesOf(ctx, node)
	if err != nil {
		return nil, err
	}
	for _, family := range c.env.plan.Families {
		if !isMasquerading(ctx, node, family) { // the rule goes when a node is restarted
			differences = append(differences, steps.Difference{Field: node.Name() + " masquerading of " + family.SeedPods.String(), Have: "missing", Want: "there"})
		}
	}
	for _, route := range planned.routes {
		if !slices.Contains(have, route) {
			differences = append(differences, steps.Difference{
				Field: node.Name() + " route to " + route.Destination.String(), Have: "missing", Want: "via " + route.Via.String(),
			})
		}
	}
	return differences, nil
}

// routesOf reads the routes of a node that lead over another address.
func (c *cluster) routesOf(ctx context.Context, node kindcluster.Node) ([]plain.Route, error) {
	var routes []plain.Route
	for _, family := range c.env.plan.Families {
		flag := map[v1alpha1.IPFamily]string{v1alpha1.IPv4: "-4", v1alpha1.IPv6: "-6"}[family.IPFamily]
		output, err := node.Command(ctx, nil, "ip", flag, "-json", "route", "show")
		if err != nil {
			return nil, err
		}
		var entries []struct {
			Destination string `json:"dst"`
			Gateway     string `json:"gateway"`
		}
		if err := json.Unmarshal(output, &entries); err != nil {
			return nil, fmt.Errorf("reading the routes of node %s: %w", node.Name(), err)
		}
		for _, entry := range entries {
			destination, destinationErr := netip.ParsePrefix(entry.Destination)
			gateway, gatewayErr := netip.ParseAddr(entry.Gateway)
			if destinationErr == nil && gatewayErr == nil { // others, such as "default", are none of ours
				routes = append(routes, plain.Route{Destination: destination, Via: gateway})
			}
		}
	}
	return routes, nil
}

func (c *cluster) applyPlain(ctx context.Context, node kindcluster.Node, planned plannedNode) error {
	for _, route := range planned.routes {
		if _, err := node.Command(ctx, nil, "ip", "route", "replace", route.Destination.String(), "via", route.Via.String()); err != nil {
			return err
		}
	}
	for _, family := range c.env.plan.Families {
		if err := masquerade(ctx, node, family); err != nil {
			return err
		}
	}
	// The configuration comes last: it makes the node ready.
	return node.WriteFile(ctx, plain.ConfigPath, planned.config, 0o644)
}

// masquerading is the rule that hides pods behind their node towards everything that does not know the way back: the program, and
// its arguments behind --check or --append.
func masquerading(family netplan.Family) (program string, rule []string) {
	program = "iptables"
	if family.IPFamily == v1alpha1.IPv6 {
		program = "ip6tables"
	}
	return program, []string{"POSTROUTING", "--source", family.SeedPods.String(), "!", "--destination", family.Pods.String(), "--jump", "MASQUERADE"}
}

func isMasquerading(ctx context.Context, node kindcluster.Node, family netplan.Family) bool {
	program, rule := masquerading(family)
	_, err := node.Command(ctx, nil, program, append([]string{"--table", "nat", "--check"}, rule...)...)
	return err == nil
}

func masquerade(ctx context.Context, node kindcluster.Node, family netplan.Family) error {
	if isMasquerading(ctx, node, family) {
		return nil
	}
	program, rule := masquerading(family)
	_, err := node.Command(ctx, nil, program, append([]string{"--table", "nat", "--append"}, rule...)...)
	return err
}
