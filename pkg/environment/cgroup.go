// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/pkg/steps"
)

// criBasePath is what containerd makes every pod of a kind node from, an OCI runtime specification.
const criBasePath = "/etc/containerd/cri-base.json"

// cgroupNamespace gives pods a cgroup namespace of their own, which the kubelet of a machine needs on a host with cgroup v2: without it,
// it looks for its pods in the cgroups of the node's kubelet.
func (c *cluster) cgroupNamespace() setting {
	return setting{
		observe: func(ctx context.Context) ([]steps.Difference, error) {
			wanted, err := c.cgroupSpecs(ctx)
			var differences []steps.Difference
			for _, spec := range wanted {
				differences = append(differences, steps.Difference{Field: "cgroup namespace of pods on " + spec.node.Name(), Have: "the node's", Want: "their own"})
			}
			return differences, err
		},
		apply: func(ctx context.Context) error {
			wanted, err := c.cgroupSpecs(ctx)
			if err != nil {
				return err
			}
			var group errgroup.Group
			for _, spec := range wanted {
				group.Go(func() error { return writeCRIBase(ctx, spec.node, spec.content) })
			}
			return group.Wait()
		},
	}
}

// criSpec is what a node shall have in its file.
type criSpec struct {
	node    kindcluster.Node
	content []byte
}

// cgroupSpecs returns the nodes whose file has to change.
func (c *cluster) cgroupSpecs(ctx context.Context) ([]criSpec, error) {
	if c.env.CgroupV1 {
		return nil, nil
	}
	nodes, err := c.kindNodes(ctx)
	if err != nil {
		return nil, err
	}
	specs, err := eachNode(ctx, nodes, func(ctx context.Context, node kindcluster.Node) (criSpec, error) {
		content, err := node.Command(ctx, nil, "cat", criBasePath)
		if err == nil {
			content, err = withCgroupNamespace(content)
		}
		if err != nil {
			return criSpec{}, fmt.Errorf("%s of node %s: %w", criBasePath, node.Name(), err)
		}
		return criSpec{node, content}, nil
	})
	return slices.DeleteFunc(specs, func(spec criSpec) bool { return spec.content == nil }), err
}

// writeCRIBase writes the file and lets containerd read it; containers that run go on.
func writeCRIBase(ctx context.Context, node kindcluster.Node, content []byte) error {
	if err := node.WriteFile(ctx, criBasePath, content, 0o644); err != nil {
		return fmt.Errorf("writing %s of node %s: %w", criBasePath, node.Name(), err)
	}
	if _, err := node.Command(ctx, nil, "systemctl", "restart", "containerd"); err != nil {
		return fmt.Errorf("restarting containerd of node %s: %w", node.Name(), err)
	}
	return nil
}

// withCgroupNamespace returns an OCI runtime specification with a cgroup namespace added, and nil for one that has it. All else stays.
func withCgroupNamespace(content []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var spec map[string]any
	if err := decoder.Decode(&spec); err != nil {
		return nil, fmt.Errorf("is no JSON object: %w", err)
	}
	linux, ok := spec["linux"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("has no object linux, so it is no specification of an OCI runtime")
	}
	namespaces, _ := linux["namespaces"].([]any)
	for _, namespace := range namespaces {
		if fields, _ := namespace.(map[string]any); fields["type"] == "cgroup" {
			return nil, nil
		}
	}
	linux["namespaces"] = append(namespaces, map[string]any{"type": "cgroup"})
	return json.Marshal(spec)
}
