// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"slices"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Action says what an apply did to an object.
type Action string

// The actions.
const (
	Created    Action = "created"
	Configured Action = "configured"
	Unchanged  Action = "unchanged"
)

// Entry is what happened to one object.
type Entry struct {
	Object string `json:"object"`
	Action Action `json:"action"`
}

// ChangeSet is what happened to objects, in the order in which they were given.
type ChangeSet struct {
	Entries []Entry `json:"entries"`
}

// applyInParallel is how many objects are applied at the same time.
const applyInParallel = 8

// Apply applies objects by server-side apply with strict validation of fields: namespaces and kinds first, the rest side by side.
// It tries again, until the context ends, while the API server is not there or does not serve a kind yet. Fields that others own are
// taken over. An object that the API server does not take is a *RefusedError; the change set then holds what was applied before.
func (c *Client) Apply(ctx context.Context, objects []*unstructured.Unstructured) (ChangeSet, error) {
	ctx = quiet(ctx)
	entries := make([]Entry, len(objects))
	var err error
	for _, first := range []bool{true, false} {
		if err = c.applyStage(ctx, objects, entries, first); err != nil {
			break
		}
	}
	applied := slices.DeleteFunc(entries, func(entry Entry) bool { return entry.Action == "" })
	return ChangeSet{Entries: applied}, err
}

func (c *Client) applyStage(ctx context.Context, objects []*unstructured.Unstructured, entries []Entry, first bool) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(applyInParallel)
	for i, object := range objects {
		if comesFirst(object) != first {
			continue
		}
		group.Go(func() error {
			action, err := c.applyOne(ctx, object)
			entries[i] = Entry{Name(object), action}
			return err
		})
	}
	return group.Wait()
}

func comesFirst(object *unstructured.Unstructured) bool {
	return object.GetKind() == "Namespace" || object.GetKind() == "CustomResourceDefinition"
}

func (c *Client) applyOne(ctx context.Context, object *unstructured.Unstructured) (Action, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return "", describeError("encoding", object, err)
	}
	var action Action
	err = untilAnswered(ctx, func(ctx context.Context) error {
		var err error
		action, err = c.patch(ctx, object, data)
		return err
	})
	switch {
	case err == nil:
		return action, nil
	case refused(err):
		return "", &RefusedError{Name(object), causes(err), err}
	default:
		return "", describeError("applying", object, err)
	}
}

// patch applies once. An object whose version stays the same was as wanted.
func (c *Client) patch(ctx context.Context, object *unstructured.Unstructured, data []byte) (Action, error) {
	resource, err := c.resource(ctx, object)
	if err != nil {
		return "", err
	}
	before, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
	isNew := apierrors.IsNotFound(err)
	if err != nil && !isNew {
		return "", err
	}
	force := true
	after, err := resource.Patch(ctx, object.GetName(), types.ApplyPatchType, data, metav1.PatchOptions{
		FieldManager: FieldManager, Force: &force, FieldValidation: metav1.FieldValidationStrict,
	})
	switch {
	case err != nil:
		return "", err
	case isNew:
		return Created, nil
	case before.GetResourceVersion() == after.GetResourceVersion():
		return Unchanged, nil
	default:
		return Configured, nil
	}
}
