// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/dns"
	"github.com/gardener/kindling/pkg/hosts"
	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/steps"
)

// Files of a node. Both are mounts: they are written in place.
const (
	nodeResolvConf = "/etc/resolv.conf"
	nodeHosts      = "/etc/hosts"
)

// names makes nodes and pods know the names of the local setup: nodes that ask the server do so by their resolv.conf, and CoreDNS with
// them; before there is a server, names are entries in the nodes and in CoreDNS.
func (c *cluster) names() steps.Step {
	needs := c.steps("cluster")
	if garden := c.env.gardenCluster(); garden != nil && garden != c && !c.env.wantsDNSServer() {
		needs = append(needs, garden.step("cluster"))
	}
	return steps.Step{
		Name:  c.step("names"),
		Title: "Names in " + c.spec.Name,
		Needs: needs,
		Observe: func(ctx context.Context) (steps.Observation, error) {
			var inNodes, inCoreDNS []steps.Difference
			group, ctx := errgroup.WithContext(ctx)
			group.Go(func() (err error) {
				inNodes, err = c.nodeNameDifferences(ctx)
				return err
			})
			group.Go(func() (err error) {
				inCoreDNS, err = c.coreDNSDifferences(ctx)
				return err
			})
			if err := group.Wait(); err != nil {
				return steps.Observation{}, err
			}
			differences := slices.Concat(inNodes, inCoreDNS)
			if len(differences) > 0 {
				return steps.Observation{State: steps.Differs, Text: fmt.Sprintf("%d differences", len(differences)), Differences: differences}, nil
			}
			return steps.Observation{State: steps.AsWanted, Text: c.env.describeNames()}, nil
		},
		Apply: func(ctx context.Context, _ func(string)) (string, error) {
			group, ctx := errgroup.WithContext(ctx)
			group.Go(func() error { return c.applyNodeNames(ctx) })
			group.Go(func() error { return c.applyCoreDNS(ctx) })
			return c.env.describeNames(), group.Wait()
		},
	}
}

// beforePods are the steps before the one that lets pods start: CoreDNS shall see names at once, not when it next looks for changes.
func (c *cluster) beforePods() []string {
	if *c.env.spec.Spec.DNS.Enabled {
		return c.steps("cluster", "names")
	}
	return c.steps("cluster")
}

func (e *Environment) describeNames() string {
	if e.wantsDNSServer() {
		return "nodes ask " + joinAddresses(e.dnsAddresses())
	}
	return "entries in the nodes and in CoreDNS"
}

// nodeFile is what the names of a node are in, and how it shall be, given how it is.
type nodeFile struct {
	path string
	// wanted describes it, and differs says in which words it is otherwise; empty when it is as wanted.
	wanted  string
	differs func(content string) string
	change  func(content string) string
}

func (c *cluster) nameFile(ctx context.Context) (nodeFile, error) {
	if c.env.wantsDNSServer() {
		addresses := c.env.dnsAddresses()
		wanted := "nameserver " + joinAddresses(addresses)
		return nodeFile{
			path: nodeResolvConf, wanted: wanted,
			differs: func(content string) string {
				if have := dns.Nameservers(content); !slices.Equal(have, addresses) {
					return "nameserver " + orNone(joinAddresses(have))
				}
				return ""
			},
			change: func(string) string { return string(dns.ResolvConf(addresses)) },
		}, nil
	}
	garden, err := c.env.gardenAddress(ctx)
	if err != nil {
		return nodeFile{}, err
	}
	entries := []hosts.Entry{{Address: garden, Name: dns.GardenName}}
	return nodeFile{
		path: nodeHosts, wanted: entries[0].String(),
		differs: func(content string) string {
			if hosts.Set(content, entries) == content {
				return ""
			}
			return orNone(joinAddresses(hosts.Addresses(content, dns.GardenName)))
		},
		change: func(content string) string { return hosts.Set(content, entries) },
	}, nil
}

func (c *cluster) nodeNameDifferences(ctx context.Context) ([]steps.Difference, error) {
	nodes, err := c.kindNodes(ctx)
	if err != nil {
		return nil, err
	}
	file, err := c.nameFile(ctx)
	if err != nil {
		return nil, err
	}
	found, err := eachNode(ctx, nodes, func(ctx context.Context, node kindcluster.Node) ([]steps.Difference, error) {
		content, err := node.Command(ctx, nil, "cat", file.path)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file.path, err)
		}
		if have := file.differs(string(content)); have != "" {
			return []steps.Difference{{Field: node.Name() + " " + file.path, Have: have, Want: file.wanted}}, nil
		}
		return nil, nil
	})
	return slices.Concat(found...), err
}

func (c *cluster) applyNodeNames(ctx context.Context) error {
	nodes, err := c.kindNodes(ctx)
	if err != nil {
		return err
	}
	file, err := c.nameFile(ctx)
	if err != nil {
		return err
	}
	_, err = eachNode(ctx, nodes, func(ctx context.Context, node kindcluster.Node) (struct{}, error) {
		content, err := node.Command(ctx, nil, "cat", file.path)
		if err == nil && file.differs(string(content)) != "" {
			// A mount can be written to, and not replaced.
			_, err = node.Command(ctx, strings.NewReader(file.change(string(content))), "cp", "/dev/stdin", file.path)
		}
		if err != nil {
			return struct{}{}, fmt.Errorf("writing %s: %w", file.path, err)
		}
		return struct{}{}, nil
	})
	return err
}

// gardenCluster is the cluster of this environment that the garden runs in; nil when it is another environment's.
func (e *Environment) gardenCluster() *cluster {
	for _, c := range e.clusters {
		if c.spec.Name == e.spec.Spec.Gardener.Cluster {
			return c
		}
	}
	return nil
}

// gardenAddress is that of the garden's control-plane node, in IPv6 where the environment has it, as upstream.
func (e *Environment) gardenAddress(ctx context.Context) (netip.Addr, error) {
	name := e.spec.Spec.Gardener.Cluster
	containers, err := e.Engine.Containers(ctx, map[string]string{kindClusterLabel: name})
	if err != nil {
		return netip.Addr{}, err
	}
	_, ipv6 := e.plan.Family(v1alpha1.IPv6)
	for _, container := range containers {
		if container.Name != name+"-control-plane" {
			continue
		}
		for _, address := range container.Addresses[netplan.ContainerNetwork] {
			if address.Is6() == ipv6 {
				return address, nil
			}
		}
	}
	return netip.Addr{}, fmt.Errorf("%s has no address: %w: bring its environment up first, or name another in spec.gardener.cluster",
		dns.GardenName, errors.New("cluster "+name+" has no running node "+name+"-control-plane"))
}
