// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sync/errgroup"

	"github.com/gardener/kindling/internal/tunnel"
)

// componentConfig is what a process of the laboratory does. It gets it on standard input as JSON, and writes a line to standard
// output when it is ready; checks write their answers there, and end.
type componentConfig struct {
	Identity identity       `json:"identity"`
	Servers  []serverConfig `json:"servers,omitempty"`
	// Tunnel is set for both ends of the VPN.
	Tunnel *tunnelConfig  `json:"tunnel,omitempty"`
	Checks []checkRequest `json:"checks,omitempty"`
}

// serverKind names an HTTP server.
type serverKind string

const (
	serverKubelet serverKind = "kubelet"
	serverMetrics serverKind = "metrics-server"
	serverProxy   serverKind = "proxy"
)

type serverConfig struct {
	Kind    serverKind     `json:"kind"`
	Address netip.AddrPort `json:"address"`
}

// tunnelConfig is an end of the VPN: a server listens, a client dials.
type tunnelConfig struct {
	Device string             `json:"device"`
	Mode   netlink.TuntapMode `json:"mode"`
	Listen netip.AddrPort     `json:"listen,omitzero"`
	Dial   netip.AddrPort     `json:"dial,omitzero"`
	// Proxy is the HTTP CONNECT proxy that a client dials through; it is invalid where the client dials the server itself.
	Proxy netip.AddrPort `json:"proxy,omitzero"`
}

// ready is the line that a process writes when it can be used.
type ready struct {
	Ready bool `json:"ready"`
}

// Component runs a process of the laboratory, a pod's container so to speak, until it is killed. The program starts itself
// for it: see Program.
func Component(ctx context.Context, in io.Reader, out io.Writer) error {
	var config componentConfig
	if err := json.NewDecoder(in).Decode(&config); err != nil {
		return fmt.Errorf("reading what to do: %w", err)
	}
	if config.Checks != nil {
		return json.NewEncoder(out).Encode(runChecks(ctx, config.Checks, config.Identity.trusted()))
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, server := range config.Servers {
		if err := server.start(ctx, group, config.Identity); err != nil {
			return err
		}
	}
	isReady := func() { _ = json.NewEncoder(out).Encode(ready{true}) } // who started it sees when it is cut off
	if config.Tunnel == nil {
		isReady()
	} else if err := config.Tunnel.start(ctx, group, isReady); err != nil {
		return err
	}
	return group.Wait()
}

func (s serverConfig) start(ctx context.Context, group *errgroup.Group, id identity) error {
	listener, err := listen(ctx, s.Address)
	if err != nil {
		return err
	}
	var handler http.Handler
	switch s.Kind {
	case serverProxy:
		group.Go(func() error { return serve(ctx, listener, tunnel.Proxy(), nil) })
		return nil
	case serverKubelet:
		handler = kubeletHandler()
	case serverMetrics:
		handler = metricsHandler()
	default:
		return fmt.Errorf("there is no server %q", s.Kind)
	}
	certificate, err := id.server()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	group.Go(func() error { return serve(ctx, listener, handler, certificate) })
	return nil
}

func (t tunnelConfig) start(ctx context.Context, group *errgroup.Group, isReady func()) error {
	device, err := tunnel.OpenDevice(t.Device, t.Mode)
	if err != nil {
		return err
	}
	if t.Dial.IsValid() {
		group.Go(func() error { return tunnel.Dial(ctx, device, t.dial, isReady) })
		return nil
	}
	listener, err := listen(ctx, t.Listen)
	if err != nil {
		return errors.Join(err, device.Close())
	}
	group.Go(func() error { return tunnel.Serve(ctx, device, listener) })
	isReady()
	return nil
}

// dial connects to the VPN server, by itself or through a proxy.
func (t tunnelConfig) dial(ctx context.Context) (net.Conn, error) {
	var dialer net.Dialer
	if !t.Proxy.IsValid() {
		return dialer.DialContext(ctx, "tcp", t.Dial.String())
	}
	conn, err := dialer.DialContext(ctx, "tcp", t.Proxy.String())
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(headerTimeout)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	through, err := tunnel.Through(conn, t.Dial.String())
	if err != nil {
		return nil, err
	}
	return through, through.SetDeadline(time.Time{})
}

func listen(ctx context.Context, address netip.AddrPort) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address.String())
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	return listener, nil
}

// startTimeout is for a process to become ready; it takes milliseconds.
const startTimeout = 20 * time.Second

// startComponent starts a component in a namespace and waits until it is ready. It returns what ends it.
func startComponent(ctx context.Context, program Program, in *namespace, config componentConfig) (kill func() error, err error) {
	command, stdout, err := launch(ctx, program, in, config)
	if err != nil {
		return nil, err
	}
	// A process that does not become ready is ended, so that its output ends, and the error tells.
	waiting := time.AfterFunc(startTimeout, func() { _ = command.Process.Kill() })
	defer waiting.Stop()
	var first ready
	if err := json.NewDecoder(stdout).Decode(&first); err != nil {
		return nil, errors.Join(fmt.Errorf("a process of %s did not become ready", in.name), command.Wait())
	}
	return func() error {
		if err := command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("ending a process of %s: %w", in.name, err)
		}
		_ = command.Wait() // says only that it was killed
		return nil
	}, nil
}

// check runs checks in a namespace, in a process that is new for them: no connection of earlier ones survives.
func check(ctx context.Context, program Program, in *namespace, config componentConfig) ([]checkAnswer, error) {
	command, stdout, err := launch(ctx, program, in, config)
	if err != nil {
		return nil, err
	}
	var answers []checkAnswer
	decodeErr := json.NewDecoder(stdout).Decode(&answers)
	if err := command.Wait(); err != nil || decodeErr != nil {
		return nil, fmt.Errorf("running checks in %s: %w", in.name, errors.Join(err, decodeErr))
	}
	return answers, nil
}
