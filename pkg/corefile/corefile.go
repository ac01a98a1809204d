// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package corefile edits the configuration of CoreDNS by its structure: what is not touched stays byte by byte, comments and order too.
// It is pure.
package corefile

import (
	"fmt"
	"slices"
	"strings"
)

// SyntaxError says that a Corefile can't be read.
type SyntaxError struct {
	Line   int
	Reason string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d of the Corefile: %s", e.Line, e.Reason)
}

// node is a server block, a plugin, or a line in the block of a plugin.
type node struct {
	// words are the keys of a server block; the name and the arguments of a plugin.
	words []token
	// children of a block in braces; hasBlock says whether there is one.
	children []node
	hasBlock bool
	// open is the place behind the opening brace, and closing that of the closing one.
	open, closing int
	// end is the place behind everything.
	end int
}

func (n node) name() string { return n.words[0].text }

func (n node) start() int { return n.words[0].start }

// named returns the children of a name.
func (n node) named(name string) []node {
	return slices.Collect(func(yield func(node) bool) {
		for _, child := range n.children {
			if child.name() == name && !yield(child) {
				return
			}
		}
	})
}

// parse reads all server blocks and snippets.
func parse(text string) ([]node, error) {
	p := &parser{tokens: lex(text)}
	var nodes []node
	for p.more() {
		one, err := p.server()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, one)
	}
	return nodes, nil
}

type parser struct {
	tokens []token
	next   int
}

func (p *parser) more() bool { return p.next < len(p.tokens) }

func (p *parser) take() token {
	p.next++
	return p.tokens[p.next-1]
}

// server reads keys, which may stand on several lines, and the block behind them.
func (p *parser) server() (node, error) {
	var n node
	for p.more() {
		switch word := p.take(); {
		case word.text == "}", word.text == "{" && len(n.words) == 0:
			return node{}, &SyntaxError{word.line, "there is a " + word.text + " where a server block should begin"}
		case word.text == "{":
			err := p.block(&n, word)
			return n, err
		default:
			n.words = append(n.words, word)
		}
	}
	return node{}, &SyntaxError{n.words[0].line, "a server block without braces can't be edited"}
}

// block reads what is in braces; the opening one has been read.
func (p *parser) block(n *node, brace token) error {
	n.hasBlock, n.open = true, brace.end
	for p.more() {
		if word := p.tokens[p.next]; word.text == "}" {
			p.next++
			n.closing, n.end = word.start, word.end
			return nil
		}
		child, err := p.line()
		if err != nil {
			return err
		}
		n.children = append(n.children, child)
	}
	return &SyntaxError{brace.line, "this { has no }"}
}

// line reads a name, what stands behind it on the line, and a block if one begins there.
func (p *parser) line() (node, error) {
	first := p.take()
	if first.text == "{" {
		return node{}, &SyntaxError{first.line, "there is a { where a name should be"}
	}
	n := node{words: []token{first}, end: first.end}
	for p.more() {
		word := p.tokens[p.next]
		if word.text == "}" || word.line != p.tokens[p.next-1].lastLine {
			return n, nil
		}
		p.next++
		if word.text == "{" {
			err := p.block(&n, word)
			return n, err
		}
		n.words, n.end = append(n.words, word), word.end
	}
	return n, nil
}

// edit is a piece of text in place of what stands between two places.
type edit struct {
	start, end int
	text       string
}

// apply makes edits that don't overlap.
func apply(text string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return b.start - a.start })
	for _, e := range edits {
		text = text[:e.start] + e.text + text[e.end:]
	}
	return text
}

// lineStart returns the place where the line of a place begins, if nothing but blanks stands before it there.
func lineStart(text string, place int) (start int, alone bool) {
	start = strings.LastIndexByte(text[:place], '\n') + 1
	return start, strings.TrimLeft(text[start:place], " \t") == ""
}
