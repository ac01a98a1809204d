// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"
)

// checkTimeout is the time for one check. A packet in the laboratory takes less than a millisecond; without a path nothing comes
// at all.
const checkTimeout = 2500 * time.Millisecond

// checkKind is what a check asks for.
type checkKind string

const (
	checkLogs        checkKind = "logs"
	checkPortForward checkKind = "port-forward"
	checkMetrics     checkKind = "metrics"
	// checkConnect asks for logs without the proxy, whatever the client is.
	checkConnect checkKind = "connect"
)

// checkRequest is a check with everything that its process must know.
type checkRequest struct {
	Kind   checkKind      `json:"kind"`
	Target netip.AddrPort `json:"target"`
	// Proxy is the HTTP CONNECT proxy; it is invalid where the client dials itself.
	Proxy netip.AddrPort `json:"proxy,omitzero"`
}

// checkAnswer is what came of a check.
type checkAnswer struct {
	// Peer is the address that the server saw the request come from.
	Peer  netip.Addr `json:"peer,omitzero"`
	Error string     `json:"error,omitempty"`
}

// runChecks does all checks side by side, each with a connection of its own.
func runChecks(ctx context.Context, requests []checkRequest, trusted *x509.CertPool) []checkAnswer {
	answers := make([]checkAnswer, len(requests))
	var group errgroup.Group
	for i, request := range requests {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, checkTimeout)
			defer cancel()
			peer, err := request.run(ctx, trusted)
			if err != nil {
				answers[i].Error = brief(err)
			}
			answers[i].Peer = peer
			return nil
		})
	}
	_ = group.Wait() // errors are answers here
	return answers
}

func (c checkRequest) run(ctx context.Context, trusted *x509.CertPool) (netip.Addr, error) {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: certificateName, MinVersion: tls.VersionTLS12},
	}
	defer transport.CloseIdleConnections()
	if c.Proxy.IsValid() {
		transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: c.Proxy.String()})
	}
	method, path := http.MethodGet, logsPath
	switch c.Kind {
	case checkPortForward:
		method, path = http.MethodPost, streamPath
	case checkMetrics:
		path = metricsPath
	}
	request, err := http.NewRequestWithContext(ctx, method, "https://"+c.Target.String()+path, nil)
	if err != nil {
		return netip.Addr{}, err
	}
	if c.Kind == checkPortForward {
		request.Header.Set("Connection", "Upgrade")
		request.Header.Set("Upgrade", streamProtocol)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return netip.Addr{}, err
	}
	defer func() { _ = response.Body.Close() }()
	if err := c.read(response); err != nil {
		return netip.Addr{}, err
	}
	return netip.ParseAddr(response.Header.Get(peerHeader))
}

// read holds the answer to what was asked for: an answer alone is no proof that data flows.
func (c checkRequest) read(response *http.Response) error {
	if c.Kind == checkPortForward {
		return echo(response)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answers %s", response.Status)
	}
	if c.Kind == checkMetrics {
		var list struct {
			Items []json.RawMessage `json:"items"`
		}
		if err := json.NewDecoder(response.Body).Decode(&list); err != nil || len(list.Items) == 0 {
			return errors.Join(errors.New("the answer has no metrics"), err)
		}
		return nil
	}
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	if err != nil || line == "" {
		return errors.Join(errors.New("the answer has no logs"), err)
	}
	return nil
}

// echo sends a line through the stream and waits for it to come back.
func echo(response *http.Response) error {
	stream, ok := response.Body.(io.ReadWriter)
	if response.StatusCode != http.StatusSwitchingProtocols || !ok {
		return fmt.Errorf("the server answers %s and no stream", response.Status)
	}
	const line = "kindling\n"
	if _, err := io.WriteString(stream, line); err != nil {
		return fmt.Errorf("sending through the stream: %w", err)
	}
	if back, err := bufio.NewReader(stream).ReadString('\n'); err != nil || back != line {
		return errors.Join(fmt.Errorf("the stream sent back %q", back), err)
	}
	return nil
}

// brief leaves out of an error what the table around it says already: method, URL, both addresses.
func brief(err error) string {
	if netErr, ok := errors.AsType[net.Error](err); ok && netErr.Timeout() {
		return "timeout"
	}
	if opErr, ok := errors.AsType[*net.OpError](err); ok && opErr.Err != nil {
		return opErr.Err.Error()
	}
	return err.Error()
}
