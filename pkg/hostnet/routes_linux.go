// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package hostnet

import (
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"go4.org/netipx"
)

// hostRoutes reads the kernel's tables of both families.
func hostRoutes() ([]route, error) {
	entries, err := netlink.RouteList(nil, netlink.FAMILY_ALL)
	if err != nil {
		return nil, fmt.Errorf("reading the routes of this host: %w", err)
	}
	var routes []route
	for _, entry := range entries {
		if entry.Dst == nil {
			continue
		}
		prefix, ok := netipx.FromStdIPNet(entry.Dst)
		if !ok {
			continue
		}
		device := "an unknown device"
		if link, err := netlink.LinkByIndex(entry.LinkIndex); err == nil {
			device = link.Attrs().Name
		}
		routes = append(routes, route{netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()), device})
	}
	return routes, nil
}
