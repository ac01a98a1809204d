// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

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

// DeploymentAvailable holds when as many pods as wanted are of the newest template, and as many are available.
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
		reason := fmt.Sprintf("%d of %d pods are available", status.AvailableReplicas, replicas)
		switch {
		case status.AvailableReplicas < replicas || status.ObservedGeneration < deployment.Generation:
		case status.UpdatedReplicas < replicas:
			reason = fmt.Sprintf("%d of %d pods are of the newest template", status.UpdatedReplicas, replicas)
		default:
			return nil, nil
		}
		return c.withPods(ctx, Pending{Object: Name(ref), Reason: reason}, namespace, deployment.Spec.Selector)
	}}
}

func missing(ref *unstructured.Unstructured, err error) ([]Pending, error) {
	if err != nil {
		return nil, err
	}
	return []Pending{{Object: Name(ref), Reason: "does not exist"}}, nil
}
