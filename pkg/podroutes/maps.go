// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package podroutes

import (
	"bufio"
	"bytes"
	"fmt"
	"net/netip"
	"strings"

	"github.com/gardener/kindling/pkg/route"
)

// ParseMaps reads the NETMAP rules for packets that a pod makes from what `iptables -t nat -S OUTPUT` prints. Other rules are passed
// over; the owner that a rule asks for is taken to be the sender, which in the VPN's pods is the proxy.
func ParseMaps(output []byte) ([]route.Map, error) {
	var maps []route.Map
	scanner := bufio.NewScanner(bytes.NewReader(output))
	for line := 1; scanner.Scan(); line++ {
		words := strings.Fields(scanner.Text())
		if value(words, "-A") != "OUTPUT" || value(words, "-j") != "NETMAP" {
			continue
		}
		from, err := netip.ParsePrefix(value(words, "-d"))
		if err != nil {
			return nil, fmt.Errorf("line %d: a NETMAP rule without destination: %q", line, scanner.Text())
		}
		to, err := netip.ParsePrefix(value(words, "--to"))
		if err != nil {
			return nil, fmt.Errorf("line %d: a NETMAP rule without a range to map to: %q", line, scanner.Text())
		}
		rule := route.Map{From: from, To: to}
		if err := rule.Validate(); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		maps = append(maps, rule)
	}
	return maps, scanner.Err()
}

// value returns the word after an option.
func value(words []string, option string) string {
	for i := range len(words) - 1 {
		if words[i] == option {
			return words[i+1]
		}
	}
	return ""
}
