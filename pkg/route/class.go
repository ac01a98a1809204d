// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route

import "strings"

// Class is what becomes of a packet.
type Class string

const (
	// ClassVPN is a packet that enters Gardener's VPN.
	ClassVPN Class = "VPN"
	// ClassDirect is a packet that leaves beside the VPN.
	ClassDirect Class = "direct"
	// ClassLocal is a packet to the namespace itself.
	ClassLocal Class = "local"
	// ClassDropped is a packet that nobody gets.
	ClassDropped Class = "dropped"
)

// vpnDevice is a device name; a numbered one is followed by digits.
type vpnDevice struct {
	name     string
	numbered bool
}

// vpnDevices are the device names of Gardener's VPN (github.com/gardener/vpn2): OpenVPN's own devices, the bond over the taps of a
// highly available control plane, and the tunnels over that bond, one for each VPN client in the shoot. Numbers are asked for
// because tunl0 is the IPIP device of Calico, which is no VPN.
func vpnDevices() [4]vpnDevice {
	return [...]vpnDevice{{"tun", true}, {"tap", true}, {"bond0", false}, {"bond0-ip6tnl", true}}
}

// DeviceClass returns the class of packets that leave by a device: VPN, local for lo, else direct.
func DeviceClass(device string) Class {
	if device == "lo" {
		return ClassLocal
	}
	for _, known := range vpnDevices() {
		if device == known.name && !known.numbered {
			return ClassVPN
		}
		number, ok := strings.CutPrefix(device, known.name)
		if ok && known.numbered && number != "" && strings.Trim(number, "0123456789") == "" {
			return ClassVPN
		}
	}
	return ClassDirect
}

// classify returns what becomes of a packet that takes the route, and why. A nil route is no route.
func classify(r *Route) (Class, string) {
	if r == nil {
		return ClassDropped, "no route: network is unreachable"
	}
	switch kind := r.kind(); kind {
	case TypeLocal:
		return ClassLocal, "an address of this namespace"
	case TypeAnycast:
		return ClassLocal, "an anycast address that this namespace has"
	case TypeBlackhole:
		return ClassDropped, "blackhole: invalid argument"
	case TypeUnreachable:
		return ClassDropped, "unreachable: no route to host"
	case TypeProhibit:
		return ClassDropped, "prohibit: permission denied"
	case TypeBroadcast, TypeMulticast:
		class, reason := classifyHops(r)
		return class, string(kind) + ", which carries no connection; " + reason
	default:
		return classifyHops(r)
	}
}

// classifyHops looks at all next hops in force. When they differ, the answer is direct: some connections miss the VPN then, and
// which ones is left to a hash.
func classifyHops(r *Route) (Class, string) {
	var class Class
	var names []string
	down := ""
	for _, hop := range r.hops() {
		if hop.Dead {
			continue
		}
		switch of := DeviceClass(hop.Device); class {
		case "", of:
			class = of
		default:
			return ClassDirect, "several next hops, and not all of them are the VPN: some connections go by " + directHop(r)
		}
		if hop.LinkDown {
			down = "; the link is down, and the route is taken all the same"
		}
		if name := deviceName(hop.Device); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	joined, verb := strings.Join(names, " and "), " is "
	if len(names) > 1 {
		verb = " are "
	}
	switch class {
	case ClassVPN:
		return class, joined + verb + "of the VPN" + down
	case ClassLocal:
		return class, "lo is the namespace itself" + down
	default:
		return class, joined + verb + "not of the VPN" + down
	}
}

// directHop names the first way of a mixed route that is not the VPN.
func directHop(r *Route) string {
	for _, hop := range r.hops() {
		if !hop.Dead && DeviceClass(hop.Device) != ClassVPN {
			return deviceName(hop.Device)
		}
	}
	return "another device"
}

func deviceName(device string) string {
	if device == "" {
		return "an unnamed device"
	}
	return device
}
