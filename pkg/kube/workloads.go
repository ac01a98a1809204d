// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// DaemonSetRolledOut holds when the newest pods run on all nodes.
func (c *Client) DaemonSetRolledOut(namespace, name string, nodes Started) Condition {
	ref := Reference("apps/v1", "DaemonSet", namespace, name)
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
			return c.outdated(ctx, namespace, ds.Spec.Selector, nodes)
		}
		return c.withPods(ctx, Pending{
			Object: Name(ref), Reason: fmt.Sprintf("%d of %d pods are available", status.NumberAvailable, status.DesiredNumberScheduled),
		}, namespace, ds.Spec.Selector)
	}}
}

// DeploymentAvailable holds when as many pods as wanted are of the newest template, and as many are available.
func (c *Client) DeploymentAvailable(namespace, name string, nodes Started) Condition {
	ref := Reference("apps/v1", "Deployment", namespace, name)
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
			return c.outdated(ctx, namespace, deployment.Spec.Selector, nodes)
		}
		return c.withPods(ctx, Pending{Object: Name(ref), Reason: reason}, namespace, deployment.Spec.Selector)
	}}
}

// Started holds when nodes were started, by name. What the API server knows from before may not be so any more: it is told of the
// end of a node's pods only by that node, once it is back.
type Started map[string]time.Time

// outdated returns the pods that the API server believes to run on a node that was started after them.
func (c *Client) outdated(ctx context.Context, namespace string, selector *metav1.LabelSelector, nodes Started) ([]Pending, error) {
	pods, err := c.Pods(ctx, namespace, selector)
	if err != nil {
		return nil, err
	}
	var pending []Pending
	for i := range pods {
		pod := &pods[i]
		if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
			continue // others take its place
		}
		if started, known := nodes[pod.Spec.NodeName]; known {
			if reason := outdatedBy(pod, started); reason != "" {
				pending = append(pending, Pending{Object: "Pod " + pod.Namespace + "/" + pod.Name, Reason: reason})
			}
		}
	}
	return pending, nil
}

// outdatedBy says what is missing of a pod that was there before its node was started: the controllers that count pods may be late, as they have
// to be started again, too.
func outdatedBy(pod *corev1.Pod, started time.Time) string {
	switch {
	case !runsSince(pod, started.Truncate(time.Second)): // times of containers are in whole seconds
		return "has not been started again since node " + pod.Spec.NodeName + " was"
	case pod.CreationTimestamp.Time.Before(started) && !podReady(pod):
		return "is not ready again since node " + pod.Spec.NodeName + " was started"
	}
	return ""
}

func runsSince(pod *corev1.Pod, start time.Time) bool {
	for _, status := range pod.Status.ContainerStatuses {
		if status.State.Running == nil || status.State.Running.StartedAt.Time.Before(start) {
			return false
		}
	}
	return len(pod.Status.ContainerStatuses) > 0
}

func missing(ref *unstructured.Unstructured, err error) ([]Pending, error) {
	if err != nil {
		return nil, err
	}
	return []Pending{{Object: Name(ref), Reason: "does not exist"}}, nil
}
