// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package live looks at a living shoot for pkg/verify: it reads objects and routes, connects where nobody should be able to, goes through
// the shoot's API server, breaks the VPN, and restores what it changed.
package live

import (
	"context"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Cluster is what is needed of an API server; *kube.Client is one.
type Cluster interface {
	Get(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error)
	List(ctx context.Context, object *unstructured.Unstructured, options ...func(*metav1.ListOptions)) ([]unstructured.Unstructured, error)
	ListPaged(ctx context.Context, object *unstructured.Unstructured) ([]unstructured.Unstructured, error)
	Pods(ctx context.Context, namespace string, selector *metav1.LabelSelector) ([]corev1.Pod, error)
	Create(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error)
	MergePatch(ctx context.Context, object *unstructured.Unstructured, patch map[string]any) error
	Delete(ctx context.Context, object *unstructured.Unstructured) error
	Exec(ctx context.Context, namespace, pod, container string, command ...string) ([]byte, error)
	WithPort(ctx context.Context, namespace, pod string, port int, use func(io.ReadWriter) error) error
	GetPath(ctx context.Context, path string) ([]byte, error)
}

// Connect makes a client with connections of its own.
type Connect func(kubeconfig []byte) (Cluster, error)

// list returns objects of a kind in their type.
func list[T any](objects []unstructured.Unstructured, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	typed := make([]T, len(objects))
	for i := range objects {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(objects[i].Object, &typed[i]); err != nil {
			return nil, fmt.Errorf("decoding %s %s: %w", objects[i].GetKind(), objects[i].GetName(), err)
		}
	}
	return typed, nil
}

// served returns the objects of a kind that may not be served.
func served(ctx context.Context, cluster Cluster, object *unstructured.Unstructured) (objects []unstructured.Unstructured, known bool, err error) {
	objects, err = cluster.List(ctx, object)
	if meta.IsNoMatchError(err) {
		return nil, false, nil
	}
	return objects, err == nil, err
}

func text(object map[string]any, fields ...string) string {
	value, _, _ := unstructured.NestedString(object, fields...)
	return value
}

func texts(object map[string]any, fields ...string) []string {
	values, _, _ := unstructured.NestedStringSlice(object, fields...)
	return values
}

// one makes a list of an object that may not be there.
func one(object *unstructured.Unstructured, err error) ([]unstructured.Unstructured, error) {
	if err != nil || object == nil {
		return nil, err
	}
	return []unstructured.Unstructured{*object}, nil
}
