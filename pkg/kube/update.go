// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConfigMapKey returns the text of a key of a ConfigMap; found is false when there is no such ConfigMap or key.
func (c *Client) ConfigMapKey(ctx context.Context, namespace, name, key string) (text string, found bool, err error) {
	object, err := c.Get(ctx, Reference("v1", "ConfigMap", namespace, name))
	if err != nil || object == nil {
		return "", false, err
	}
	return unstructured.NestedString(object.Object, "data", key)
}

// EditConfigMap changes a key of a ConfigMap that is somebody else's. It is an update of the version that was read, and not an apply: the
// rest of the object and its owners stay as they are, and what another has written meanwhile is read and edited anew. edit may be called
// several times. changed is false when edit left the text as it was.
func (c *Client) EditConfigMap(ctx context.Context, namespace, name, key string, edit func(text string) (string, error)) (changed bool, err error) {
	ref := Reference("v1", "ConfigMap", namespace, name)
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		object, err := c.Get(ctx, ref)
		if err != nil {
			return err
		}
		if object == nil {
			return fmt.Errorf("there is no ConfigMap %s/%s", namespace, name)
		}
		before, _, err := unstructured.NestedString(object.Object, "data", key)
		if err != nil {
			return fmt.Errorf("reading ConfigMap %s/%s: %w", namespace, name, err)
		}
		after, err := edit(before)
		if err != nil || after == before {
			return err
		}
		if err := unstructured.SetNestedField(object.Object, after, "data", key); err != nil {
			return fmt.Errorf("changing ConfigMap %s/%s: %w", namespace, name, err)
		}
		changed = true
		return c.update(ctx, object)
	})
	if err != nil {
		return false, err
	}
	return changed, nil
}

func (c *Client) update(ctx context.Context, object *unstructured.Unstructured) error {
	resource, err := c.resource(ctx, object)
	if err != nil {
		return err
	}
	return untilAnswered(ctx, func(ctx context.Context) error {
		_, err := resource.Update(ctx, object, metav1.UpdateOptions{FieldManager: FieldManager})
		return err
	})
}
