// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package loopback

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
)

// Device is the loopback interface.
const Device = "lo0"

// Add puts addresses on the loopback interface of this machine. The error is an fs.ErrPermission where it takes the rights of root.
func Add(ctx context.Context, addresses []netip.Addr) error {
	return each(ctx, addresses, func(address netip.Addr) []string {
		if address.Is4() {
			return []string{"inet", address.String() + "/32", "alias"}
		}
		return []string{"inet6", address.String(), "prefixlen", "128", "alias"}
	})
}

// Remove takes addresses from the loopback interface of this machine; those that it has not are left out.
func Remove(ctx context.Context, addresses []netip.Addr) error {
	there, err := There(addresses)
	if err != nil {
		return err
	}
	return each(ctx, there, func(address netip.Addr) []string {
		if address.Is4() {
			return []string{"inet", address.String(), "-alias"}
		}
		return []string{"inet6", address.String(), "-alias"}
	})
}

func each(ctx context.Context, addresses []netip.Addr, args func(netip.Addr) []string) error {
	if err := allAllowed(addresses); err != nil || len(addresses) == 0 {
		return err
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("changing the loopback interface: %w", fs.ErrPermission)
	}
	for _, address := range addresses {
		command := exec.CommandContext(ctx, "/sbin/ifconfig", append([]string{Device}, args(address)...)...)
		if output, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("address %s of the loopback interface: %w: %s", address, err, bytes.TrimSpace(output))
		}
	}
	return nil
}
