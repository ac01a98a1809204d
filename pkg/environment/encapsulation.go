// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
)

// probeLink is the name of the tunnel device that is made for a moment to see whether the kernel can.
const probeLink = "kindling-probe"

// resolveEncapsulation replaces Auto by what the kernel under the nodes can do. A node shares the kernel of the engine's host, and
// making an IPIP device there loads the module where the host has it: no list of modules tells as much.
func (c *cluster) resolveEncapsulation(ctx context.Context) (v1alpha1.Encapsulation, error) {
	wanted := c.env.spec.Spec.Calico.Encapsulation
	if wanted != v1alpha1.EncapsulationAuto {
		return wanted, nil
	}
	nodes, err := c.kindNodes(ctx)
	if err != nil {
		return "", err
	}
	if len(nodes) == 0 {
		return "", fmt.Errorf("cluster %s has no node to ask for the kernel's encapsulations", c.spec.Name)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.encapsulation != "" {
		return c.encapsulation, nil
	}
	node := nodes[0]
	if _, err := node.Command(ctx, nil, "ip", "link", "add", "name", probeLink, "type", "ipip", "local", "127.0.0.1"); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		c.encapsulation = v1alpha1.EncapsulationVXLANCrossSubnet
		return c.encapsulation, nil
	}
	if _, err := node.Command(ctx, nil, "ip", "link", "delete", probeLink); err != nil {
		return "", fmt.Errorf("removing the probe device from node %s: %w", node.Name(), err)
	}
	c.encapsulation = v1alpha1.EncapsulationIPIP
	return c.encapsulation, nil
}
