// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package kube talks to the API server of a cluster: server-side apply, comparison of what is wanted with what is there, and waits
// that name what is not ready.
package kube

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

// FieldManager owns the fields that kindling applies.
const FieldManager = "kindling"

// requestTimeout bounds one request: the API server is on the same machine, and a request without end would hide that it is gone.
const requestTimeout = 30 * time.Second

// Mapper finds the resource of a kind.
type Mapper interface {
	meta.RESTMapper
	// Reset forgets what kinds are served.
	Reset()
}

// Client is a client for any kind of object.
type Client struct {
	dynamic dynamic.Interface
	mapper  Mapper
}

// NewClient returns a client for the current context of a kubeconfig. It sends nothing.
func NewClient(kubeconfig []byte) (*Client, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	// The client's usual limit of five requests a second is for clusters that many people share.
	config.QPS, config.Burst, config.Timeout = 200, 400, requestTimeout
	config.WarningHandler = noWarnings{}
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return New(dynamicClient, restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoveryClient))), nil
}

// New returns a client of parts.
func New(dynamicClient dynamic.Interface, mapper Mapper) *Client {
	return &Client{dynamicClient, mapper}
}

// noWarnings drops the API server's warnings, such as of deprecated fields in other people's manifests.
type noWarnings struct{}

func (noWarnings) HandleWarningHeader(int, string, string) {}

// resource returns the interface for the kind of an object, in its namespace.
func (c *Client) resource(object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	gvk := object.GroupVersionKind()
	mapping, err := c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		// The kind may be served since the mapper asked.
		c.mapper.Reset()
		mapping, err = c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return c.dynamic.Resource(mapping.Resource), nil
	}
	return c.dynamic.Resource(mapping.Resource).Namespace(object.GetNamespace()), nil
}

// Get returns the object of the same kind and name from the cluster; nil when there is none, or no such kind.
func (c *Client) Get(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	resource, err := c.resource(object)
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

// List returns the objects of the same kind, in the object's namespace or, without one, in all.
func (c *Client) List(ctx context.Context, object *unstructured.Unstructured, options ...func(*metav1.ListOptions)) ([]unstructured.Unstructured, error) {
	resource, err := c.resource(object)
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

// Delete removes an object and returns when it is gone; it succeeds when there is none.
func (c *Client) Delete(ctx context.Context, object *unstructured.Unstructured) error {
	resource, err := c.resource(object)
	if meta.IsNoMatchError(err) {
		return nil
	}
	if err != nil {
		return describeError("looking up", object, err)
	}
	err = resource.Delete(ctx, object.GetName(), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return describeError("deleting", object, err)
	}
	return Wait(ctx, []Condition{{Name: "deletion", Check: func(ctx context.Context) ([]Pending, error) {
		live, err := c.Get(ctx, object)
		if err != nil || live == nil {
			return nil, err
		}
		return []Pending{{Object: Name(object), Reason: "is being deleted"}}, nil
	}}}, nil)
}

// DryRunCreate returns the object as the API server would store it, after admission.
func (c *Client) DryRunCreate(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	resource, err := c.resource(object)
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
