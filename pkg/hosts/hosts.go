// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package hosts edits hosts files (see hosts(5)): what is not touched stays as it is, comments and order too. It is pure.
package hosts

import (
	"net/netip"
	"slices"
	"strings"
)

// mark is the comment behind lines that kindling writes.
const mark = "# kindling"

// Entry is a name with one of its addresses.
type Entry struct {
	Address netip.Addr
	Name    string
}

// String is the entry as a line of a hosts file.
func (e Entry) String() string { return e.Address.String() + " " + e.Name }

func (e Entry) line() string { return e.String() + " " + mark + "\n" }

// Addresses returns the addresses that a hosts file has for a name, in its order.
func Addresses(content, name string) []netip.Addr {
	var addresses []netip.Addr
	for line := range strings.Lines(content) {
		if address, names, ok := parse(line); ok && slices.Contains(names, name) {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// Set gives names the addresses of the entries, and no others.
func Set(content string, entries []Entry) string {
	var b strings.Builder
	for line := range strings.Lines(content) {
		b.WriteString(without(line, entries))
	}
	return appendLines(b.String(), entries)
}

// without returns a line without the names of entries that it gives another address, or that kindling wrote.
func without(line string, entries []Entry) string {
	address, names, ok := parse(line)
	if !ok {
		return line
	}
	kept := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(entries, func(e Entry) bool { return e.Name == name }) && !slices.Contains(entries, Entry{address, name})
	})
	switch len(kept) {
	case len(names):
		return line
	case 0:
		return ""
	default:
		return address.String() + " " + strings.Join(kept, " ") + "\n"
	}
}

// Add adds the entries that are not there, and changes nothing else.
func Add(content string, entries []Entry) string { return appendLines(content, entries) }

// Missing returns the entries that are not there.
func Missing(content string, entries []Entry) []Entry {
	var missing []Entry
	for _, entry := range entries {
		if !slices.Contains(Addresses(content, entry.Name), entry.Address) {
			missing = append(missing, entry)
		}
	}
	return missing
}

// Remove removes the lines that Add and Set wrote for entries.
func Remove(content string, entries []Entry) string {
	var b strings.Builder
	for line := range strings.Lines(content) {
		if !slices.ContainsFunc(entries, func(e Entry) bool { return strings.TrimSuffix(line, "\n")+"\n" == e.line() }) {
			b.WriteString(line)
		}
	}
	return b.String()
}

func appendLines(content string, entries []Entry) string {
	missing := Missing(content, entries)
	if len(missing) > 0 && content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	var b strings.Builder
	b.WriteString(content)
	for _, entry := range missing {
		b.WriteString(entry.line())
	}
	return b.String()
}

// parse reads a line; ok is false for one without an address and names.
func parse(line string) (address netip.Addr, names []string, ok bool) {
	text, _, _ := strings.Cut(line, "#")
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return netip.Addr{}, nil, false
	}
	address, err := netip.ParseAddr(fields[0])
	return address, fields[1:], err == nil
}
