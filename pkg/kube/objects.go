// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Get returns the object of the same kind and name from the cluster; nil when there is none, or no such kind.
func (c *Client) Get(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	ctx = quiet(ctx)
	resource, err := c.resource(ctx, object)
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, describeError("looking up", object, err)
	}
	live, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, describeError("reading", object, err)
	}
	return live, nil
}

// list returns the objects of a kind in a namespace, decoded into their type.
func list[T any](ctx context.Context, c *Client, object *unstructured.Unstructured, options ...func(*metav1.ListOptions)) ([]T, error) {
	objects, err := c.List(ctx, object, options...)
	if err != nil {
		return nil, err
	}
	typed := make([]T, len(objects))
	for i := range objects {
		one, err := as[T](&objects[i])
		if err != nil {
			return nil, err
		}
		typed[i] = *one
	}
	return typed, nil
}

// List returns the objects of the same kind, in the object's namespace or, without one, in all.
func (c *Client) List(ctx context.Context, object *unstructured.Unstructured, options ...func(*metav1.ListOptions)) ([]unstructured.Unstructured, error) {
	ctx = quiet(ctx)
	resource, err := c.resource(ctx, object)
	if err != nil {
		return nil, describeError("looking up", object, err)
	}
	var opts metav1.ListOptions
	for _, option := range options {
		option(&opts)
	}
	list, err := resource.List(ctx, opts)
	if err != nil {
		return nil, describeError("listing", object, err)
	}
	return list.Items, nil
}

// Delete removes an object and returns when it is gone; it succeeds when there is none. When the context's time is up before, the
// error is a *TimeoutError.
func (c *Client) Delete(ctx context.Context, object *unstructured.Unstructured) error {
	ctx = quiet(ctx)
	before, err := c.Get(ctx, object)
	if err != nil || before == nil {
		return err
	}
	resource, err := c.resource(ctx, object)
	if err != nil {
		return describeError("looking up", object, err)
	}
	// The default of some kinds leaves the objects behind that they own.
	policy := metav1.DeletePropagationBackground
	err = resource.Delete(ctx, object.GetName(), metav1.DeleteOptions{PropagationPolicy: &policy})
	if err != nil && !apierrors.IsNotFound(err) {
		return describeError("deleting", object, err)
	}
	return Wait(ctx, []Condition{{Name: "deletion of " + Name(object), Check: func(ctx context.Context) ([]Pending, error) {
		live, err := c.Get(ctx, object)
		// One with another UID was made since, by a controller or by somebody else.
		if err != nil || live == nil || live.GetUID() != before.GetUID() {
			return nil, err
		}
		return []Pending{{Object: Name(object), Reason: deletionReason(live)}}, nil
	}}}, nil)
}

func deletionReason(live *unstructured.Unstructured) string {
	if finalizers := live.GetFinalizers(); len(finalizers) > 0 {
		return "is being deleted, held by finalizers " + strings.Join(finalizers, ", ")
	}
	return "is being deleted"
}

// DryRunCreate returns the object as the API server would store it, after admission.
func (c *Client) DryRunCreate(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	ctx = quiet(ctx)
	resource, err := c.resource(ctx, object)
	if err != nil {
		return nil, describeError("looking up", object, err)
	}
	created, err := resource.Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldManager: FieldManager})
	if err != nil {
		return nil, describeError("trying", object, err)
	}
	return created, nil
}

// Name names an object for people, such as "DaemonSet kube-system/calico-node".
func Name(object *unstructured.Unstructured) string {
	if object.GetNamespace() == "" {
		return object.GetKind() + " " + object.GetName()
	}
	return object.GetKind() + " " + object.GetNamespace() + "/" + object.GetName()
}

func describeError(doing string, object *unstructured.Unstructured, err error) error {
	return fmt.Errorf("%s %s: %w", doing, Name(object), err)
}
