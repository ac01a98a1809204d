// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
)

// withPods adds to a workload that is not ready why its pods are not.
func (c *Client) withPods(ctx context.Context, workload Pending, namespace string, selector *metav1.LabelSelector) ([]Pending, error) {
	pods, err := c.List(ctx, reference("v1", "Pod", namespace, ""), func(o *metav1.ListOptions) {
		o.LabelSelector = metav1.FormatLabelSelector(selector)
	})
	if err != nil {
		return nil, err
	}
	all := []Pending{workload}
	for i := range pods {
		pod, err := as[corev1.Pod](&pods[i])
		if err != nil {
			return nil, err
		}
		if podReady(pod) {
			continue
		}
		pending := why(pod)
		if pending.LastEvent, err = c.lastWarning(ctx, pod); err != nil {
			return nil, err
		}
		all = append(all, pending)
	}
	return all, nil
}

func podReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// why looks for the reason that says most: a container that waits, else a condition that does not hold.
func why(pod *corev1.Pod) Pending {
	pending := Pending{Object: fmt.Sprintf("Pod %s/%s", pod.Namespace, pod.Name), Reason: "phase " + string(pod.Status.Phase)}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			pending.Reason = "not scheduled: " + condition.Message
			return pending
		}
	}
	for _, container := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		waiting := container.State.Waiting
		if waiting == nil || waiting.Reason == "PodInitializing" {
			continue
		}
		pending.Reason = fmt.Sprintf("container %s waits: %s", container.Name, waiting.Reason)
		if strings.Contains(waiting.Reason, "Image") {
			pending.MissingImage = container.Image
		}
		return pending
	}
	return pending
}

// lastWarning returns the newest warning about a pod.
func (c *Client) lastWarning(ctx context.Context, pod *corev1.Pod) (string, error) {
	items, err := c.List(ctx, reference("v1", "Event", pod.Namespace, ""), func(o *metav1.ListOptions) {
		o.FieldSelector = fields.Set{"involvedObject.name": pod.Name, "involvedObject.kind": "Pod", "type": corev1.EventTypeWarning}.String()
	})
	if err != nil {
		return "", err
	}
	var newest *corev1.Event
	for i := range items {
		event, err := as[corev1.Event](&items[i])
		if err != nil {
			return "", err
		}
		if newest == nil || eventTime(event).After(eventTime(newest).Time) {
			newest = event
		}
	}
	if newest == nil {
		return "", nil
	}
	return newest.Reason + ": " + strings.TrimSpace(newest.Message), nil
}

// eventTime reads the old and the new way in which events carry their time.
func eventTime(event *corev1.Event) *metav1.Time {
	switch {
	case !event.LastTimestamp.IsZero():
		return &event.LastTimestamp
	case !event.EventTime.IsZero():
		return &metav1.Time{Time: event.EventTime.Time}
	default:
		return &event.CreationTimestamp
	}
}

// PodAddress creates a pod, waits until it has addresses, and returns them. The pod stays: removing it is the caller's.
func (c *Client) PodAddress(ctx context.Context, pod *unstructured.Unstructured) ([]netip.Addr, error) {
	resource, err := c.resource(pod)
	if err != nil {
		return nil, describeError("looking up", pod, err)
	}
	if _, err := resource.Create(ctx, pod, metav1.CreateOptions{FieldManager: FieldManager}); err != nil {
		return nil, describeError("creating", pod, err)
	}
	var addresses []netip.Addr
	err = Wait(ctx, []Condition{{Name(pod), func(ctx context.Context) ([]Pending, error) {
		live, err := c.Get(ctx, pod)
		if err != nil || live == nil {
			return missing(pod, err)
		}
		typed, err := as[corev1.Pod](live)
		if err != nil {
			return nil, err
		}
		if addresses, err = podAddresses(typed); err != nil || len(addresses) > 0 {
			return nil, err
		}
		pending := why(typed)
		pending.LastEvent, err = c.lastWarning(ctx, typed)
		return []Pending{pending}, err
	}}}, nil)
	return addresses, err
}

func podAddresses(pod *corev1.Pod) ([]netip.Addr, error) {
	var addresses []netip.Addr
	for _, ip := range pod.Status.PodIPs {
		address, err := netip.ParseAddr(ip.IP)
		if err != nil {
			return nil, fmt.Errorf("pod %s has an address that can't be read: %w", pod.Name, err)
		}
		addresses = append(addresses, address)
	}
	return addresses, nil
}
