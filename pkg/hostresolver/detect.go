// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package hostresolver

import (
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/dns"
)

// Detect returns the resolver in use. systemd-resolved may be installed and not be asked: resolv.conf must name its address, or be a link
// into its folder, or the name service switch must name it while it runs.
func (h Host) Detect() Kind {
	if h.OS == "darwin" {
		return MacOS
	}
	if h.OS != "linux" {
		return Unknown
	}
	if target, err := os.Readlink(h.path("etc/resolv.conf")); err == nil && strings.Contains(target, "run/systemd/resolve/") {
		return Resolved
	}
	content, err := os.ReadFile(h.path("etc/resolv.conf"))
	stub := netip.MustParseAddr("127.0.0.53")
	if err == nil && slices.Contains(dns.Nameservers(string(content)), stub) {
		return Resolved
	}
	content, err = os.ReadFile(h.path("etc/nsswitch.conf"))
	if _, runs := os.Stat(h.path("run/systemd/resolve/io.systemd.Resolve")); err == nil && runs == nil && asksResolved(string(content)) {
		return Resolved
	}
	return Unknown
}

func asksResolved(nsswitch string) bool {
	for line := range strings.Lines(nsswitch) {
		fields := strings.Fields(line)
		if len(fields) > 1 && fields[0] == "hosts:" && slices.Contains(fields[1:], "resolve") {
			return true
		}
	}
	return false
}
