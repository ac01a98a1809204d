// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
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

// ChangeSet is what happened to all objects, in their order.
type ChangeSet struct {
	Entries []Entry `json:"entries"`
}

// RefusedError says that the API server does not take an object: a field is immutable, unknown, or wrong.
type RefusedError struct {
	Object string
	// Fields that the API server names, each with its reason.
	Fields []string
	Err    error
}

// Error implements error.
func (e *RefusedError) Error() string {
	if len(e.Fields) == 0 {
		return fmt.Sprintf("the API server refuses %s: %s", e.Object, e.Err)
	}
	return fmt.Sprintf("the API server refuses %s:\n  %s\nA field that can't be changed in place needs the object, or the cluster, to be made again", e.Object, strings.Join(e.Fields, "\n  "))
}

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// applyInParallel is how many objects are applied at the same time.
const applyInParallel = 8

// Apply applies objects by server-side apply with strict validation of fields: namespaces and kinds first, the rest side by side.
// It tries again while the API server is not there or does not serve a kind yet. Fields that others own are taken over.
func (c *Client) Apply(ctx context.Context, objects []*unstructured.Unstructured) (ChangeSet, error) {
	changes := ChangeSet{Entries: make([]Entry, len(objects))}
	for _, first := range []bool{true, false} {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(applyInParallel)
		for i, object := range objects {
			if comesFirst(object) != first {
				continue
			}
			group.Go(func() error {
				action, err := c.applyOne(ctx, object)
				changes.Entries[i] = Entry{Name(object), action}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return changes, err
		}
	}
	return changes, nil
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
	var last error
	backoff := wait.Backoff{Duration: 200 * time.Millisecond, Factor: 1.5, Cap: 2 * time.Second, Steps: 1 << 30}
	err = wait.ExponentialBackoffWithContext(ctx, backoff, func(ctx context.Context) (bool, error) {
		action, last = c.patch(ctx, object, data)
		if last != nil && transient(last) {
			return false, nil
		}
		return true, last
	})
	switch {
	case err == nil:
		return action, nil
	case last == nil || ctx.Err() != nil && last != nil:
		return "", describeError("applying", object, errorOr(last, err))
	case apierrors.IsInvalid(last) || apierrors.IsBadRequest(last):
		return "", &RefusedError{Name(object), causes(last), last}
	default:
		return "", describeError("applying", object, last)
	}
}

func errorOr(last, err error) error {
	if last == nil {
		return err
	}
	return fmt.Errorf("%w (last answer: %w)", err, last)
}

// patch applies once. An object whose version stays the same was as wanted.
func (c *Client) patch(ctx context.Context, object *unstructured.Unstructured, data []byte) (Action, error) {
	resource, err := c.resource(object)
	if err != nil {
		return "", err
	}
	before, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return "", err
	}
	force := true
	after, applyErr := resource.Patch(ctx, object.GetName(), types.ApplyPatchType, data, metav1.PatchOptions{
		FieldManager: FieldManager, Force: &force, FieldValidation: metav1.FieldValidationStrict,
	})
	switch {
	case applyErr != nil:
		return "", applyErr
	case err != nil:
		return Created, nil
	case before.GetResourceVersion() == after.GetResourceVersion():
		return Unchanged, nil
	default:
		return Configured, nil
	}
}

// transient says whether the same request can succeed a moment later.
func transient(err error) bool {
	return meta.IsNoMatchError(err) || utilnet.IsConnectionRefused(err) || utilnet.IsConnectionReset(err) ||
		apierrors.IsTooManyRequests(err) || apierrors.IsServiceUnavailable(err) || apierrors.IsTimeout(err) ||
		apierrors.IsServerTimeout(err) || apierrors.IsInternalError(err)
}

func causes(err error) []string {
	status, ok := err.(apierrors.APIStatus)
	if !ok || status.Status().Details == nil {
		return nil
	}
	var fields []string
	for _, cause := range status.Status().Details.Causes {
		fields = append(fields, strings.TrimPrefix(cause.Field+": "+cause.Message, ": "))
	}
	return fields
}
