// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package corefile

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word with its place in the text.
type token struct {
	// text without quotes.
	text       string
	start, end int
	// line where it begins, and where it ends: quotes may hold line breaks.
	line, lastLine int
}

// lex splits a text as CoreDNS does: words stand between blanks, quotes hold blanks, a word that begins with # begins a comment.
func lex(text string) []token {
	l := &lexer{text: text, line: 1}
	for l.skip() {
		l.word()
	}
	return l.tokens
}

type lexer struct {
	text   string
	place  int
	line   int
	tokens []token
}

// skip goes to the next word; false at the end.
func (l *lexer) skip() bool {
	for l.place < len(l.text) {
		char, size := utf8.DecodeRuneInString(l.text[l.place:])
		switch {
		case char == '#':
			end := strings.IndexByte(l.text[l.place:], '\n')
			if end < 0 {
				l.place = len(l.text)
				return false
			}
			l.place += end
		case unicode.IsSpace(char):
			if char == '\n' {
				l.line++
			}
			l.place += size
		default:
			return true
		}
	}
	return false
}

func (l *lexer) word() {
	t := token{start: l.place, line: l.line}
	var b strings.Builder
	if l.text[l.place] == '"' {
		l.quoted(&b)
	} else {
		for l.place < len(l.text) {
			char, size := utf8.DecodeRuneInString(l.text[l.place:])
			if unicode.IsSpace(char) {
				break
			}
			b.WriteString(l.text[l.place : l.place+size])
			l.place += size
		}
	}
	t.text, t.end, t.lastLine = b.String(), l.place, l.line
	l.tokens = append(l.tokens, t)
}

// quoted reads up to the closing quote, or to the end of the text. A backslash keeps a quote from closing.
func (l *lexer) quoted(b *strings.Builder) {
	for l.place++; l.place < len(l.text); l.place++ {
		switch char := l.text[l.place]; {
		case char == '\\' && l.place+1 < len(l.text):
			l.place++
			if l.text[l.place] != '"' {
				b.WriteByte(char)
			}
			l.literal(b)
		case char == '"':
			l.place++
			return
		default:
			l.literal(b)
		}
	}
}

// literal takes a byte as it is.
func (l *lexer) literal(b *strings.Builder) {
	if l.text[l.place] == '\n' {
		l.line++
	}
	b.WriteByte(l.text[l.place])
}
