// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route

import (
	"slices"
	"strings"
)

// readText reads lines as `ip route` prints them.
func (l *entryList) readText(text string) error {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if len(line) > l.limits.line {
			return &LimitError{What: "length of a line", Limit: l.limits.line, Unit: "bytes", Line: number}
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if err := l.readLine(number, line, words); err != nil {
			return err
		}
	}
	return nil
}

// readLine reads a route, or next hops of the route before it.
func (l *entryList) readLine(number int, line string, words []string) error {
	p := &lineParser{entry: &entry{line: number, text: line}, list: l, words: words}
	if words[0] == "nexthop" {
		if len(l.entries) == 0 {
			return p.entry.errorf("a next hop without a route before it")
		}
		// Errors are about this line, while the route stays that of the line before.
		owner := l.entries[len(l.entries)-1]
		ownerLine, ownerText := owner.line, owner.text
		p.entry, owner.line, owner.text = owner, number, line
		err := p.attributes()
		owner.line, owner.text = ownerLine, ownerText
		return err
	}
	if err := l.grow(number); err != nil {
		return err
	}
	l.entries = append(l.entries, p.entry)
	first := p.next()
	if _, ok := parseType(first); ok {
		if err := p.entry.setType(first); err != nil {
			return err
		}
		if first = p.next(); first == "" {
			return p.entry.errorf("it ends before its destination")
		}
	}
	if err := p.entry.setDestination(first); err != nil {
		return err
	}
	return p.attributes()
}

// lineParser goes over the words of a line.
type lineParser struct {
	entry *entry
	list  *entryList
	words []string
}

// next returns the next word, and the empty string at the end.
func (p *lineParser) next() string {
	if len(p.words) == 0 {
		return ""
	}
	word := p.words[0]
	p.words = p.words[1:]
	return word
}

// value returns the word after an attribute's name.
func (p *lineParser) value(name string) (string, error) {
	value := p.next()
	if value == "" {
		return "", p.entry.errorf("it ends after %s, where a value has to follow", name)
	}
	return value, nil
}

// attributes reads the words after the destination.
func (p *lineParser) attributes() error {
	for name := p.next(); name != ""; name = p.next() {
		switch {
		case name == "nexthop":
			if err := p.list.grow(p.entry.line); err != nil {
				return err
			}
			p.entry.route.NextHops = append(p.entry.route.NextHops, NextHop{})
			p.entry.seen = slices.DeleteFunc(p.entry.seen, ofNextHop)
		case name == `\` && len(p.words) > 0 && p.words[0] == "nexthop":
			// `ip -o` writes this instead of a line break.
		case name == "features":
			p.features()
		case name == "from":
			return p.entry.errorf("routes that depend on the source of a packet (from) are not supported; leave the line out if it does not matter")
		case p.entry.setFlag(name):
		default:
			if err := p.attribute(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofNextHop says whether an attribute belongs to a next hop rather than to the route.
func ofNextHop(name string) bool { return name == "via" || name == "dev" || name == "weight" }

// ignoredValues are the attributes that `ip route` prints with one value, and that have no part in choosing a route: where it comes from,
// what connections over it are like, and counters.
func ignoredValues() []string {
	return []string{
		"proto", "nhid", "realm", "realms", "expires", "error", "users", "used", "age", "ttl-propagate", "uid",
		"mtu", "advmss", "window", "rtt", "rttvar", "rto_min", "ssthresh", "cwnd", "initcwnd", "initrwnd", "reordering",
		"hoplimit", "quickack", "congctl", "fastopen_no_cookie",
	}
}

// attribute reads an attribute with a value.
func (p *lineParser) attribute(name string) error {
	ignored := slices.Contains(ignoredValues(), name)
	if !ignored && !ofNextHop(name) && !slices.Contains([]string{"src", "metric", "table", "tos", "dsfield", "pref", "scope"}, name) {
		return p.entry.errorf("unknown attribute %s%s", quote(name), promptHint(p.entry.text))
	}
	if err := p.entry.once(name); err != nil && !ignored {
		return err
	}
	value, err := p.value(name)
	if err != nil {
		return err
	}
	if ignored {
		if value == "lock" { // a metric that path discovery may not change: mtu lock 1400
			_, err = p.value(name)
		}
		return err
	}
	if ofNextHop(name) {
		return p.hopAttribute(name, value)
	}
	return p.routeAttribute(name, value)
}

func (p *lineParser) routeAttribute(name, value string) error {
	switch name {
	case "src":
		return p.entry.setSource(value)
	case "metric":
		return p.entry.setMetric(value)
	case "table":
		return p.entry.setTable(value)
	case "tos", "dsfield":
		return p.entry.setTOS(value)
	case "pref":
		p.entry.setPreference(value)
	case "scope":
		p.entry.setScope(value)
	}
	return nil
}

// hopAttribute sets an attribute of the last next hop, or of the route when it has none.
func (p *lineParser) hopAttribute(name, value string) error {
	r := &p.entry.route
	gateway, device := &r.Gateway, &r.Device
	last := len(r.NextHops) - 1
	if last >= 0 {
		gateway, device = &r.NextHops[last].Gateway, &r.NextHops[last].Device
	}
	switch {
	case name == "via" && (value == "inet6" || value == "inet"):
		address, err := p.value("via " + value)
		if err != nil {
			return err
		}
		return p.entry.setGateway(gateway, value, address)
	case name == "via":
		return p.entry.setGateway(gateway, "", value)
	case name == "dev":
		return p.entry.setDevice(device, value)
	case last < 0:
		return p.entry.errorf("a weight without nexthop")
	default:
		weight, err := p.entry.number(name, value, 16)
		r.NextHops[last].Weight = uint16(weight) //nolint:gosec // it was parsed with that size
		return err
	}
}

// features skips the names after the word: there are any number of them.
func (p *lineParser) features() {
	for len(p.words) > 0 {
		word := p.words[0]
		if !slices.Contains([]string{"ecn", "tcp_usec_ts"}, word) && !strings.HasPrefix(word, "0x") {
			return
		}
		p.next()
	}
}
