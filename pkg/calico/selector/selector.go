// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package selector checks expressions of Calico's selector language, as written in nodeSelector, namespaceSelector and policies.
// Calico's v1 objects accept anything; calico-node then ignores, or fails on, what it can't parse. What is accepted here is what the
// tokenizer and parser of Calico v3.32 (libcalico-go/lib/selector) accept, but for the bound on nesting.
package selector

import (
	"fmt"
	"strings"
)

const (
	// maxDepth bounds nesting, so that no expression can exhaust the stack.
	maxDepth = 100
	// maxLabel is Calico's bound on the name of a label, in bytes.
	maxLabel = 512
)

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

// Validate returns an *Error when the expression does not parse. The empty expression is valid: it selects everything. More than 100
// nested parentheses and negations are refused.
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

// space skips blanks and tabs. Calico takes no line breaks between tokens, so a selector folded over lines in YAML is refused.
func (p *parser) space() {
	for !p.end() && strings.IndexByte(" \t", p.text[p.offset]) >= 0 {
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
	// The parenthesis belongs to the token: "all ()" is no selector, and "all" without it is a label like any other.
	if p.take("all(") || p.take("global(") {
		return p.closing()
	}
	if p.take("has(") {
		return p.label() && p.closing()
	}
	return p.label() && p.comparison()
}

func (p *parser) closing() bool {
	if p.take(")") {
		return true
	}
	return p.fail("a closing parenthesis")
}

// comparison is what follows a label. Blanks within and after the operators are optional, as in Calico: "notin", "startswith".
func (p *parser) comparison() bool {
	switch {
	case p.take("=="), p.take("!="), p.take("contains"):
		return p.literal()
	case p.take("not"):
		return (p.take("in") || p.fail("in")) && p.set()
	case p.take("in"):
		return p.set()
	case p.take("starts"), p.take("ends"):
		return (p.take("with") || p.fail("with")) && p.literal()
	}
	return p.fail("a comparison such as ==, !=, in, not in, contains, starts with or ends with")
}

// set may be empty and may end in a comma.
func (p *parser) set() bool {
	if !p.take("{") {
		return p.fail("a set such as {'a', 'b'}")
	}
	for !p.take("}") {
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
	return true
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
	if p.offset-start > maxLabel {
		p.offset = start
		return p.fail(fmt.Sprintf("a label name of at most %d bytes", maxLabel))
	}
	return true
}

func isLabelByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("_./-", b) >= 0
}
