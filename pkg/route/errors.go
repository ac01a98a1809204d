// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

const (
	// maxQuote bounds what an error quotes of a line, in bytes.
	maxQuote = 80
	// maxEmptyReads bounds how often in a row a reader may return nothing without an error.
	maxEmptyReads = 100
	// maxDevice is the kernel's bound on the name of a device, in bytes.
	maxDevice = 15
)

// limits of what is read.
type limits struct {
	// input as a whole, in bytes.
	input int
	// line of text, or JSON object of a route, in bytes.
	line int
	// routes and next hops together.
	routes int
}

// parseLimits are those of Parse. A full table of the Internet, a million routes, is about as large.
func parseLimits() limits { return limits{input: 64 << 20, line: 1 << 20, routes: 1 << 20} }

// ErrNoRoute is returned for an input without any route.
var ErrNoRoute = errors.New("no route in it: give what `ip route` or `ip -j route` prints in the network namespace of the client")

// ParseError says which line is no route.
type ParseError struct {
	// Line counts from 1.
	Line int
	// Text is the line, or the JSON around the error, as it was read.
	Text string
	// Reason is a part of a sentence.
	Reason string
}

// Error implements error.
func (e *ParseError) Error() string {
	return fmt.Sprintf("routes, line %d: %s: %s; want only lines of `ip route` such as \"10.3.0.0/16 via 192.168.123.194 dev bond0\", "+
		"or all of `ip -j route`", e.Line, quote(e.Text), e.Reason)
}

// quote quotes the beginning of a text, so that it can be shown in a terminal whatever is in it.
func quote(text string) string {
	if len(text) <= maxQuote {
		return strconv.Quote(text)
	}
	end := maxQuote
	for end > maxQuote-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return strconv.Quote(text[:end]) + " and so on"
}

// LimitError says that an input is larger than any routing table that makes sense here.
type LimitError struct {
	// What is bounded, such as "size".
	What string
	// Limit in Unit.
	Limit int
	Unit  string
	// Line at which the limit was passed; 0 for the input as a whole.
	Line int
}

// Error implements error.
func (e *LimitError) Error() string {
	where := ""
	if e.Line > 0 {
		where = fmt.Sprintf(", line %d", e.Line)
	}
	return fmt.Sprintf("routes%s: the %s is over the limit of %d %s: give the routing table of one network namespace", where, e.What, e.Limit, e.Unit)
}
