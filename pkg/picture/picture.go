// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package picture has what all pictures share: the sizes of letters, text broken into lines, and colours for light and dark.
package picture

import (
	"html/template"
	"slices"
	"strings"
)

// Sizes in pixels. The letters are those of a monospaced font, so that the width of a text is known: LetterWidth is a little more
// than the widest of the usual fonts has at TextSize.
const (
	TextSize    = 13
	LetterWidth = 8
	LineHeight  = 20
)

// Font is the list of monospaced fonts.
const Font = "ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace"

// Style colours the ground and texts. In dark the same names have other values, which hold the contrast.
const Style template.CSS = `.ground { fill: #ffffff }
    text { fill: #1f2328; white-space: pre } .strong { font-weight: 600 } .small { fill: #57606a } .red { fill: #cf222e } .green { fill: #1a7f37 }
    .middle { text-anchor: middle }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117 }
      text { fill: #e6edf3 } .small { fill: #a8b1bb } .red { fill: #ff7b72 } .green { fill: #56d364 }
    }`

// Sheet gives templates what all pictures share.
type Sheet struct{}

// Style of ground and texts.
func (Sheet) Style() template.CSS { return Style }

// Font of all texts.
func (Sheet) Font() string { return Font }

// TextSize of all texts, in pixels.
func (Sheet) TextSize() int { return TextSize }

// Note is a line of text whose base line begins at a point.
type Note struct {
	X, Y  int
	Class string
	Text  string
}

// End is the place where the last letter ends.
func (n Note) End() int { return n.X + len([]rune(n.Text))*LetterWidth }

// Wrap breaks a text into lines of at most so many letters, at spaces; a longer word stays whole.
func Wrap(text string, letters int) []string {
	var lines []string
	current := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case current == "":
			current = word
		case len([]rune(current))+1+len([]rune(word)) <= letters:
			current += " " + word
		default:
			lines = append(lines, current)
			current = word
		}
	}
	return append(lines, current)
}

// WrapHard is Wrap for texts with addresses and names: a word that is longer than a line goes on below.
func WrapHard(text string, letters int) []string {
	var lines []string
	for _, words := range Wrap(text, letters) {
		if words == "" {
			lines = append(lines, "")
		}
		for part := range slices.Chunk([]rune(words), letters) {
			lines = append(lines, string(part))
		}
	}
	return lines
}
