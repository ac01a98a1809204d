// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package tunnel

import (
	"fmt"
	"os"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Device is where the kernel gives out TUN and TAP devices.
const Device = "/dev/net/tun"

// AddDevice makes a TUN or TAP device that stays when the process that holds it ends, as in the pods of the VPN: what is
// then left is a route to a device without carrier.
func AddDevice(name string, mode netlink.TuntapMode) error {
	device := &netlink.Tuntap{
		LinkAttrs: netlink.LinkAttrs{Name: name}, Mode: mode, Flags: netlink.TUNTAP_DEFAULTS | netlink.TUNTAP_NO_PI,
	}
	if err := netlink.LinkAdd(device); err != nil {
		return fmt.Errorf("making the device %s by %s: %w", name, Device, err)
	}
	return nil
}

// OpenDevice takes hold of a device that is there. Reads of the file wait in Go's poller, so that it can be closed.
func OpenDevice(name string, mode netlink.TuntapMode) (*os.File, error) {
	request, err := unix.NewIfreq(name)
	if err != nil {
		return nil, fmt.Errorf("naming the device %s: %w", name, err)
	}
	fd, err := unix.Open(Device, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", Device, err)
	}
	request.SetUint16(uint16(mode) | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("taking hold of the device %s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), Device), nil
}
