// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"golang.org/x/sync/errgroup"

	"github.com/gardener/kindling/internal/tunnel"
)

// secureProxy is the proxy beside the VPN server that kube-apiserver without high availability dials through.
func secureProxy(ctx context.Context) error {
	config, err := identity()
	if err != nil {
		return err
	}
	listener, err := listen(ctx, proxyPort)
	if err != nil {
		return err
	}
	return serve(ctx, tls.NewListener(listener, config), tunnel.Proxy())
}

// gateway stands in for Istio's ingress gateway: a proxy for the shoot's end of the VPN, and connections to $TARGET for what asks for
// the shoot's API server.
func gateway(ctx context.Context) error {
	proxy, err := listen(ctx, gatewayPort)
	if err != nil {
		return err
	}
	forwarded, err := listen(ctx, "443")
	if err != nil {
		return errors.Join(err, proxy.Close())
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return serve(ctx, proxy, tunnel.Proxy()) })
	group.Go(func() error { return forward(ctx, forwarded, os.Getenv("TARGET")) })
	return group.Wait()
}

func forward(ctx context.Context, listener net.Listener, target string) error {
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	for {
		client, err := listener.Accept()
		if err != nil {
			return fmt.Errorf("accepting connections: %w", err)
		}
		go func() {
			defer func() { _ = client.Close() }()
			server, err := (&net.Dialer{Timeout: handshakeTimeout}).DialContext(ctx, "tcp", target)
			if err != nil {
				return // the client sees it by the end of its connection
			}
			defer func() { _ = server.Close() }()
			go func() {
				_, _ = io.Copy(server, client) // how a connection ended is the clients' business
				_ = server.Close()
			}()
			_, _ = io.Copy(client, server)
		}()
	}
}

func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	// Probes connect and say nothing, which would be logged as errors.
	server := &http.Server{Handler: handler, ReadHeaderTimeout: handshakeTimeout, ErrorLog: log.New(io.Discard, "", 0)}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	return server.Serve(listener)
}
