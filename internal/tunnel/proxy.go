// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package tunnel

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// dialTimeout is for the proxy to reach a target: shorter than clients wait, so that they get its reason.
const dialTimeout = 10 * time.Second

// Proxy answers HTTP CONNECT, as the proxy beside the VPN server does for kube-apiserver without high availability, and the
// ingress gateway for the shoot's end of the VPN.
func Proxy() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "only CONNECT is answered here", http.StatusMethodNotAllowed)
			return
		}
		dialer := net.Dialer{Timeout: dialTimeout}
		target, err := dialer.DialContext(r.Context(), "tcp", r.Host)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer func() { _ = target.Close() }()
		client, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return // the connection has gone
		}
		defer func() { _ = client.Close() }()
		if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err == nil {
			pipe(client, buffered, target)
		}
	})
}

// Through asks a proxy for a connection to a target.
func Through(conn net.Conn, target string) (net.Conn, error) {
	if _, err := fmt.Fprintf(conn, "CONNECT %[1]s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", target); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	_ = response.Body.Close() // an answer to CONNECT has none
	if response.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("the proxy answers %s", response.Status), conn.Close())
	}
	return &bufferedConn{Conn: conn, reader: reader}, nil
}

// bufferedConn is a connection of which a part was read already.
type bufferedConn struct {
	net.Conn
	reader *bufio.Reader
}

// Read implements net.Conn.
func (c *bufferedConn) Read(p []byte) (int, error) { return c.reader.Read(p) }

// pipe copies both ways until one side ends.
func pipe(client net.Conn, fromClient io.Reader, target net.Conn) {
	var group errgroup.Group
	group.Go(func() error {
		_, err := io.Copy(target, fromClient)
		return errors.Join(err, target.Close())
	})
	group.Go(func() error {
		_, err := io.Copy(client, target)
		return errors.Join(err, client.Close())
	})
	_ = group.Wait() // how a connection ended is the clients' business
}
