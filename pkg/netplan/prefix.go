// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package netplan turns an environment into an address plan and holds every rule about addresses. It is pure: it reads no
// file, asks no engine and no cluster.
package netplan

import (
	"net/netip"

	"go4.org/netipx"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
)

// seedPodsIPv6Bits is the size of the two IPv6 ranges cut from the pod CIDR. Gardener's local setup uses /56 for both, and
// provider-local admits nodes only in its second one.
const seedPodsIPv6Bits = 56

// Intersection returns the addresses that two prefixes share: the longer of the two when one contains the other.
func Intersection(a, b netip.Prefix) (netip.Prefix, bool) {
	if !a.IsValid() || !b.IsValid() || !a.Overlaps(b) {
		return netip.Prefix{}, false
	}
	if a.Bits() >= b.Bits() {
		return a.Masked(), true
	}
	return b.Masked(), true
}

// Contains says whether every address of inner is in outer.
func Contains(outer, inner netip.Prefix) bool {
	return outer.IsValid() && inner.IsValid() && outer.Bits() <= inner.Bits() && outer.Contains(inner.Addr())
}

// Split cuts a pod CIDR into seed pods and machines: IPv4 into halves, machines first, as Gardener does since v1.128; IPv6
// into its first two /56, seed pods first, or into halves when it is no larger than that. A prefix of one address can't be
// cut: both results are invalid then.
func Split(pods netip.Prefix) (seedPods, machines netip.Prefix) {
	pods = pods.Masked()
	bits := pods.Bits() + 1
	if !pods.IsValid() || bits > pods.Addr().BitLen() {
		return netip.Prefix{}, netip.Prefix{}
	}
	if pods.Addr().Is6() && bits < seedPodsIPv6Bits {
		bits = seedPodsIPv6Bits
	}
	first := netip.PrefixFrom(pods.Addr(), bits)
	second := netip.PrefixFrom(netipx.PrefixLastIP(first).Next(), bits)
	if pods.Addr().Is4() {
		return second, first
	}
	return first, second
}

// FamilyOf returns the family of a prefix.
func FamilyOf(prefix netip.Prefix) v1alpha1.IPFamily {
	if prefix.Addr().Is4() {
		return v1alpha1.IPv4
	}
	return v1alpha1.IPv6
}
