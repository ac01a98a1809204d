// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package kube talks to the API server of a cluster: server-side apply, comparison of what is wanted with what is there, and waits
// that name what is not ready.
package kube

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/gardener/kindling/pkg/clock"
)

// FieldManager owns the fields that kindling applies.
const FieldManager = "kindling"

// requestTimeout bounds one request: the API server is on the same machine, and a request without end would hide that it is gone.
const requestTimeout = 30 * time.Second

// Mapper finds the resource of a kind, and forgets on demand which kinds are served.
type Mapper interface {
	meta.RESTMapperWithContext
	meta.ResettableRESTMapperWithContext
}

// Client is a client for any kind of object.
type Client struct {
	dynamic dynamic.Interface
	mapper  Mapper
	server  discovery.ServerVersionInterfaceWithContext
	// config is nil for a client of parts.
	config *rest.Config
}

// NewClient returns a client for the current context of a kubeconfig. It sends nothing.
func NewClient(kubeconfig []byte) (*Client, error) {
	return newClient(kubeconfig, nil)
}

// NewSeparateClient is NewClient with connections of its own: it never takes one that another client has opened, whose answers would
// say nothing about new connections.
func NewSeparateClient(kubeconfig []byte) (*Client, error) {
	// The library shares connections between equal configurations; a dialer makes this one unlike all others.
	return newClient(kubeconfig, (&net.Dialer{}).DialContext)
}

// endless returns a client for pods and other paths of the API server, whose requests only their context ends, and what it was made from.
func (c *Client) endless() (*rest.RESTClient, *rest.Config, error) {
	config := rest.CopyConfig(c.config)
	config.GroupVersion, config.APIPath = &corev1.SchemeGroupVersion, "/api"
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	config.Timeout = 0
	client, err := rest.RESTClientFor(config)
	return client, config, err
}

func newClient(kubeconfig []byte, dial func(context.Context, string, string) (net.Conn, error)) (*Client, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.Dial = dial
	// The client's usual limit of five requests a second is for clusters that many people share.
	config.QPS, config.Burst, config.Timeout = 200, 400, requestTimeout
	config.WarningHandler = noWarnings{}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return explaining{next} })
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapperWithContext(memory.NewMemCacheClientWithContext(discoveryClient))
	client := New(dynamicClient, mapper, discoveryClient)
	client.config = config
	return client, nil
}

// New returns a client of parts; see NewClient for those that talk to an API server.
func New(dynamicClient dynamic.Interface, mapper Mapper, server discovery.ServerVersionInterfaceWithContext) *Client {
	return &Client{dynamic: dynamicClient, mapper: mapper, server: server}
}

// explaining says what to do when the clocks of this machine and the cluster differ, in whatever text the error ends up.
type explaining struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (e explaining) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := e.next.RoundTrip(request)
	return response, clock.Explain(err)
}

// WrappedRoundTripper lets the library find what closes its connections.
func (e explaining) WrappedRoundTripper() http.RoundTripper { return e.next }

// noWarnings drops the API server's warnings, such as of deprecated fields in other people's manifests.
type noWarnings struct{}

func (noWarnings) HandleWarningHeader(int, string, string) {}

// quiet keeps the client library from writing to stderr, between the lines of progress. All that it has to say is in its errors too.
func quiet(ctx context.Context) context.Context { return klog.NewContext(ctx, klog.Logger{}) }

// ServerVersion returns the version of the API server; GitVersion in it is the release, such as "v1.37.2".
func (c *Client) ServerVersion(ctx context.Context) (*version.Info, error) {
	info, err := c.server.ServerVersionWithContext(quiet(ctx))
	if err != nil {
		return nil, fmt.Errorf("asking the API server for its version: %w", err)
	}
	return info, nil
}

// resource returns the interface for the kind of an object, in its namespace.
func (c *Client) resource(ctx context.Context, object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	gvk := object.GroupVersionKind()
	mapping, err := c.mapper.RESTMappingWithContext(ctx, gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		// The kind may be served since the mapper asked.
		c.mapper.ResetWithContext(ctx)
		mapping, err = c.mapper.RESTMappingWithContext(ctx, gvk.GroupKind(), gvk.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return c.dynamic.Resource(mapping.Resource), nil
	}
	return c.dynamic.Resource(mapping.Resource).Namespace(object.GetNamespace()), nil
}
