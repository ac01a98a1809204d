// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// PodAddress creates a pod, waits until it has addresses, and returns them. The pod stays: removing it is the caller's, also after
// an error. When the context's time is up before, the error is a *TimeoutError that says why the pod does not start.
func (c *Client) PodAddress(ctx context.Context, pod *unstructured.Unstructured) ([]netip.Addr, error) {
	ctx = quiet(ctx)
	err := untilAnswered(ctx, func(ctx context.Context) error {
		resource, err := c.resource(ctx, pod)
		if err != nil {
			return err
		}
		_, err = resource.Create(ctx, pod, metav1.CreateOptions{FieldManager: FieldManager})
		return err
	})
	if err != nil {
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
