// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package gardener

import "net/netip"

// ReservedRange is a range that a version of Gardener keeps for itself.
type ReservedRange struct {
	Prefix  netip.Prefix
	Purpose string
}

// ReservedRanges returns the transfer networks of the VPN and the ranges that its address mapping uses.
func (v Version) ReservedRanges() []ReservedRange {
	var ranges []ReservedRange
	add := func(prefix, purpose string) {
		ranges = append(ranges, ReservedRange{netip.MustParsePrefix(prefix), purpose})
	}
	if !v.Has(NewVPN) {
		add("192.168.123.0/24", "VPN transfer network")
	}
	if v.Has(WideVPNTransferIPv6) {
		add("fd8f:6d53:b97a:1::/96", "VPN transfer network")
	} else {
		add("fd8f:6d53:b97a:1::/120", "VPN transfer network")
	}
	if v.Has(ReservedKubernetesService) {
		add("240.0.0.0/8", "kubernetes service in shoots")
	}
	if v.Has(MappedRanges) {
		add("241.0.0.0/8", "mapped seed pods")
		add("242.0.0.0/8", "mapped shoot nodes")
		add("243.0.0.0/8", "mapped shoot services")
		add("244.0.0.0/8", "mapped shoot pods")
	}
	return ranges
}
