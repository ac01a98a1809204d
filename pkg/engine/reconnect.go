// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"net/netip"
)

// CanReconnect says whether the engine can give a container that is there another place in a network. nerdctl can't.
func (e *Engine) CanReconnect() bool { return e.name != Nerdctl }

// Reconnect gives a stopped container its place in a network anew: with these addresses for good, or without any, so that the engine
// chooses at each start. Nothing is reserved: somebody else can take them while the container is stopped.
func (e *Engine) Reconnect(ctx context.Context, network, container string, addresses []netip.Addr) error {
	_, err := e.output(ctx, "network", "disconnect", network, container)
	if err != nil && !outputContains(err, "is not connected") { // an interrupted one
		return fmt.Errorf("taking container %s off network %s: %w", container, network, err)
	}
	args := append([]string{"network", "connect"}, addressArgs(addresses)...)
	if _, err := e.output(ctx, append(args, network, container)...); err != nil {
		return fmt.Errorf("connecting container %s to network %s: %w", container, network, err)
	}
	return nil
}

// addressArgs are the options of create, run and connect.
func addressArgs(addresses []netip.Addr) []string {
	var args []string
	for _, address := range addresses {
		if address.Is4() {
			args = append(args, "--ip", address.String())
		} else {
			args = append(args, "--ip6", address.String())
		}
	}
	return args
}
