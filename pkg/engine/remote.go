// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"net/netip"
	"net/url"
	"os"
)

// Remote says whether the engine is reached by ssh or over a network, so that ports which it publishes on loopback addresses can't be
// reached from here. Engines in a VM on this machine forward these.
func (e *Engine) Remote(ctx context.Context) bool {
	endpoint, err := url.Parse(e.endpoint(ctx))
	if err != nil {
		return false
	}
	switch endpoint.Scheme {
	case "ssh":
		return true
	case "tcp", "http", "https":
		address, err := netip.ParseAddr(endpoint.Hostname())
		return endpoint.Hostname() != "localhost" && (err != nil || !address.IsLoopback())
	}
	return false
}

// endpoint is where the CLI reaches the engine; empty for where it is without a choice.
func (e *Engine) endpoint(ctx context.Context) string {
	switch e.name {
	case Podman:
		return os.Getenv("CONTAINER_HOST")
	case Docker:
		endpoint, err := e.Endpoint(ctx)
		if err != nil {
			return "" // old clients have no contexts
		}
		return endpoint.URL
	}
	return ""
}
