// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
)

// lastWarning returns the newest warning about a pod. It asks by UID too: events outlive their pods, and names come again.
func (c *Client) lastWarning(ctx context.Context, pod *corev1.Pod) (string, error) {
	events, err := list[corev1.Event](ctx, c, Reference("v1", "Event", pod.Namespace, ""), func(o *metav1.ListOptions) {
		o.FieldSelector = fields.Set{
			"involvedObject.kind": "Pod", "involvedObject.name": pod.Name, "involvedObject.uid": string(pod.UID),
			"type": corev1.EventTypeWarning,
		}.String()
	})
	if err != nil {
		return "", err
	}
	if len(events) == 0 {
		return "", nil
	}
	newest := slices.MaxFunc(events, func(a, b corev1.Event) int { return EventTime(a).Compare(EventTime(b)) })
	return newest.Reason + ": " + strings.TrimSpace(newest.Message), nil
}

// Events returns the events of all namespaces, the newest last.
func (c *Client) Events(ctx context.Context) ([]corev1.Event, error) {
	events, err := list[corev1.Event](ctx, c, Reference("v1", "Event", "", ""))
	slices.SortStableFunc(events, func(a, b corev1.Event) int { return EventTime(a).Compare(EventTime(b)) })
	return events, err
}

// EventTime returns when an event was last seen: components fill the old or the new field.
func EventTime(event corev1.Event) time.Time {
	switch {
	case !event.LastTimestamp.IsZero():
		return event.LastTimestamp.Time
	case !event.EventTime.IsZero():
		return event.EventTime.Time
	default:
		return event.CreationTimestamp.Time
	}
}
