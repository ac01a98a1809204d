// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package loopback

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Device is the loopback interface.
const Device = "lo"

// Add puts addresses on the loopback interface of this machine; those that it has already are left. The error is an fs.ErrPermission
// where it takes the rights of root, and a *NoIPv6Error where there is no IPv6.
func Add(_ context.Context, addresses []netip.Addr) error {
	return each(addresses, func(link netlink.Link, address *netlink.Addr) error {
		if address.IP.To4() == nil {
			// Nobody else can have it; while the kernel asks for duplicates, nothing can be bound to it.
			address.Flags = unix.IFA_F_NODAD
		}
		err := netlink.AddrReplace(link, address)
		if errors.Is(err, unix.EACCES) && address.IP.To4() == nil && !hasIPv6() {
			return &NoIPv6Error{addresses}
		}
		return err
	})
}

// Remove takes addresses from the loopback interface of this machine; those that it has not are left out.
func Remove(_ context.Context, addresses []netip.Addr) error {
	there, err := There(addresses)
	if err != nil {
		return err
	}
	return each(there, func(link netlink.Link, address *netlink.Addr) error {
		if err := netlink.AddrDel(link, address); !errors.Is(err, unix.EADDRNOTAVAIL) {
			return err
		}
		return nil
	})
}

func each(addresses []netip.Addr, do func(netlink.Link, *netlink.Addr) error) error {
	if err := allAllowed(addresses); err != nil || len(addresses) == 0 {
		return err
	}
	link, err := netlink.LinkByName(Device)
	if err != nil {
		return fmt.Errorf("looking for the loopback interface: %w", err)
	}
	for _, address := range addresses {
		// An address of one machine alone: with the scope host, the kernel tells nobody else of it.
		parsed, err := netlink.ParseAddr(netip.PrefixFrom(address, address.BitLen()).String())
		if err != nil {
			return err
		}
		if address.Is4() {
			parsed.Scope = unix.RT_SCOPE_HOST
		}
		err = do(link, parsed)
		if errors.Is(err, unix.EPERM) {
			return fmt.Errorf("changing the loopback interface: %w", fs.ErrPermission)
		}
		if err != nil {
			return fmt.Errorf("address %s of the loopback interface: %w", address, err)
		}
	}
	return nil
}

func hasIPv6() bool {
	content, err := os.ReadFile("/proc/sys/net/ipv6/conf/lo/disable_ipv6")
	return err == nil && strings.TrimSpace(string(content)) == "0"
}
