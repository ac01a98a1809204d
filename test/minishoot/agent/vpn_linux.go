// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sync/errgroup"

	"github.com/gardener/kindling/internal/tunnel"
)

// The environment of the VPN's pods has the names that vpn2 0.24 (Gardener v1.93) reads; an empty network has no route.
func networks() ([]netip.Prefix, error) {
	var found []netip.Prefix
	for _, name := range []string{"SERVICE_NETWORK", "POD_NETWORK", "NODE_NETWORK"} {
		text := os.Getenv(name)
		if text == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("$%s: %w", name, err)
		}
		found = append(found, prefix)
	}
	return found, nil
}

func ha() bool { return os.Getenv("IS_HA") == "true" }

// index is the number at the end of $NAME, such as that of a pod of a StatefulSet.
func index(name string) (int, error) {
	text := os.Getenv(name)
	number, err := strconv.Atoi(text[strings.LastIndex(text, "-")+1:])
	if err != nil {
		return 0, fmt.Errorf("$%s has no number at its end: %w", name, err)
	}
	return number, nil
}

// vpnServer is vpn-seed-server.
func vpnServer(ctx context.Context) error {
	device, mode, err := serverDevice()
	if err != nil {
		return err
	}
	config, err := identity()
	if err != nil {
		return err
	}
	file, err := tunnel.OpenDevice(device, mode)
	if err != nil {
		return err
	}
	plain, err := listen(ctx, tunnelPort)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return tunnel.Serve(ctx, file, tls.NewListener(plain, config))
}

// serverDevice makes tun0 with routes into the shoot, or tap0, which with high availability only joins the clients.
func serverDevice() (string, netlink.TuntapMode, error) {
	if ha() {
		server, err := index("POD_NAME")
		if err != nil {
			return "", 0, err
		}
		const device = "tap0"
		return device, netlink.TUNTAP_MODE_TAP, addDevice(device, netlink.TUNTAP_MODE_TAP, transferAddress(server, serverHost), serverBits)
	}
	const device = "tun0"
	prefixes, err := networks()
	if err != nil {
		return "", 0, err
	}
	if err := addDevice(device, netlink.TUNTAP_MODE_TUN, transferAddress(0, serverHost), networkBits); err != nil {
		return "", 0, err
	}
	// OpenVPN takes the first address that is not its own for its next hop; a point-to-point device does not ask.
	return device, netlink.TUNTAP_MODE_TUN, routeInto(device, transferAddress(0, serverHost+1), prefixes)
}

// tapName is the device for a server's network at its clients.
func tapName(server int) string { return "tap" + strconv.Itoa(server) }

// addTaps makes a device for each server.
func addTaps(host int) error {
	for server := range servers {
		if err := addDevice(tapName(server), netlink.TUNTAP_MODE_TAP, transferAddress(server, host), serverBits); err != nil {
			return err
		}
	}
	return nil
}

// setUpSeedClient makes the devices in the network of kube-apiserver, before anything uses them.
func setUpSeedClient(context.Context) error { return addTaps(seedClientHost) }

// seedClient is the VPN's client beside kube-apiserver, one for each server.
func seedClient(ctx context.Context) error {
	server, err := index("VPN_SERVER_INDEX")
	if err != nil {
		return err
	}
	return client(ctx, tapName(server), netlink.TUNTAP_MODE_TAP, os.Getenv("ENDPOINT"), "")
}

// setUpShootClient prepares the network of vpn-shoot. What comes out of the tunnel gets the address of this pod: nothing in the shoot
// knows the way back into the tunnel.
func setUpShootClient(ctx context.Context) error {
	if ha() {
		pod, err := index("POD_NAME")
		if err != nil {
			return err
		}
		if err := addTaps(shootHost + pod); err != nil {
			return err
		}
	} else if err := addDevice("tun0", netlink.TUNTAP_MODE_TUN, transferAddress(0, shootHost), networkBits); err != nil {
		return err
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0); err != nil {
		return fmt.Errorf("switching forwarding on: %w", err)
	}
	transfer := netip.PrefixFrom(transferAddress(0, 0), networkBits).String()
	output, err := exec.CommandContext(ctx, "iptables", "-t", "nat", "-A", "POSTROUTING", "-s", transfer, "-o", "eth0", "-j", "MASQUERADE").CombinedOutput()
	if err != nil {
		return fmt.Errorf("adding a rule: %w: %s", err, output)
	}
	return nil
}

// shootClient is vpn-shoot: it connects to a server of the seed through the gateway, and with high availability tells on its address in
// the tunnel that it is there.
func shootClient(ctx context.Context) error {
	if !ha() {
		return client(ctx, "tun0", netlink.TUNTAP_MODE_TUN, os.Getenv("SERVER"), os.Getenv("ENDPOINT"))
	}
	server, err := index("VPN_SERVER_INDEX")
	if err != nil {
		return err
	}
	listener, err := listen(ctx, presencePort(server))
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return bePresent(ctx, listener) })
	group.Go(func() error {
		return client(ctx, tapName(server), netlink.TUNTAP_MODE_TAP, os.Getenv("SERVER"), os.Getenv("ENDPOINT"))
	})
	return group.Wait()
}

func client(ctx context.Context, device string, mode netlink.TuntapMode, server, through string) error {
	config, err := identity()
	if err != nil {
		return err
	}
	file, err := tunnel.OpenDevice(device, mode)
	if err != nil {
		return err
	}
	return tunnel.Dial(ctx, file, dialer(server, through, config), func() { fmt.Println("connected to", server) })
}

// bePresent takes connections and ends them.
func bePresent(ctx context.Context, listener net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	for {
		conn, err := listener.Accept()
		if err != nil {
			return fmt.Errorf("accepting connections: %w", err)
		}
		_ = conn.Close() // being taken is all that is asked for
	}
}
