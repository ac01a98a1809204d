// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"time"
)

// metricsServer answers what the aggregation layer and kubectl top ask of metrics-server. The numbers mean nothing.
func metricsServer(ctx context.Context) error {
	certificate, err := ownCertificate()
	if err != nil {
		return err
	}
	listener, err := listen(ctx, "10250")
	if err != nil {
		return err
	}
	const group = "metrics.k8s.io/v1beta1"
	answer := func(value any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(value) // the client sees when it is cut off
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /apis/"+group, answer(map[string]any{
		"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group,
		"resources": []map[string]any{{"name": "nodes", "singularName": "", "namespaced": false, "kind": "NodeMetrics", "verbs": []string{"get", "list"}}},
	}))
	mux.HandleFunc("GET /apis/"+group+"/nodes", answer(map[string]any{
		"kind": "NodeMetricsList", "apiVersion": group, "metadata": map[string]any{},
		"items": []map[string]any{{
			"metadata": map[string]any{"name": os.Getenv("NODE_NAME")}, "timestamp": time.Now().UTC().Format(time.RFC3339),
			"window": "10s", "usage": map[string]string{"cpu": "1m", "memory": "1Mi"},
		}},
	}))
	fmt.Println("serving", group)
	return serve(ctx, tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}), mux)
}

// ownCertificate is for a server that nobody verifies, as the aggregation layer is told.
func ownCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making a key: %w", err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"metrics-server"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making a certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
