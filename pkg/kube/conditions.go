// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Reference names an object, or with an empty name a list.
func Reference(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetAPIVersion(apiVersion)
	object.SetKind(kind)
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

// as decodes an object into its type.
func as[T any](object *unstructured.Unstructured) (*T, error) {
	typed := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed); err != nil {
		return nil, describeError("decoding", object, err)
	}
	return typed, nil
}

// Answers holds when the API server answers.
func (c *Client) Answers() Condition {
	return Condition{"API server", func(ctx context.Context) ([]Pending, error) {
		_, err := c.Get(ctx, Reference("v1", "Namespace", "", "kube-system"))
		return nil, err
	}}
}

// CRDsEstablished holds when all CustomResourceDefinitions among the objects are served.
func (c *Client) CRDsEstablished(objects []*unstructured.Unstructured) Condition {
	return Condition{"kinds", func(ctx context.Context) ([]Pending, error) {
		var pending []Pending
		for _, crd := range objects {
			if crd.GetKind() != "CustomResourceDefinition" {
				continue
			}
			live, err := c.Get(ctx, crd)
			if err != nil {
				return nil, err
			}
			if reason := notEstablished(live); reason != "" {
				pending = append(pending, Pending{Object: Name(crd), Reason: reason})
			}
		}
		return pending, nil
	}}
}

// notEstablished reads the conditions of a CustomResourceDefinition; a name that another one has taken is the usual trouble.
func notEstablished(crd *unstructured.Unstructured) string {
	if crd == nil {
		return "does not exist"
	}
	reason := "is not established"
	conditions, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		switch {
		case condition["type"] == "Established" && condition["status"] == "True":
			return ""
		case condition["type"] == "NamesAccepted" && condition["status"] == "False":
			reason = fmt.Sprintf("is not established: %v", condition["message"])
		}
	}
	return reason
}

// NodesReady holds when every wanted node has registered and all nodes are ready. The time of a wanted node is when it was started
// last, zero if nobody knows: what its kubelet reported before is of no use. A kubelet renews its lease as soon as it runs, and reports later,
// so that the time of the condition itself counts.
func (c *Client) NodesReady(wanted Started) Condition {
	return Condition{"nodes", func(ctx context.Context) ([]Pending, error) {
		nodes, err := c.nodes(ctx)
		if err != nil {
			return nil, err
		}
		reasons := map[string]string{}
		for name := range wanted {
			reasons[name] = "has not registered"
		}
		for i := range nodes {
			node := &nodes[i]
			reasons[node.Name] = notReady(node, wanted[node.Name])
		}
		var pending []Pending
		for _, name := range slices.Sorted(maps.Keys(reasons)) {
			if reasons[name] != "" {
				pending = append(pending, Pending{Object: "Node " + name, Reason: reasons[name]})
			}
		}
		return pending, nil
	}}
}

// NodeImages returns the names of the images that each node has told the API server of, by node. Kubelets tell of the fifty largest.
func (c *Client) NodeImages(ctx context.Context) (map[string][]string, error) {
	nodes, err := c.nodes(ctx)
	images := map[string][]string{}
	for _, node := range nodes {
		for _, image := range node.Status.Images {
			images[node.Name] = append(images[node.Name], image.Names...)
		}
	}
	return images, err
}

// notReady compares whole seconds, in which objects have their times.
func notReady(node *corev1.Node, started time.Time) string {
	for _, condition := range node.Status.Conditions {
		if condition.Type != corev1.NodeReady {
			continue
		}
		if condition.Status == corev1.ConditionTrue && condition.LastHeartbeatTime.Time.Before(started.Truncate(time.Second)) {
			return "its kubelet has not reported since the node was started"
		}
		if condition.Status == corev1.ConditionTrue {
			return ""
		}
		return fmt.Sprintf("not ready: %s: %s", condition.Reason, condition.Message)
	}
	return "has not reported yet"
}
