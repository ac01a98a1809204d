// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package enginehost

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/gardener/kindling/pkg/clock"
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
		{iptablesNAT6, "IP6_NF_NAT", "NAT for IPv6, by iptables"},
		{nftablesNAT, "NFT_NAT", "NAT, by nftables"},
	}
}

// Modules of which one or the other hides the IPv6 addresses of containers behind their host.
const (
	iptablesNAT6 = "ip6table_nat"
	nftablesNAT  = "nft_chain_nat"
)

// NAT6 says whether the kernel can hide IPv6 addresses; known says whether that could be found out.
func (f Facts) NAT6() (has, known bool) {
	for _, name := range []string{iptablesNAT6, nftablesNAT} {
		if state := f.Modules[name]; state != "" {
			has, known = has || state != Missing, true
		}
	}
	return has, known
}

// Facts are what one container saw of the engine's host.
type Facts struct {
	// BootID changes with every boot of the kernel.
	BootID string
	// Modules by name; those that are not known are left out.
	Modules map[string]ModuleState
	// Limits of inotify by their names below fs.inotify; 0 where they could not be read.
	MaxUserInstances, MaxUserWatches int
	// IPv6 says that the kernel has it, and that it is not switched off.
	IPv6 bool
	// DefaultIPv6 is the interface that leads to IPv6 addresses outside; empty where none does.
	DefaultIPv6 string
	// Addresses are the host's own, on whatever interface.
	Addresses []netip.Addr
	// DiskFree and DiskTotal are the bytes of the file system that the engine keeps containers on; 0 where they could not be read.
	DiskFree, DiskTotal uint64
	// Time of the host when it was looked at, in whole seconds; the zero time where it could not be read.
	Time time.Time
	// ClockAhead is by how much its clock is at least ahead of this machine's, negative when it is behind.
	ClockAhead time.Duration
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

// littleDisk is less than a Gardener with a shoot takes: node images, those of some hundred pods, volumes.
const littleDisk = 10 << 30

// LittleDisk says that there is little room for containers; empty when there is enough, or when it is not known.
func (f Facts) LittleDisk() string {
	if f.DiskTotal == 0 || f.DiskFree >= littleDisk {
		return ""
	}
	return fmt.Sprintf("the disk of the engine's host has %s free of %s, and a local Gardener takes more than %s: pods are evicted when it is full; remove images and "+
		"containers that nobody needs", Size(f.DiskFree), Size(f.DiskTotal), Size(littleDisk))
}

// WrongClock says that the host's clock differs from this machine's; empty when it does not, or when it is not known.
func (f Facts) WrongClock() string {
	if f.Time.IsZero() || f.ClockAhead.Abs() < clock.Tolerated {
		return ""
	}
	direction := "ahead of"
	if f.ClockAhead < 0 {
		direction = "behind"
	}
	return fmt.Sprintf("the clock of the engine's host is %s %s this machine's: certificates that clusters make there are not valid yet, or too old, to one of the two",
		f.ClockAhead.Abs().Round(time.Second), direction)
}

// Size writes bytes for people.
func Size(bytes uint64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }
