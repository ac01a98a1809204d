// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/kindcluster"
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
	c.nodesMutex.Lock()
	defer c.nodesMutex.Unlock()
	if c.encapsulation != "" {
		return c.encapsulation, nil
	}
	node := nodes[0]
	able, err := probeIPIP(ctx, node)
	if err != nil {
		return "", err
	}
	c.encapsulation = v1alpha1.EncapsulationVXLANCrossSubnet
	if able {
		c.encapsulation = v1alpha1.EncapsulationIPIP
	}
	return c.encapsulation, nil
}

// knownEncapsulation returns what resolveEncapsulation found out; empty before.
func (c *cluster) knownEncapsulation() v1alpha1.Encapsulation {
	c.nodesMutex.Lock()
	defer c.nodesMutex.Unlock()
	return c.encapsulation
}

// probeIPIP makes a device and removes it. Only what the kernel says of the kind of device is an answer; another failure is one.
func probeIPIP(ctx context.Context, node kindcluster.Node) (bool, error) {
	_, err := node.Command(ctx, nil, "ip", "link", "add", "name", probeLink, "type", "ipip", "local", "127.0.0.1")
	failed, isCommand := errors.AsType[*kindcluster.CommandError](err)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err == nil, isCommand && strings.Contains(failed.Output, "File exists"):
		// One that is there already is of a run that was killed between making and removing it.
		removeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
		defer cancel()
		if _, err := node.Command(removeCtx, nil, "ip", "link", "delete", probeLink); err != nil {
			return true, fmt.Errorf("removing the probe device from node %s: %w", node.Name(), err)
		}
		return true, nil
	case isCommand && (strings.Contains(failed.Output, "Unknown device type") || strings.Contains(failed.Output, "not supported") ||
		strings.Contains(failed.Output, "not permitted")):
		return false, nil
	}
	return false, fmt.Errorf("asking the kernel for IPIP: %w: set spec.calico.encapsulation", err)
}
