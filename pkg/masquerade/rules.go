// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package masquerade reads and writes the rules by which packets that containers send out over IPv6 carry the address of the engine's host:
// nobody outside knows a way back to theirs.
package masquerade

import (
	"net/netip"
	"slices"
	"strings"
)

// Program that lists and changes the rules.
const Program = "ip6tables"

// comment by which people know whose rule it is.
const comment = "kindling"

// chain that all packets pass that leave the host.
const chain = "POSTROUTING"

// List returns the arguments that list the rules.
func List() []string { return []string{"--wait", "--table", "nat", "--list-rules", chain} }

// Append and Delete return the arguments that add the rule for a range, and take it away. What stays inside the range keeps its addresses.
func Append(source netip.Prefix) []string {
	return slices.Concat([]string{"--wait", "--table", "nat", "--append"}, rule(source))
}

// Delete is the contrary of Append.
func Delete(source netip.Prefix) []string {
	return slices.Concat([]string{"--wait", "--table", "nat", "--delete"}, rule(source))
}

func rule(source netip.Prefix) []string {
	return []string{
		chain, "--source", source.String(), "!", "--destination", source.String(), "--match", "comment", "--comment", comment, "--jump", "MASQUERADE",
	}
}

// Covers says whether one of the listed rules masquerades a whole range on its way out through an interface; empty where none leads out. A rule
// with a condition that is not known to let it pass does not count.
func Covers(listing string, source netip.Prefix, out string) bool {
	for line := range strings.Lines(listing) {
		if covers(strings.Fields(line), source, out) {
			return true
		}
	}
	return false
}

// Own says whether the rule of Append is listed.
func Own(listing string, source netip.Prefix) bool {
	for line := range strings.Lines(listing) {
		fields := strings.Fields(line)
		isOurs := slices.ContainsFunc(fields, func(field string) bool { return strings.Trim(field, `"`) == comment })
		if isOurs && covers(fields, source, "") {
			return true
		}
	}
	return false
}

func covers(fields []string, source netip.Prefix, out string) bool {
	var masquerades, negated bool
	for i := 0; i < len(fields); i++ {
		value := ""
		if i+1 < len(fields) {
			value = fields[i+1]
		}
		switch fields[i] {
		case "!":
			negated = true
			continue
		case "-A", "--append":
			if value != chain {
				return false
			}
		case "-s", "--source":
			prefix, err := netip.ParsePrefix(value)
			if err != nil || negated || prefix.Bits() > source.Bits() || !prefix.Contains(source.Addr()) {
				return false
			}
		case "-d", "--destination":
			// All but what stays inside.
			if prefix, err := netip.ParsePrefix(value); err != nil || !negated || prefix.Masked() != source.Masked() {
				return false
			}
		case "-o", "--out-interface":
			// The way out, or all but the network's own.
			if negated == (value == out) {
				return false
			}
		case "-m", "--match":
			if value != "comment" {
				return false
			}
		case "--comment":
		case "-j", "--jump":
			masquerades = value == "MASQUERADE"
		default:
			return false
		}
		negated = false
		i++
	}
	return masquerades
}
