// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"path"
	"strings"
)

// tail keeps the end of what is written to it.
type tail struct {
	limit int
	data  []byte
	cut   int
}

// Write implements io.Writer. It moves the end to the front rarely, so that writing stays cheap.
func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if len(t.data) > 2*t.limit {
		t.shorten()
	}
	return len(p), nil
}

func (t *tail) shorten() {
	if over := len(t.data) - t.limit; over > 0 {
		t.data, t.cut = append(t.data[:0], t.data[over:]...), t.cut+over
	}
}

// text returns whole lines: half of a secret would not be known as one.
func (t *tail) text() string {
	t.shorten()
	text := string(t.data)
	if t.cut == 0 {
		return text
	}
	first, rest, found := strings.Cut(text, "\n")
	if !found {
		t.cut += len(text)
		return ""
	}
	t.cut += len(first) + 1
	return rest
}

// Sanitize returns a relative path without elements that lead elsewhere, and with no characters that some file system can't have.
func Sanitize(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_./", r):
			return r
		}
		return '_'
	}, name)
	clean = strings.TrimPrefix(path.Clean("/"+clean), "/")
	if clean == "" {
		return "file"
	}
	return clean
}
