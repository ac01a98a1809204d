// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/gardener/kindling/internal/tunnel"
)

// Ports as in Gardener.
const (
	tunnelPort  = "1194"
	proxyPort   = "9443"
	gatewayPort = "8132"
)

// handshakeTimeout is for a connection through a proxy to be made.
const handshakeTimeout = 10 * time.Second

// identity reads the certificate of $CERTIFICATES, a folder with ca.crt, tls.crt and tls.key. All ends of the VPN have one of the same
// authority, and ask for one.
func identity() (*tls.Config, error) {
	dir := os.Getenv("CERTIFICATES")
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
	if err != nil {
		return nil, fmt.Errorf("reading the certificate: %w", err)
	}
	authority, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		return nil, fmt.Errorf("reading the certificate authority: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	return &tls.Config{
		Certificates: []tls.Certificate{pair}, RootCAs: pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, ServerName: "vpn-seed-server",
	}, nil
}

func listen(ctx context.Context, port string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", ":"+port)
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	return listener, nil
}

// dialer connects to a VPN server, through a gateway where there is one: the server would send answers to the machine's own address into
// the tunnel.
func dialer(server, through string, config *tls.Config) tunnel.Dialer {
	return func(ctx context.Context) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
		defer cancel()
		address := net.JoinHostPort(server, tunnelPort)
		first := address
		if through != "" {
			first = through
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", first)
		if err != nil {
			return nil, err
		}
		stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
		defer stop()
		if through != "" {
			if conn, err = tunnel.Through(conn, address); err != nil {
				return nil, err
			}
		}
		secure := tls.Client(conn, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return secure, nil
	}
}
