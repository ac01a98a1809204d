// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// withPods adds to a workload that is not ready why its pods are not.
func (c *Client) withPods(ctx context.Context, workload Pending, namespace string, selector *metav1.LabelSelector) ([]Pending, error) {
	pods, err := c.Pods(ctx, namespace, selector)
	if err != nil {
		return nil, err
	}
	all := []Pending{workload}
	for i := range pods {
		pod := &pods[i]
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

// why looks for the reason that says most: that no node takes the pod, else a container that does not run.
func why(pod *corev1.Pod) Pending {
	pending := Pending{Object: fmt.Sprintf("Pod %s/%s", pod.Namespace, pod.Name), Reason: "phase " + cmp.Or(string(pod.Status.Phase), "unknown")}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			pending.Reason = "not scheduled: " + condition.Message
			return pending
		}
	}
	init := pod.Status.InitContainerStatuses
	if i := slices.IndexFunc(init, initFailed); i >= 0 {
		return ofContainer(pending, init[i])
	}
	containers := pod.Status.ContainerStatuses
	if i := slices.IndexFunc(containers, func(status corev1.ContainerStatus) bool { return !status.Ready }); i >= 0 {
		return ofContainer(pending, containers[i])
	}
	return pending
}

// initFailed leaves out init containers that have done their work, run, or wait for their turn.
func initFailed(status corev1.ContainerStatus) bool {
	state := status.State
	return state.Waiting != nil && state.Waiting.Reason != "PodInitializing" || state.Terminated != nil && state.Terminated.ExitCode != 0
}

func ofContainer(pending Pending, status corev1.ContainerStatus) Pending {
	state := status.State
	switch {
	case state.Waiting != nil:
		pending.Reason = fmt.Sprintf("container %s waits: %s", status.Name, state.Waiting.Reason)
		if strings.Contains(state.Waiting.Reason, "Image") {
			pending.MissingImage = status.Image // the message only says so again, and the last event says why
		} else if state.Waiting.Message != "" {
			pending.Reason += ": " + state.Waiting.Message
		}
	case state.Terminated != nil:
		pending.Reason = fmt.Sprintf("container %s ended: %s, exit code %d", status.Name, state.Terminated.Reason, state.Terminated.ExitCode)
	default:
		pending.Reason = fmt.Sprintf("container %s runs, but is not ready", status.Name)
	}
	return pending
}

// Pods lists the pods of a namespace that a selector takes, or all with none. A namespace that is not there has none.
func (c *Client) Pods(ctx context.Context, namespace string, selector *metav1.LabelSelector) ([]corev1.Pod, error) {
	return list[corev1.Pod](ctx, c, Reference("v1", "Pod", namespace, ""), func(o *metav1.ListOptions) {
		if selector != nil {
			o.LabelSelector = metav1.FormatLabelSelector(selector)
		}
	})
}
