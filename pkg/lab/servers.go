// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// peerHeader says from which address a server saw the request: it tells the path that the packets took.
const peerHeader = "Kindling-Peer"

// Paths and the protocol of the servers. logsPath has the form that kubelets use; the stream stands in for a port-forward.
const (
	logsPath       = "/containerLogs/kube-system/vpn-shoot/vpn-shoot"
	streamPath     = "/portForward/kube-system/vpn-shoot"
	streamProtocol = "kindling-stream"
	metricsPath    = "/apis/metrics.k8s.io/v1beta1/nodes"
)

// headerTimeout is for slow clients; there are none but the checks.
const headerTimeout = 10 * time.Second

// kubeletHandler answers what the checks ask of a kubelet.
func kubeletHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+logsPath, func(w http.ResponseWriter, r *http.Request) {
		tellPeer(w, r)
		_, _ = io.WriteString(w, "2024-04-17 12:00:00 Initialization Sequence Completed\n") // the client sees when it is cut off
	})
	mux.HandleFunc("POST "+streamPath, echoStream)
	return mux
}

// metricsHandler answers what the API server's aggregation layer asks of metrics-server.
func metricsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+metricsPath, func(w http.ResponseWriter, r *http.Request) {
		tellPeer(w, r)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"kind": "NodeMetricsList", "apiVersion": "metrics.k8s.io/v1beta1",
			"items": []map[string]any{{"metadata": map[string]string{"name": Machine}}},
		})
	})
	return mux
}

func tellPeer(w http.ResponseWriter, r *http.Request) {
	peer, _, _ := strings.Cut(r.RemoteAddr, ":")
	w.Header().Set(peerHeader, peer)
}

// echoStream changes to a stream in both directions, as a port-forward does, and sends back what comes.
func echoStream(w http.ResponseWriter, r *http.Request) {
	tellPeer(w, r)
	w.Header().Set("Connection", "Upgrade")
	w.Header().Set("Upgrade", streamProtocol)
	w.WriteHeader(http.StatusSwitchingProtocols)
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the connection has gone
	}
	defer func() { _ = conn.Close() }()
	if err := buffered.Flush(); err == nil {
		_, _ = io.Copy(conn, buffered)
	}
}

// serve serves HTTP, with TLS where there is a certificate, until the context ends.
func serve(ctx context.Context, listener net.Listener, handler http.Handler, certificate *tls.Certificate) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout}
	if certificate != nil {
		// HTTP/1.1 only: its connections can change to a stream.
		listener = tls.NewListener(listener, &tls.Config{
			Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		})
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}
