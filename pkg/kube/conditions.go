// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

func reference(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
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
		_, err := c.Get(ctx, reference("v1", "Namespace", "", "kube-system"))
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

// NodesReady holds when there are nodes and all of them are ready.
func (c *Client) NodesReady() Condition {
	return Condition{"nodes", func(ctx context.Context) ([]Pending, error) {
		nodes, err := c.List(ctx, reference("v1", "Node", "", ""))
		if err != nil {
			return nil, err
		}
		if len(nodes) == 0 {
			return []Pending{{Object: "nodes", Reason: "none has registered"}}, nil
		}
		var pending []Pending
		for i := range nodes {
			node, err := as[corev1.Node](&nodes[i])
			if err != nil {
				return nil, err
			}
			if reason := notReady(node); reason != "" {
				pending = append(pending, Pending{Object: "Node " + node.Name, Reason: reason})
			}
		}
		return pending, nil
	}}
}

func notReady(node *corev1.Node) string {
	for _, condition := range node.Status.Conditions {
		if condition.Type != corev1.NodeReady {
			continue
		}
		if condition.Status == corev1.ConditionTrue {
			return ""
		}
		return fmt.Sprintf("not ready: %s: %s", condition.Reason, condition.Message)
	}
	return "has not reported yet"
}
