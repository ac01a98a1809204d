// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package redact removes secrets from text, so that logs and objects can be shown to others. It rather removes too much than too little.
package redact

import (
	"regexp"
	"slices"
	"strings"
)

// Removed is in the place of what was removed.
const Removed = "REMOVED"

// rule removes one form of secrets.
type rule struct {
	// hints are parts in lower case, one of which is in every text with the form: looking for them is hundreds of times faster than the pattern.
	hints   []string
	pattern *regexp.Regexp
	// replace gets the whole match and its groups.
	replace func(groups []string) string
}

// Redactor removes secrets. It is safe for concurrent use.
type Redactor struct {
	// spanning rules see the text as a whole, the others each line, with those below that belong to it.
	spanning, lines []rule
}

const (
	// secretKey is the end of the name of a field, variable or flag that holds a secret. Its parts are in secretHints.
	secretKey = `(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key(?:[_-]?id)?|private[_-]?key|key[_-]?data|` +
		`\btls\.key|credentials?|\b_?auth|dockerconfigjson|dockercfg|\bcookie)`
	// value ends with the line: nothing of a line can hide what is in the next one.
	value = `("(?:[^"\\\n]|\\.)*"?|\\+"[^"\\\n]*|'[^'\n]*'?|[^\s,;&}\]"']+)`
	// block is a text below its key in YAML, also when the YAML is in a string.
	block = `[|>][-+0-9]*[ \t]*(?:(?:\n|\\n)[ \t]+[^\n\\]*)+`
)

// secretHints are parts of all that secretKey matches.
func secretHints() []string {
	return []string{"passw", "passphrase", "secret", "token", "key", "credential", "auth", "docker", "cookie"}
}

// New returns a redactor. Fields come before what spans lines, which could take the name of a field for a value.
func New() *Redactor {
	whole := func([]string) string { return Removed }
	first := func(groups []string) string { return groups[1] + Removed }
	return &Redactor{
		spanning: []rule{
			{[]string{"private key"}, regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)`), whole},
			// Of a key whose beginning was cut off, only the rest is there.
			{[]string{"private key"}, regexp.MustCompile(`\A[A-Za-z0-9+/=\s]*-----END [A-Z0-9 ]*PRIVATE KEY-----`), whole},
		},
		lines: []rule{
			{[]string{"ls0tls1crudjti"}, regexp.MustCompile(`LS0tLS1CRUdJTi[A-Za-z0-9+/=_-]*`), whole},
			{[]string{"authorization"}, regexp.MustCompile(`(?i)(authorization\\*["']?[ \t]*[:=][ \t]*\[?\\*["']?)[^\n"'\]\\]+`), first},
			{[]string{"bearer"}, regexp.MustCompile(`(?i)(\bbearer[ \t]+)[A-Za-z0-9+/=._~-]+`), first},
			{[]string{"eyj"}, regexp.MustCompile(`eyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*){2,4}`), whole},
			{secretHints(), regexp.MustCompile(`(?i)(` + secretKey + `\\*["']?[ \t]*[:=][ \t]*)` + block), first},
			{secretHints(), regexp.MustCompile(`(?i)(` + secretKey + `\\*["']?[ \t]*[:=][ \t]*)` + value), field},
			{secretHints(), regexp.MustCompile(`(?i)(--?[a-z0-9-]*` + secretKey + `(?:[ \t]+|",\s*"))[^\s"']+`), first},
			{secretHints(), regexp.MustCompile(`(?i)("?name"?:\s*"?[^"\n]*` + secretKey + `"?,?\s*"?value"?:\s*)` + value), quoted},
			{[]string{"://"}, regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^\s"'<>]*)@`), userinfo},
			// A bootstrap token. What follows a hyphen is the name of an Event: that of a pod, and the time in hexadecimal.
			{[]string{"."}, regexp.MustCompile(`(^|[^a-z0-9.-])[a-z0-9]{6}\.[a-z0-9]{16}\b`), first},
		},
	}
}

// Text returns a text without its secrets.
func (r *Redactor) Text(text string) string {
	text = apply(r.spanning, text)
	var b strings.Builder
	b.Grow(len(text))
	for text != "" {
		end := paragraph(text)
		b.WriteString(apply(r.lines, text[:end]))
		text = text[end:]
	}
	return b.String()
}

// paragraph returns where the first lines of a text end that belong together: a key with the block below it, a name with its value in the
// next line, a list of strings.
func paragraph(text string) int {
	goesOn, inBlock := true, false
	for end := 0; end < len(text); {
		next := end + lineEnd(text[end:])
		inBlock = inBlock && (text[end] == ' ' || text[end] == '\t')
		if !goesOn && !inBlock {
			return end
		}
		line := strings.TrimRight(text[end:next], " \t\r\n")
		goesOn = strings.Contains(line, "name") || strings.HasSuffix(line, `",`)
		header := strings.TrimRight(line, "-+0123456789")
		inBlock = inBlock || strings.HasSuffix(header, "|") || strings.HasSuffix(header, ">")
		end = next
	}
	return len(text)
}

func lineEnd(text string) int {
	if at := strings.IndexByte(text, '\n'); at >= 0 {
		return at + 1
	}
	return len(text)
}

func apply(rules []rule, text string) string {
	lower := strings.ToLower(text)
	for _, rule := range rules {
		if slices.ContainsFunc(rule.hints, func(hint string) bool { return strings.Contains(lower, hint) }) {
			text = replaceAll(rule, text)
		}
	}
	return text
}

func replaceAll(r rule, text string) string {
	var b strings.Builder
	end := 0
	for _, at := range r.pattern.FindAllStringSubmatchIndex(text, -1) {
		groups := make([]string, len(at)/2)
		for i := range groups {
			if at[2*i] >= 0 {
				groups[i] = text[at[2*i]:at[2*i+1]]
			}
		}
		b.WriteString(text[end:at[0]])
		b.WriteString(r.replace(groups))
		end = at[1]
	}
	b.WriteString(text[end:])
	return b.String()
}

// field keeps what can be no secret, because objects have fields such as automountServiceAccountToken.
func field(groups []string) string {
	switch strings.Trim(groups[2], `\"'`) {
	case "", "true", "false", "null", "{", "[", "{}", "[]", Removed:
		return groups[0]
	}
	return quoted(groups)
}

// quoted keeps the quotes of a value, so that JSON stays JSON.
func quoted(groups []string) string {
	start := len(groups[2]) - len(strings.TrimLeft(groups[2], `\"'`))
	tail := ""
	if last := groups[2][len(groups[2])-1:]; len(groups[2]) > 1 && strings.ContainsAny(last, `"'`) {
		tail = last
	}
	return groups[1] + groups[2][:min(start, 2)] + Removed + tail
}

// userinfo tells a user and password from the port and path before the digest of an image.
func userinfo(groups []string) string {
	before, _, hasSlash := strings.Cut(groups[2], "/")
	_, port, hasColon := strings.Cut(before, ":")
	if hasSlash && (!hasColon || strings.Trim(port, "0123456789") == "") {
		return groups[0]
	}
	return groups[1] + Removed + "@"
}
