// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TaintedNodes returns the names of the nodes that have a taint of a key.
func (c *Client) TaintedNodes(ctx context.Context, key string) ([]string, error) {
	nodes, err := c.nodes(ctx)
	var names []string
	for _, node := range nodes {
		if slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == key }) {
			names = append(names, node.Name)
		}
	}
	return names, err
}

// RemoveTaint takes the taints of a key from all nodes. Others stay; a node that is changed meanwhile is an error.
func (c *Client) RemoveTaint(ctx context.Context, key string) error {
	nodes, err := c.nodes(ctx)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		left := slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(taint corev1.Taint) bool { return taint.Key == key })
		if len(left) == len(node.Spec.Taints) {
			continue
		}
		patch, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"resourceVersion": node.ResourceVersion}, "spec": map[string]any{"taints": left},
		})
		if err != nil {
			return fmt.Errorf("writing the taints of node %s: %w", node.Name, err)
		}
		object := Reference("v1", "Node", "", node.Name)
		resource, err := c.resource(ctx, object)
		if err != nil {
			return describeError("looking up", object, err)
		}
		if _, err := resource.Patch(quiet(ctx), node.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: FieldManager}); err != nil {
			return describeError("taking a taint from", object, err)
		}
	}
	return nil
}

// nodes lists all nodes.
func (c *Client) nodes(ctx context.Context) ([]corev1.Node, error) {
	return list[corev1.Node](ctx, c, Reference("v1", "Node", "", ""))
}
