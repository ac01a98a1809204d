// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/enginehost"
	"github.com/gardener/kindling/pkg/portowner"
)

// PortTakenError says that somebody has ports that a cluster needs.
type PortTakenError struct {
	Cluster string
	// Taken are the ports, each with the container or program that has it.
	Taken []string
}

// Error implements error.
func (e *PortTakenError) Error() string {
	return fmt.Sprintf("cluster %s needs ports of the engine's host that are taken:\n  %s\nstop what has them; two environments whose gardens share addresses "+
		"exclude each other", e.Cluster, strings.Join(e.Taken, "\n  "))
}

// checkPorts looks for ports that somebody has, before kind has made half of the nodes.
func (c *cluster) checkPorts(ctx context.Context, config *kindv1alpha4.Cluster) error {
	wanted := mappedPorts(config)
	if len(wanted) == 0 {
		return nil
	}
	containers, err := c.env.Engine.Containers(ctx, nil)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(containers, func(container engine.Container) bool { return container.Labels[kindClusterLabel] == c.spec.Name })
	taken, err := c.env.takenPorts(ctx, wanted, others)
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		return &PortTakenError{c.spec.Name, taken}
	}
	return nil
}

// hostPort is a port of the engine's host that something is published on.
type hostPort struct {
	netip.AddrPort
	// protocol is one of portowner.
	protocol string
}

// String returns what people write, and the protocol where it is not the usual one.
func (p hostPort) String() string {
	if p.protocol == portowner.UDP {
		return p.AddrPort.String() + "/udp"
	}
	return p.AddrPort.String()
}

// takenPorts says which ports of the engine's host containers have, and programs where ports are published on this machine, each with its holder.
func (e *Environment) takenPorts(ctx context.Context, wanted []hostPort, containers []engine.Container) ([]string, error) {
	taken := make([]string, len(wanted))
	var free []int
	for i, port := range wanted {
		holder := slices.IndexFunc(containers, func(container engine.Container) bool { return publishes(container, port.AddrPort, port.protocol) })
		if holder < 0 {
			free = append(free, i)
			continue
		}
		taken[i] = fmt.Sprintf("%s by %s", port, describeHolder(containers[holder]))
	}
	if where, err := e.EngineHost(ctx); err != nil {
		return nil, err
	} else if where.Kind != enginehost.Remote {
		elsewhere := e.notHere(ctx, wanted)
		var group sync.WaitGroup
		for _, i := range free {
			if slices.Contains(elsewhere, wanted[i].Addr()) {
				continue
			}
			group.Go(func() { taken[i] = takenByProgram(ctx, wanted[i]) })
		}
		group.Wait()
	}
	return slices.DeleteFunc(taken, func(text string) bool { return text == "" }), nil
}

// notHere are addresses that this machine lacks yet: a connection to one would leave it, and whatever is behind its gateway may accept it.
func (e *Environment) notHere(ctx context.Context, ports []hostPort) []netip.Addr {
	var addresses []netip.Addr
	for _, port := range ports {
		if !port.Addr().IsLoopback() { // these never lead outside
			addresses = union(addresses, port.Addr())
		}
	}
	lacking, err := e.machine().Missing(ctx, addresses)
	if err != nil {
		return nil // one of another interface is here
	}
	return lacking
}

// mappedPorts are the addresses and ports of the engine's host that kind publishes ports of nodes on.
func mappedPorts(config *kindv1alpha4.Cluster) []hostPort {
	var ports []hostPort
	for _, node := range config.Nodes {
		for _, mapping := range node.ExtraPortMappings {
			protocol := cmp.Or(strings.ToLower(string(mapping.Protocol)), portowner.TCP)
			address, err := netip.ParseAddr(mapping.ListenAddress)
			if err == nil && 0 < mapping.HostPort && mapping.HostPort <= math.MaxUint16 && (protocol == portowner.TCP || protocol == portowner.UDP) {
				ports = append(ports, hostPort{netip.AddrPortFrom(address, uint16(mapping.HostPort)), protocol})
			}
		}
	}
	return ports
}

// connectTime is what a program of this machine may take to accept a connection: the kernel does it.
const connectTime = time.Second

// takenByProgram says which program of this machine has a port; empty when none does.
func takenByProgram(ctx context.Context, port hostPort) string {
	if isFree(ctx, port) {
		return ""
	}
	program, _ := portowner.Find(procDir, port.AddrPort, port.protocol)
	if program == "" {
		program = fmt.Sprintf("a program that is not yours to see (sudo ss -lnp sport = :%d tells it)", port.Port())
	}
	return fmt.Sprintf("%s by %s", port, program)
}

// isFree binds the port for a moment. Where that takes the rights of root, one of TCP is connected to, and one of UDP looked for among the
// sockets of this machine. An address that is not here is free: that it is missing is another matter.
func isFree(ctx context.Context, port hostPort) bool {
	var socket io.Closer
	var err error
	if port.protocol == portowner.UDP {
		socket, err = (&net.ListenConfig{}).ListenPacket(ctx, "udp", port.AddrPort.String())
	} else {
		socket, err = (&net.ListenConfig{}).Listen(ctx, "tcp", port.AddrPort.String())
	}
	switch {
	case err == nil:
		return socket.Close() == nil
	case errors.Is(err, syscall.EADDRINUSE):
		return false
	case !errors.Is(err, fs.ErrPermission):
		return true
	case port.protocol == portowner.UDP:
		_, found := portowner.Find(procDir, port.AddrPort, portowner.UDP)
		return !found
	}
	connection, err := (&net.Dialer{Timeout: connectTime}).DialContext(ctx, "tcp", port.AddrPort.String())
	if err != nil {
		return true
	}
	return connection.Close() != nil
}
