// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"

	"github.com/gardener/kindling/internal/tunnel"
)

// Devices of the VPN, named as in Gardener's.
const (
	tunName = "tun0"
	tapName = "tap0"
)

// transferNetwork is the VPN's own network, and bondNetwork the part of it that the bonds have with high availability.
func transferNetwork() netip.Prefix { return netip.PrefixFrom(transferAddress(0), 24) }
func bondNetwork() netip.Prefix     { return netip.PrefixFrom(transferAddress(192), 26) }

// Addresses of the bonds.
const (
	bondOfShoot         = 194
	bondOfKubeAPIServer = 200
)

// buildVPN makes devices and routes; the processes come later.
func (l *laboratory) buildVPN() error {
	build, hidden := l.buildTun, transferNetwork()
	if l.ha {
		build, hidden = l.buildBonds, bondNetwork()
	}
	if err := build(); err != nil {
		return err
	}
	return l.namespaces[VPNShoot].do(func() error {
		return steps(
			forward,
			// What comes out of the tunnel gets the address of this pod: nothing in the shoot knows the way back into the tunnel.
			func() error { return addMasquerade(hidden, "eth0") },
		)
	})
}

// buildTun makes the VPN without high availability: a point-to-point device at both ends.
func (l *laboratory) buildTun() error {
	if err := l.namespaces[VPNSeedServer].do(func() error {
		return steps(
			func() error { return addTun(transferAddress(1)) },
			// OpenVPN takes the first address that is not its own for its next hop; on a point-to-point device it says nothing.
			func() error { return l.routeTunnelled(tunName, transferAddress(2)) },
		)
	}); err != nil {
		return err
	}
	return l.namespaces[VPNShoot].do(func() error { return addTun(transferAddress(10)) })
}

func addTun(address netip.Addr) error {
	return steps(
		func() error { return tunnel.AddDevice(tunName, netlink.TUNTAP_MODE_TUN) },
		func() error { return addAddress(tunName, netip.PrefixFrom(address, transferNetwork().Bits())) },
		func() error { return up(tunName) },
	)
}

// buildBonds makes the VPN with high availability: a TAP device for each server, and a bond over them, in kube-apiserver and in
// the shoot.
func (l *laboratory) buildBonds() error {
	taps := make([]string, len(l.vpnServers))
	for i, name := range l.vpnServers {
		taps[i] = fmt.Sprintf("tap%d", i)
		server := netip.PrefixFrom(nth(transferNetwork(), 64*i+1), 26)
		if err := l.namespaces[name].do(func() error {
			return steps(
				func() error { return tunnel.AddDevice(tapName, netlink.TUNTAP_MODE_TAP) },
				func() error { return addAddress(tapName, server) },
				func() error { return up(tapName) },
			)
		}); err != nil {
			return err
		}
	}
	if err := l.namespaces[KubeAPIServer].do(func() error {
		return steps(
			func() error { return l.addBondOver(taps, bondOfKubeAPIServer) },
			func() error { return l.routeTunnelled(bondName, transferAddress(bondOfShoot)) },
		)
	}); err != nil {
		return err
	}
	return l.namespaces[VPNShoot].do(func() error { return l.addBondOver(taps, bondOfShoot) })
}

func (l *laboratory) addBondOver(taps []string, address byte) error {
	for _, tap := range taps {
		if err := tunnel.AddDevice(tap, netlink.TUNTAP_MODE_TAP); err != nil {
			return err
		}
	}
	bonding, err := addBond(taps)
	if err != nil {
		return err
	}
	if !bonding {
		l.say("the kernel has no bonding: a bridge takes the place of " + bondName)
	}
	return addAddress(bondName, netip.PrefixFrom(transferAddress(address), bondNetwork().Bits()))
}

// routeTunnelled makes the routes that the VPN gives to its clients: one for each network of the shoot that it was told.
func (l *laboratory) routeTunnelled(device string, via netip.Addr) error {
	for _, prefix := range l.tunnelled {
		if err := addRoute(route{to: prefix, via: via, device: device}); err != nil {
			return err
		}
	}
	return nil
}

// start starts all processes, each after those that it needs.
func (l *laboratory) start(ctx context.Context) error {
	at := func(name string, port uint16) netip.AddrPort { return netip.AddrPortFrom(l.box(name).address, port) }
	type part struct {
		name   string
		config componentConfig
	}
	serverOf := func(name string, kind serverKind, port uint16) part {
		return part{name, componentConfig{Servers: []serverConfig{{kind, at(name, port)}}}}
	}
	parts := []part{
		serverOf(Machine, serverKubelet, kubeletPort),
		serverOf(MetricsServer, serverMetrics, metricsPort),
		serverOf(IstioIngressGateway, serverProxy, gatewayPort),
	}
	for _, name := range l.vpnServers {
		parts = append(parts, part{name, l.vpnServer(name)})
	}
	for i, server := range l.vpnServers {
		end := l.tunnel(i)
		end.Dial = at(server, tunnelPort)
		if l.ha {
			inSeed := end
			parts = append(parts, part{KubeAPIServer, componentConfig{Tunnel: &inSeed}})
		}
		// The server sees the gateway's address. It would send answers to the machine's own address into the tunnel.
		end.Proxy = at(IstioIngressGateway, gatewayPort)
		parts = append(parts, part{VPNShoot, componentConfig{Tunnel: &end}})
	}
	for _, part := range parts {
		if err := l.run(ctx, part.name, part.config); err != nil {
			return err
		}
	}
	return nil
}

// tunnel is the device of the i-th server at a client.
func (l *laboratory) tunnel(i int) tunnelConfig {
	if l.ha {
		return tunnelConfig{Device: fmt.Sprintf("tap%d", i), Mode: netlink.TUNTAP_MODE_TAP}
	}
	return tunnelConfig{Device: tunName, Mode: netlink.TUNTAP_MODE_TUN}
}

// vpnServer is a pod of the VPN server; without high availability the proxy that kube-apiserver dials through is beside it.
func (l *laboratory) vpnServer(name string) componentConfig {
	address := l.box(name).address
	end := l.tunnel(0)
	end.Listen = netip.AddrPortFrom(address, tunnelPort)
	config := componentConfig{Tunnel: &end}
	if !l.ha {
		config.Servers = []serverConfig{{serverProxy, netip.AddrPortFrom(address, proxyPort)}}
	}
	return config
}

func (l *laboratory) run(ctx context.Context, name string, config componentConfig) error {
	config.Identity = l.identity
	kill, err := startComponent(ctx, l.program, l.namespaces[name], config)
	if err != nil {
		return err
	}
	l.kill[name] = append(l.kill[name], kill)
	return nil
}
