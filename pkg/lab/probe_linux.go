// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"errors"
	"net/netip"
	"os"

	"github.com/vishvananda/netlink"

	"github.com/gardener/kindling/internal/tunnel"
)

// Remedies for machines that can't hold the laboratory.
const (
	namespaceRemedy = "Run it as root, or allow user namespaces (sysctl user.max_user_namespaces, user.max_net_namespaces, " +
		"kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), or run it on another Linux machine."
	tunRemedy     = "It needs the kernel's TUN driver (modprobe tun) and the right to open " + tunnel.Device + "; in a container, pass that device in."
	kernelRemedy  = "It needs a Linux kernel with veth, bridge and nf_tables (nat, masquerade, conntrack): load the module that is missing, or run it on another machine."
	settingRemedy = "It needs a /proc/sys/net that can be written to: in a container, run it with more rights."
)

// probe tries everything that a machine may lack or forbid, once, in a namespace that is thrown away. What fails later is a fault of the
// laboratory.
func probe() error {
	device, err := os.OpenFile(tunnel.Device, os.O_RDWR, 0)
	if err != nil {
		return &UnsupportedError{"opening the device for tunnels", err, tunRemedy}
	}
	_ = device.Close()
	scratch, err := newNamespace("probe")
	if err != nil {
		return &UnsupportedError{"making network namespaces", err, namespaceRemedy}
	}
	pods := netip.PrefixFrom(transferAddress(0), 24)
	address := netip.AddrPortFrom(transferAddress(1), servicePort)
	err = scratch.do(func() error {
		for _, need := range []struct {
			what, remedy string
			try          func() error
		}{
			{"making pairs of interfaces", kernelRemedy, func() error { return addVeth("veth0", "veth1", scratch) }},
			{"making bridges", kernelRemedy, func() error {
				return netlink.LinkAdd(&netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: bridgeName}})
			}},
			{"making devices for tunnels", tunRemedy, func() error { return tunnel.AddDevice(tunName, netlink.TUNTAP_MODE_TUN) }},
			{"forbidding packets", kernelRemedy, func() error { return addGuard(box{name: "probe"}, pods) }},
			{"hiding addresses", kernelRemedy, func() error { return addMasquerade(pods, "veth0") }},
			{"translating addresses", kernelRemedy, func() error { return addService(address, address) }},
			{"changing settings of the kernel", settingRemedy, forward},
		} {
			if err := need.try(); err != nil {
				return &UnsupportedError{need.what, err, need.remedy}
			}
		}
		return nil
	})
	return errors.Join(err, scratch.close())
}
