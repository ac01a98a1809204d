// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command agent is what runs in pods of the miniature shoot of test/minishoot: both ends of the VPN, the proxies, the machine, the
// stand-in for metrics-server, and the plugin that gives machines addresses of their own where the network has no pools. It is one
// program without libraries, so that it runs in any image.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// roles are what the program can be, by its first argument.
func roles() map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"vpn-server":          vpnServer,
		"vpn-client-init":     setUpSeedClient,
		"vpn-client":          seedClient,
		"vpn-path-controller": keepPath,
		"vpn-shoot-init":      setUpShootClient,
		"vpn-shoot":           shootClient,
		"proxy":               secureProxy,
		"gateway":             gateway,
		"machine":             machine,
		"metrics-server":      metricsServer,
	}
}

func main() {
	// As the first process of a container it would not be ended by a signal that nobody asked for.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	err := run(ctx, os.Args)
	ended := ctx.Err() != nil
	stop()
	if err != nil && !ended {
		slog.Error("ended", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if os.Getenv("CNI_COMMAND") != "" {
		return assignAddress(os.Stdin)
	}
	if len(args) < 2 {
		return errors.New("the role is missing: it is the first argument")
	}
	role, known := roles()[args[1]]
	if !known {
		return fmt.Errorf("there is no role %q", args[1])
	}
	return role(ctx)
}
