// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// GetPath asks the API server for a path, such as "/version" or one below a node's proxy, and returns the answer. A query may follow a
// question mark.
func (c *Client) GetPath(ctx context.Context, path string) ([]byte, error) {
	if c.config == nil {
		return nil, errors.New("this client asks for no paths")
	}
	config := rest.CopyConfig(c.config)
	config.GroupVersion, config.APIPath = &corev1.SchemeGroupVersion, "/api"
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	config.Timeout = 0 // the context ends it
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("preparing a request: %w", err)
	}
	body, err := client.Get().RequestURI(path).MaxRetries(0).Do(quiet(ctx)).Raw()
	if err != nil {
		return body, fmt.Errorf("asking for %s: %w", path, err)
	}
	return body, nil
}
