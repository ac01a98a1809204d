// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// entry is a route while it is read.
type entry struct {
	route Route
	line  int
	text  string
	// destination is the family that the destination shows; 0 for "default".
	destination family
	// family that was settled on.
	family family
	// shown are families of which the line has a mark beside addresses.
	shown [family6 + 1]bool
	// preference says that the line has a router preference, a mark of IPv6.
	preference bool
	// seen attributes, of the route or of its last next hop.
	seen []string
}

// errorf returns an error about the line.
func (e *entry) errorf(format string, args ...any) error {
	return &ParseError{Line: e.line, Text: e.text, Reason: fmt.Sprintf(format, args...)}
}

// once refuses an attribute that is there twice.
func (e *entry) once(name string) error {
	if slices.Contains(e.seen, name) {
		return e.errorf("it has %s twice", quote(name))
	}
	e.seen = append(e.seen, name)
	return nil
}

// parseType returns the type of a name, or of a number as `ip -N` prints it.
func parseType(name string) (Type, bool) {
	types := [...]Type{
		TypeUnicast, TypeLocal, TypeBroadcast, TypeAnycast, TypeMulticast, TypeBlackhole, TypeUnreachable, TypeProhibit, TypeThrow,
	}
	for i, kind := range types {
		if name == string(kind) || name == strconv.Itoa(i+1) {
			return kind, true
		}
	}
	return "", false
}

func (e *entry) setType(name string) error {
	kind, ok := parseType(name)
	if !ok {
		return e.errorf("%s is no type of route", quote(name))
	}
	if kind != TypeUnicast {
		e.route.Type = kind
	}
	return nil
}

func (e *entry) setDestination(text string) error {
	if text == "default" {
		return nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		address, err := netip.ParseAddr(text)
		if err != nil || address.Zone() != "" {
			return e.errorf("%s is no destination%s", quote(text), promptHint(e.text))
		}
		prefix = netip.PrefixFrom(address, address.BitLen())
	}
	if prefix != prefix.Masked() {
		return e.errorf("the destination %s has host bits; the network is %v", quote(text), prefix.Masked())
	}
	e.route.Destination, e.destination = prefix, familyOf(prefix.Addr())
	return nil
}

// promptHint recognises a command line that was copied together with what it printed.
func promptHint(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), "```") {
		return ": this is the fence around a quotation, and only the lines of the table belong here"
	}
	words := strings.Fields(line)
	for i, word := range words {
		last := word[len(word)-1]
		prompt := i < 3 && strings.IndexByte("$#%>", last) >= 0
		command := i+1 < len(words) && (word == "ip" || strings.HasSuffix(word, "/ip")) && strings.IndexByte("-r", words[i+1][0]) >= 0
		if prompt || command {
			return ": this looks like a prompt or a command, and only the lines of the table belong here"
		}
	}
	return ""
}

// address parses an address without zone.
func (e *entry) address(name, text string) (netip.Addr, error) {
	address, err := netip.ParseAddr(text)
	if err != nil || address.Zone() != "" {
		return netip.Addr{}, e.errorf("%s after %s is no address", quote(text), name)
	}
	return address, nil
}

// setGateway takes the family as `ip` prints it when it differs from the destination's: inet6, inet, or empty.
func (e *entry) setGateway(target *netip.Addr, via, text string) error {
	address, err := e.address("via", text)
	if err != nil {
		return err
	}
	switch {
	case via == "inet6" && address.Is6():
		e.shown[family4] = true
	case via != "" && (via != "inet" || !address.Is4()):
		return e.errorf("the gateway %v is not of the family %s", address, quote(via))
	}
	*target = address
	return nil
}

// setDevice takes what the kernel takes for a name of a device, without characters that can't be shown.
func (e *entry) setDevice(target *string, name string) error {
	bad := func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar || strings.ContainsRune(`/:\`, r)
	}
	if name == "" || len(name) > maxDevice || name == "." || name == ".." || strings.ContainsFunc(name, bad) {
		return e.errorf("%s can't be the name of a network device", quote(name))
	}
	*target = name
	return nil
}

func (e *entry) setSource(text string) (err error) {
	e.route.Source, err = e.address("src", text)
	return err
}

// number parses a decimal number of up to as many bits.
func (e *entry) number(name, text string, bits int) (uint64, error) {
	number, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return 0, e.errorf("%s after %s is no number of %d bits", quote(text), name, bits)
	}
	return number, nil
}

func (e *entry) setMetric(text string) error {
	metric, err := e.number("metric", text, 32)
	e.route.Metric = uint32(metric) //nolint:gosec // it was parsed with that size
	return err
}

// setWord takes a name without spaces, such as that of a table.
func (e *entry) setWord(target *string, name, text string) error {
	bad := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar }
	if text == "" || len(text) > maxQuote || strings.ContainsFunc(text, bad) {
		return e.errorf("%s can't come after %s", quote(text), name)
	}
	*target = text
	return nil
}

func (e *entry) setTable(text string) error {
	err := e.setWord(&e.route.Table, "table", text)
	e.route.Table = tableName(e.route.Table)
	return err
}

func (e *entry) setTOS(text string) error {
	err := e.setWord(&e.route.TOS, "tos", text)
	if plainTOS(e.route.TOS) {
		e.route.TOS = ""
	}
	return err
}

// setPreference keeps what differs from the usual one.
func (e *entry) setPreference(text string) {
	e.shown[family6], e.preference = true, true
	if text == "high" || text == "low" {
		e.route.Preference = text
	}
}

// setScope takes a scope other than the widest as a mark of IPv4: IPv6 routes have no other.
func (e *entry) setScope(text string) {
	if text != "global" {
		e.shown[family4] = true
	}
}

// setFlag takes a flag of the route, or of its last next hop, and says whether it knows it.
func (e *entry) setFlag(name string) bool {
	onLink, linkDown, dead := &e.route.OnLink, &e.route.LinkDown, &e.route.Dead
	if last := len(e.route.NextHops) - 1; last >= 0 {
		hop := &e.route.NextHops[last]
		onLink, linkDown, dead = &hop.OnLink, &hop.LinkDown, &hop.Dead
	}
	switch name {
	case "onlink":
		*onLink = true
	case "linkdown":
		*linkDown = true
	case "dead":
		*dead = true
	case "pervasive", "offload", "offload_failed", "trap", "rt_offload", "rt_offload_failed", "rt_trap", "notify", "unresolved":
	default:
		return false
	}
	return true
}
