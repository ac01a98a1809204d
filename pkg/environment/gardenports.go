// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/registry"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// wantsGardenPorts says whether machines look for registry and caches at the garden's node, and this is its cluster.
func (c *cluster) wantsGardenPorts() bool {
	return c.env.registryWanted() && !c.env.plan.Gardener.Has(gardener.RegistryOutside) && c.env.gardenCluster() == c
}

// gardenPorts lets registry and caches answer at the ports of the garden's node, where older machines look for them. Machines are no containers of
// the engine: they know neither the names of containers, nor certs.d of the nodes.
func (c *cluster) gardenPorts() steps.Step {
	return steps.Step{
		Name:  c.step("garden-ports"),
		Title: "Registry for machines in " + c.spec.Name,
		Needs: c.env.withRegistry(c.steps("cluster")...),
		Observe: func(ctx context.Context) (steps.Observation, error) {
			objects, err := c.gardenPortObjects(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			return c.observeWithout(ctx, objects, unwantedGardenPorts(), nil)
		},
		Apply: func(ctx context.Context, _ func(string)) (string, error) {
			objects, err := c.gardenPortObjects(ctx)
			if err != nil {
				return "", err
			}
			if err := c.removeUnwanted(ctx, objects, unwantedGardenPorts()); err != nil {
				return "", err
			}
			return c.applyObjects(ctx, objects)
		},
	}
}

func (c *cluster) gardenPortObjects(ctx context.Context) ([]*unstructured.Unstructured, error) {
	node, err := c.env.gardenAddress(ctx)
	if err != nil {
		return nil, err
	}
	servers := registry.Servers(c.env.spec.Spec.Registry, c.env.plan.Gardener)
	var names []string
	for _, server := range servers {
		names = append(names, server.Name)
	}
	containers, err := c.env.Engine.ContainersNamed(ctx, names...)
	if err != nil {
		return nil, err
	}
	addresses := map[string][]netip.Addr{}
	for _, container := range containers {
		addresses[container.Name] = container.Addresses[netplan.ContainerNetwork]
	}
	var ports []render.GardenPort
	for _, server := range servers {
		if server.GardenPort() == 0 {
			continue
		}
		i := slices.IndexFunc(addresses[server.Name], func(address netip.Addr) bool { return address.Is6() == node.Is6() })
		if i < 0 {
			return nil, fmt.Errorf("container %s has no address of the family of %s in the network %s: kindling up starts it", server.Name, node, netplan.ContainerNetwork)
		}
		ports = append(ports, render.GardenPort{Host: server.Host, Port: server.GardenPort(), Address: addresses[server.Name][i], TargetPort: server.Port})
	}
	content, err := render.GardenPorts(c.env.plan, node, ports)
	if err != nil {
		return nil, err
	}
	return decodeObjects(content)
}

// unwantedGardenPorts are for caches that the file names no more.
func unwantedGardenPorts() []*unstructured.Unstructured {
	var candidates []*unstructured.Unstructured
	for _, port := range registry.GardenPorts() {
		name := render.GardenPortName(port)
		candidates = append(candidates, kube.Reference("v1", "Service", metav1.NamespaceSystem, name), kube.Reference("discovery.k8s.io/v1", "EndpointSlice", metav1.NamespaceSystem, name))
	}
	return candidates
}
