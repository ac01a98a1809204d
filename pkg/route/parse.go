// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route

import (
	"bytes"
	"fmt"
	"io"
	"net/netip"
)

// Parse reads routes as `ip route`, `ip -6 route` or `ip route show table all` print them, with or without -j (JSON), -o and -d. Which
// of them it is shows in the text; outputs may follow one another, of both families too. Routes come in the order of the input,
// with their types, tables and names as NewTable wants them.
//
// A line that says "default" takes its family from the rest of the line, or from the other lines. Routes that
// depend on more than the destination ("from") are refused, as a table of destinations would be wrong about them.
//
// Errors are *ParseError with the line, *LimitError for more than 64 MiB, 1 MiB in a line or 1048576 routes and next hops,
// ErrNoRoute, or what the reader returned.
func Parse(r io.Reader) ([]Route, error) { return parse(r, parseLimits()) }

func parse(r io.Reader, bounds limits) ([]Route, error) {
	data, err := io.ReadAll(io.LimitReader(&progressReader{reader: r}, int64(bounds.input)+1))
	if err != nil {
		return nil, fmt.Errorf("reading routes: %w", err)
	}
	if len(data) > bounds.input {
		return nil, &LimitError{What: "size", Limit: bounds.input, Unit: "bytes"}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	list := entryList{limits: bounds}
	if looksLikeJSON(data) {
		err = list.readJSON(data)
	} else {
		err = list.readText(string(data))
	}
	if err != nil {
		return nil, err
	}
	return list.routes()
}

// progressReader gives up on a reader that returns nothing again and again.
type progressReader struct {
	reader io.Reader
	empty  int
}

// Read implements io.Reader.
func (p *progressReader) Read(buffer []byte) (int, error) {
	n, err := p.reader.Read(buffer)
	if n > 0 {
		p.empty = 0
	} else if p.empty++; p.empty > maxEmptyReads && err == nil {
		err = io.ErrNoProgress
	}
	return n, err
}

// looksLikeJSON asks for the beginning of an array of objects: some prompts begin with a bracket too.
func looksLikeJSON(data []byte) bool {
	array, ok := bytes.CutPrefix(bytes.TrimSpace(data), []byte("["))
	if !ok {
		return false
	}
	array = bytes.TrimSpace(array)
	return len(array) == 0 || array[0] == '{' || array[0] == ']'
}

// family of addresses: 4, 6, or 0 when unknown.
type family uint8

const (
	family4 family = 4
	family6 family = 6
)

func familyOf(address netip.Addr) family {
	switch {
	case address.Is4():
		return family4
	case address.Is6():
		return family6
	default:
		return 0
	}
}

func (f family) String() string { return fmt.Sprintf("IPv%d", uint8(f)) }

// entryList is what was read so far.
type entryList struct {
	limits  limits
	entries []*entry
	// count of routes and next hops.
	count int
}

// grow counts a route or a next hop.
func (l *entryList) grow(line int) error {
	if l.count++; l.count > l.limits.routes {
		return &LimitError{What: "number of routes and next hops", Limit: l.limits.routes, Unit: "of them", Line: line}
	}
	return nil
}

// routes settles the family of each route and returns them.
func (l *entryList) routes() ([]Route, error) {
	if len(l.entries) == 0 {
		return nil, ErrNoRoute
	}
	var sees4, sees6 bool
	allShowPreference := true
	for _, e := range l.entries {
		if err := e.settle(); err != nil {
			return nil, err
		}
		sees4 = sees4 || e.family == family4
		sees6 = sees6 || e.family == family6
		allShowPreference = allShowPreference && (e.family != family6 || e.preference)
	}
	open := family4
	switch {
	case sees6 && !sees4:
		open = family6
	case sees6 && !allShowPreference:
		open = 0
	}
	routes := make([]Route, 0, len(l.entries))
	for _, e := range l.entries {
		if err := e.finish(open); err != nil {
			return nil, err
		}
		routes = append(routes, e.route)
	}
	return routes, nil
}

// settle derives the family of a route from what it says.
func (e *entry) settle() error {
	if e.destination != 0 {
		e.family = e.destination
		return nil
	}
	if e.shown[family4] && e.shown[family6] {
		return e.errorf("it has marks of both families; write 0.0.0.0/0 or ::/0 instead of default")
	}
	switch {
	case e.shown[family4]:
		e.family = family4
	case e.shown[family6]:
		e.family = family6
	case e.route.Source.IsValid():
		e.family = familyOf(e.route.Source)
	default:
		for _, hop := range e.route.hops() {
			if e.family == 0 {
				e.family = familyOf(hop.Gateway)
			}
		}
		if e.family == 0 {
			e.family = familyOf(e.route.Gateway)
		}
	}
	return nil
}

// finish gives a default route without a family the one that is left open, and checks that the addresses go together. When
// every IPv6 line shows a preference, as the `ip` of today prints it, a line without any is IPv4.
func (e *entry) finish(open family) error {
	if e.family == 0 {
		e.family = open
	}
	switch {
	case e.family == 0:
		return e.errorf("the input has routes of both families, and this one can be of either; write 0.0.0.0/0 or ::/0 instead of default, " +
			"or give the families one at a time")
	case e.destination == 0 && e.family == family4:
		e.route.Destination = netip.PrefixFrom(netip.IPv4Unspecified(), 0)
	case e.destination == 0:
		e.route.Destination = netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	}
	if source := familyOf(e.route.Source); source != 0 && source != e.family {
		return e.errorf("the route is %v and its source %v", e.family, source)
	}
	gateways := append([]netip.Addr{e.route.Gateway}, gatewaysOf(e.route.NextHops)...)
	for _, gateway := range gateways {
		if e.family == family6 && gateway.Is4() {
			return e.errorf("an IPv6 route can't have the IPv4 gateway %v", gateway)
		}
	}
	return nil
}

func gatewaysOf(hops []NextHop) []netip.Addr {
	gateways := make([]netip.Addr, 0, len(hops))
	for _, hop := range hops {
		gateways = append(gateways, hop.Gateway)
	}
	return gateways
}
