// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// pageSize is how many objects a page of a long list holds.
const pageSize = 500

// ListPaged is List for kinds of which there may be many: it asks for pages, so that no answer is long, and returns all of them.
func (c *Client) ListPaged(ctx context.Context, object *unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	ctx = quiet(ctx)
	resource, err := c.resource(ctx, object)
	if err != nil {
		return nil, describeError("looking up", object, err)
	}
	var all []unstructured.Unstructured
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := resource.List(ctx, options)
		if err != nil {
			return nil, describeError("listing", object, err)
		}
		all = append(all, page.Items...)
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return all, nil
		}
	}
}

// Create makes an object that must not be there yet, and returns it as it was stored.
func (c *Client) Create(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	ctx = quiet(ctx)
	resource, err := c.resource(ctx, object)
	if err != nil {
		return nil, describeError("looking up", object, err)
	}
	created, err := resource.Create(ctx, object, metav1.CreateOptions{FieldManager: FieldManager})
	if err != nil {
		return nil, describeError("creating", object, err)
	}
	return created, nil
}

// MergePatch changes fields of somebody else's object; null removes a field.
func (c *Client) MergePatch(ctx context.Context, object *unstructured.Unstructured, patch map[string]any) error {
	ctx = quiet(ctx)
	resource, err := c.resource(ctx, object)
	if err != nil {
		return describeError("looking up", object, err)
	}
	data, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("encoding a patch: %w", err)
	}
	if _, err := resource.Patch(ctx, object.GetName(), types.MergePatchType, data, metav1.PatchOptions{FieldManager: FieldManager}); err != nil {
		return describeError("changing", object, err)
	}
	return nil
}
