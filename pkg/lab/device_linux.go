// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Addresses of the VPN's transfer network, 192.168.123.0/24 in the versions of Gardener that are imitated. With high
// availability each server has a /26 of its own, and the last /26 is the clients'.
func transferAddress(last byte) netip.Addr { return netip.AddrFrom4([4]byte{192, 168, 123, last}) }

// bondName is the interface that the VPN's networks are routed to with high availability.
const bondName = "bond0"

// addBond puts TAP devices into a bond that uses the first one that works, as the VPN's client does. Where the kernel has no
// bonding, a bridge of that name with the first device as its only port takes its place: routes and packets are the same, but
// it does not change over to the second. Two ports would make a loop through both servers.
//
// Where OpenVPN's devices are probed by ARP, the bond looks at their carrier: the end of a process is seen at once.
func addBond(devices []string) (bonding bool, err error) {
	bond := netlink.NewLinkBond(netlink.LinkAttrs{Name: bondName})
	bond.Mode = netlink.BOND_MODE_ACTIVE_BACKUP
	bond.FailOverMac = netlink.BOND_FAIL_OVER_MAC_ACTIVE
	bond.Miimon = 100
	members := devices
	switch err := netlink.LinkAdd(bond); {
	case err == nil:
		bonding = true
	case !errors.Is(err, unix.EOPNOTSUPP):
		return false, fmt.Errorf("making %s: %w", bondName, err)
	default:
		members = devices[:1]
		if err := netlink.LinkAdd(&netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: bondName}}); err != nil {
			return false, fmt.Errorf("making a bridge in the place of %s: %w", bondName, err)
		}
	}
	for _, device := range members { // a device joins while it is down
		if err := enslave(device, bondName); err != nil {
			return bonding, err
		}
	}
	for _, device := range append(devices, bondName) {
		if err := up(device); err != nil {
			return bonding, err
		}
	}
	return bonding, nil
}
