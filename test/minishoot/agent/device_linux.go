// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"go4.org/netipx"

	"github.com/gardener/kindling/internal/tunnel"
)

// Addresses of the VPN's transfer network, 192.168.123.0/24 as in Gardener before v1.116. Without high availability there is one
// network; with it each server has a /26.
const (
	serverHost     = 1
	shootHost      = 10
	seedClientHost = 40
	networkBits    = 24
	serverBits     = 26
)

func transferAddress(server, host int) netip.Addr {
	return netip.AddrFrom4([4]byte{192, 168, 123, byte(64*server + host)})
}

// addDevice makes a device with an address that stays when the process that holds it ends. One that is there, after a restart of the
// container, is kept.
func addDevice(name string, mode netlink.TuntapMode, address netip.Addr, length int) error {
	if _, err := netlink.LinkByName(name); err != nil {
		if err := tunnel.AddDevice(name, mode); err != nil {
			return err
		}
	}
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("looking for the device %s: %w", name, err)
	}
	if err := netlink.AddrReplace(link, &netlink.Addr{IPNet: netipx.PrefixIPNet(netip.PrefixFrom(address, length))}); err != nil {
		return fmt.Errorf("giving %s the address %s: %w", name, address, err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("setting %s up: %w", name, err)
	}
	return nil
}

// routeInto makes, or changes, the routes of networks of the shoot into the VPN.
func routeInto(device string, via netip.Addr, networks []netip.Prefix) error {
	link, err := netlink.LinkByName(device)
	if err != nil {
		return fmt.Errorf("looking for the device %s: %w", device, err)
	}
	for _, network := range networks {
		entry := &netlink.Route{LinkIndex: link.Attrs().Index, Dst: netipx.PrefixIPNet(network), Gw: via.AsSlice()}
		if err := netlink.RouteReplace(entry); err != nil {
			return fmt.Errorf("routing %s into %s: %w", network, device, err)
		}
	}
	return nil
}
