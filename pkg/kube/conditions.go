// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
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

// CRDsEstablished holds when all kinds are served.
func (c *Client) CRDsEstablished(crds []*unstructured.Unstructured) Condition {
	return Condition{"kinds", func(ctx context.Context) ([]Pending, error) {
		var pending []Pending
		for _, crd := range crds {
			live, err := c.Get(ctx, crd)
			if err != nil {
				return nil, err
			}
			if live == nil || !hasCondition(live, "Established") {
				pending = append(pending, Pending{Object: Name(crd), Reason: "is not established"})
			}
		}
		return pending, nil
	}}
}

func hasCondition(object *unstructured.Unstructured, kind string) bool {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		if condition["type"] == kind && condition["status"] == "True" {
			return true
		}
	}
	return false
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

// DaemonSetRolledOut holds when the newest pods run on all nodes.
func (c *Client) DaemonSetRolledOut(namespace, name string) Condition {
	ref := reference("apps/v1", "DaemonSet", namespace, name)
	return Condition{Name(ref), func(ctx context.Context) ([]Pending, error) {
		live, err := c.Get(ctx, ref)
		if err != nil || live == nil {
			return missing(ref, err)
		}
		ds, err := as[appsv1.DaemonSet](live)
		if err != nil {
			return nil, err
		}
		status := ds.Status
		if status.ObservedGeneration >= ds.Generation && status.DesiredNumberScheduled > 0 &&
			status.UpdatedNumberScheduled == status.DesiredNumberScheduled && status.NumberAvailable == status.DesiredNumberScheduled {
			return nil, nil
		}
		return c.withPods(ctx, Pending{
			Object: Name(ref), Reason: fmt.Sprintf("%d of %d pods are available", status.NumberAvailable, status.DesiredNumberScheduled),
		}, namespace, ds.Spec.Selector)
	}}
}

// DeploymentAvailable holds when as many pods as wanted are available.
func (c *Client) DeploymentAvailable(namespace, name string) Condition {
	ref := reference("apps/v1", "Deployment", namespace, name)
	return Condition{Name(ref), func(ctx context.Context) ([]Pending, error) {
		live, err := c.Get(ctx, ref)
		if err != nil || live == nil {
			return missing(ref, err)
		}
		deployment, err := as[appsv1.Deployment](live)
		if err != nil {
			return nil, err
		}
		replicas := int32(1)
		if deployment.Spec.Replicas != nil {
			replicas = *deployment.Spec.Replicas
		}
		status := deployment.Status
		if status.ObservedGeneration >= deployment.Generation && status.AvailableReplicas >= replicas {
			return nil, nil
		}
		return c.withPods(ctx, Pending{
			Object: Name(ref), Reason: fmt.Sprintf("%d of %d pods are available", status.AvailableReplicas, replicas),
		}, namespace, deployment.Spec.Selector)
	}}
}

func missing(ref *unstructured.Unstructured, err error) ([]Pending, error) {
	if err != nil {
		return nil, err
	}
	return []Pending{{Object: Name(ref), Reason: "does not exist"}}, nil
}
