// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"strings"

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
	var newest *corev1.Event
	for i := range events {
		event := &events[i]
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
