// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package hostnet

import (
	"fmt"
	"net"
	"net/netip"
	"syscall"

	routing "golang.org/x/net/route"
)

// hostRoutes reads the kernel's routing information base.
func hostRoutes() ([]route, error) {
	data, err := routing.FetchRIB(syscall.AF_UNSPEC, routing.RIBTypeRoute, 0)
	if err != nil {
		return nil, fmt.Errorf("reading the routes of this host: %w", err)
	}
	messages, err := routing.ParseRIB(routing.RIBTypeRoute, data)
	if err != nil {
		return nil, fmt.Errorf("reading the routes of this host: %w", err)
	}
	var routes []route
	for _, message := range messages {
		entry, ok := message.(*routing.RouteMessage)
		if !ok || len(entry.Addrs) <= syscall.RTAX_NETMASK {
			continue
		}
		if prefix, ok := prefixOf(entry.Addrs[syscall.RTAX_DST], entry.Addrs[syscall.RTAX_NETMASK]); ok {
			routes = append(routes, route{prefix, deviceName(entry.Index)})
		}
	}
	return routes, nil
}

func prefixOf(destination, mask routing.Addr) (netip.Prefix, bool) {
	switch destination := destination.(type) {
	case *routing.Inet4Addr:
		if mask, ok := mask.(*routing.Inet4Addr); ok {
			bits, _ := net.IPMask(mask.IP[:]).Size()
			return netip.PrefixFrom(netip.AddrFrom4(destination.IP), bits), true
		}
	case *routing.Inet6Addr:
		if mask, ok := mask.(*routing.Inet6Addr); ok {
			bits, _ := net.IPMask(mask.IP[:]).Size()
			return netip.PrefixFrom(netip.AddrFrom16(destination.IP), bits), true
		}
	}
	return netip.Prefix{}, false
}

func deviceName(index int) string {
	if device, err := net.InterfaceByIndex(index); err == nil {
		return device.Name
	}
	return "an unknown device"
}
