// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package loopback

import (
	"errors"
	"net/netip"
	"testing"
)

func TestWhatCanNotBeBoundIsMissing(t *testing.T) {
	at := netip.MustParseAddr
	interfaces := map[netip.Addr]held{at("172.18.255.1"): {"lo", true}, at("172.18.255.2"): {"eth0", false}, at("172.18.255.3"): {"lo", true}}
	for name, c := range map[string]struct {
		address netip.Addr
		binds   bool
		missing bool
		taken   string
	}{
		"one of the interface":                                 {at("172.18.255.1"), true, false, ""},
		"one of the interface that nothing can listen on":      {at("172.18.255.3"), false, true, ""},
		"one of another interface is taken":                    {at("172.18.255.2"), true, false, "eth0"},
		"one that nothing has":                                 {at("172.18.255.9"), false, true, ""},
		"one that nothing has, where anything may be listened": {at("172.18.255.9"), true, true, ""},
		"one beside 127.0.0.1, on Linux":                       {at("127.0.0.2"), true, false, ""},
		"one beside 127.0.0.1, on macOS":                       {at("127.0.0.2"), false, true, ""},
		"one beside ::1":                                       {at("::10"), false, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := missing([]netip.Addr{c.address}, interfaces, func(netip.Addr) bool { return c.binds })
			taken, isTaken := errors.AsType[*TakenError](err)
			if (len(got) > 0) != c.missing || isTaken != (c.taken != "") || isTaken && taken.Interface != c.taken {
				t.Errorf("missing %v: %v", got, err)
			}
		})
	}
}
