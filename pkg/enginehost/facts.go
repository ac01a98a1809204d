// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package enginehost

import (
	"net/netip"
	"strings"
)

// ModuleState says how the kernel has a module.
type ModuleState string

// The states.
const (
	Loaded   ModuleState = "loaded"
	BuiltIn  ModuleState = "builtin"
	Loadable ModuleState = "loadable"
	Missing  ModuleState = "missing"
)

// Module is a part of the kernel that Gardener's local setup uses.
type Module struct {
	// Name as lsmod has it.
	Name string
	// Option of the kernel's configuration, without CONFIG_.
	Option string
	// Use says what for.
	Use string
}

// Modules lists those that are looked for.
func Modules() []Module {
	return []Module{
		{"ipip", "NET_IPIP", "encapsulation IPIP, which provider-local gives the pools of its shoots"},
		{"ip6_tunnel", "IPV6_TUNNEL", "tunnels of the VPN with high availability for IPv6"},
		{"bonding", "BONDING", "the VPN with high availability: one device of several tunnels"},
		{"tun", "TUN", "the VPN's tunnel"},
		{"xt_NETMAP", "NETFILTER_XT_TARGET_NETMAP", "ranges of seed and shoot that overlap: the VPN maps them"},
	}
}

// Facts are what one container saw of the engine's host.
type Facts struct {
	// BootID changes with every boot of the kernel.
	BootID string
	// Modules by name.
	Modules map[string]ModuleState
	// Limits of inotify by their names below fs.inotify; 0 where they could not be read.
	MaxUserInstances, MaxUserWatches int
	// IPv6 says that the kernel has it, and that it is not switched off.
	IPv6 bool
	// Addresses are the host's own, on whatever interface.
	Addresses []netip.Addr
	// DiskFree and DiskTotal are the bytes of the file system that the engine keeps containers on; 0 where they could not be read.
	DiskFree, DiskTotal uint64
}

// Architecture returns the name that images have for what uname calls a machine: amd64 for x86_64.
func Architecture(machine string) string {
	switch strings.ToLower(machine) {
	case "x86_64", "amd64":
		return "amd64"
	case "aarch64", "arm64":
		return "arm64"
	case "armv7l", "armv6l", "arm":
		return "arm"
	}
	return machine
}
