// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"
)

// Numbers of VPN servers and of clients in the shoot with high availability.
const (
	servers = 2
	clients = 2
)

// Times of the path controller: how often it looks, and how long an answer through the tunnel may take.
const (
	lookEvery  = time.Second
	lookFor    = time.Second
	firstAlive = 11940
)

// presencePort is where vpn-shoot tells that it is there, one for each server.
func presencePort(server int) string { return strconv.Itoa(firstAlive + server) }

// path leads through a server to a client in the shoot.
type path struct{ server, client int }

func (p path) alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	// The address is one of the tap's network, so that the connection goes through this server.
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(transferAddress(p.server, shootHost+p.client).String(), presencePort(p.server)))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// allPaths begins with the last server: it is the one that goes first when the StatefulSet of servers is scaled down, so that a loss of
// one server is the loss of the one in use.
func allPaths() []path {
	var all []path
	for server := servers - 1; server >= 0; server-- {
		for client := range clients {
			all = append(all, path{server, client})
		}
	}
	return all
}

// keepPath is vpn-path-controller: it owns the routes, and leads them into the first path that answers. Gardener's stays with a path as
// long as that answers, and puts a bond over the taps; here routes lead into one of them, because not every kernel has bonding.
func keepPath(ctx context.Context) error {
	prefixes, err := networks()
	if err != nil {
		return err
	}
	all := allPaths()
	// Routes are there from the start, alive or not: without them packets would go past the VPN.
	used := all[0]
	take := func(next path) error {
		used = next
		fmt.Println("path through server", used.server, "to client", used.client)
		return routeInto(tapName(used.server), transferAddress(used.server, shootHost+used.client), prefixes)
	}
	if err := take(used); err != nil {
		return err
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		for _, other := range all {
			if !other.alive(ctx) {
				continue
			}
			if other != used {
				if err := take(other); err != nil {
					return err
				}
			}
			break
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
