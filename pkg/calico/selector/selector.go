// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package selector checks expressions of Calico's selector language, as written in nodeSelector, namespaceSelector and policies.
// Calico's v1 objects accept anything; calico-node then ignores, or fails on, what it can't parse.
package selector

import (
	"fmt"
	"strings"
)

// maxDepth bounds nesting, so that no expression can exhaust the stack.
const maxDepth = 100

// Error says where an expression is wrong.
type Error struct {
	Expression string
	// Offset in bytes.
	Offset int
	Want   string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("selector %q: want %s at offset %d", e.Expression, e.Want, e.Offset)
}

// Validate returns an *Error when the expression does not parse. The empty expression is valid: it selects everything.
func Validate(expression string) error {
	p := &parser{text: expression}
	p.space()
	if p.end() {
		return nil
	}
	if !p.or(0) {
		return &Error{expression, p.offset, p.want}
	}
	if p.space(); !p.end() {
		return &Error{expression, p.offset, "an operator or the end"}
	}
	return nil
}

// parser is a recursive descent over the text. Its methods return false when something else was wanted; want and offset then say
// what and where.
type parser struct {
	text   string
	offset int
	want   string
}

func (p *parser) end() bool { return p.offset >= len(p.text) }

func (p *parser) fail(want string) bool {
	p.want = want
	return false
}

func (p *parser) space() {
	for !p.end() && strings.IndexByte(" \t\n\r", p.text[p.offset]) >= 0 {
		p.offset++
	}
}

// take consumes a token after white space.
func (p *parser) take(token string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.offset:], token) {
		return false
	}
	p.offset += len(token)
	return true
}

// word consumes a keyword, which a letter must not follow.
func (p *parser) word(keyword string) bool {
	start := p.offset
	if p.take(keyword) && (p.end() || !isLabelByte(p.text[p.offset])) {
		return true
	}
	p.offset = start
	return false
}

func (p *parser) or(depth int) bool {
	if depth > maxDepth {
		return p.fail("fewer parentheses and negations")
	}
	for {
		if !p.and(depth) {
			return false
		}
		if !p.take("||") {
			return true
		}
	}
}

func (p *parser) and(depth int) bool {
	for {
		if !p.operation(depth) {
			return false
		}
		if !p.take("&&") {
			return true
		}
	}
}

func (p *parser) operation(depth int) bool {
	for p.take("!") {
		if depth++; depth > maxDepth {
			return p.fail("fewer parentheses and negations")
		}
	}
	if p.take("(") {
		return p.or(depth+1) && p.closing()
	}
	for _, function := range []string{"all", "global"} {
		start := p.offset
		if p.word(function) && p.take("(") {
			return p.closing()
		}
		p.offset = start
	}
	start := p.offset
	if p.word("has") && p.take("(") {
		return p.label() && p.closing()
	}
	p.offset = start
	return p.label() && p.comparison()
}

func (p *parser) closing() bool {
	if p.take(")") {
		return true
	}
	return p.fail("a closing parenthesis")
}

func (p *parser) comparison() bool {
	switch {
	case p.take("=="), p.take("!="):
		return p.literal()
	case p.word("not"):
		return (p.word("in") || p.fail("in")) && p.set()
	case p.word("in"):
		return p.set()
	case p.word("contains"):
		return p.literal()
	case p.word("starts"), p.word("ends"):
		return (p.word("with") || p.fail("with")) && p.literal()
	}
	return p.fail("a comparison such as ==, !=, in, not in, contains, starts with or ends with")
}

func (p *parser) set() bool {
	if !p.take("{") {
		return p.fail("a set such as {'a', 'b'}")
	}
	if p.take("}") {
		return true
	}
	for {
		if !p.literal() {
			return false
		}
		if p.take("}") {
			return true
		}
		if !p.take(",") {
			return p.fail("a comma or a closing brace")
		}
	}
}

func (p *parser) literal() bool {
	p.space()
	if p.end() || p.text[p.offset] != '\'' && p.text[p.offset] != '"' {
		return p.fail("a string in quotes")
	}
	length := strings.IndexByte(p.text[p.offset+1:], p.text[p.offset])
	if length < 0 {
		return p.fail("a string with a closing quote")
	}
	p.offset += length + 2
	return true
}

func (p *parser) label() bool {
	p.space()
	start := p.offset
	for !p.end() && isLabelByte(p.text[p.offset]) {
		p.offset++
	}
	if p.offset == start {
		return p.fail("a label name")
	}
	return true
}

func isLabelByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("_./-", b) >= 0
}
