// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package redact removes secrets from text, so that logs and objects can be shown to others. It rather removes too much than too little.
package redact

import (
	"regexp"
	"strings"
)

// Removed is in the place of what was removed.
const Removed = "REMOVED"

// rule removes one form of secrets.
type rule struct {
	pattern *regexp.Regexp
	// replace gets the whole match and its groups.
	replace func(groups []string) string
}

// Redactor removes secrets. It is safe for concurrent use.
type Redactor struct{ rules []rule }

const (
	// secretKey is the end of the name of a field, variable or flag that holds a secret.
	secretKey = `(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key(?:[_-]?id)?|private[_-]?key|key[_-]?data|` +
		`\btls\.key|credentials?|\b_?auth|dockerconfigjson|dockercfg|\bcookie)`
	// value ends with the line: nothing of a line can hide what is in the next one.
	value = `("(?:[^"\\\n]|\\.)*"?|\\+"[^"\\\n]*|'[^'\n]*'?|[^\s,;&}\]"']+)`
	// block is a text below its key in YAML, also when the YAML is in a string.
	block = `[|>][-+0-9]*[ \t]*(?:(?:\n|\\n)[ \t]+[^\n\\]*)+`
)

// New returns a redactor. Fields come before what spans lines, which could take the name of a field for a value.
func New() *Redactor {
	whole := func([]string) string { return Removed }
	first := func(groups []string) string { return groups[1] + Removed }
	return &Redactor{[]rule{
		{regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)`), whole},
		// Of a key whose beginning was cut off, only the rest is there.
		{regexp.MustCompile(`\A[A-Za-z0-9+/=\s]*-----END [A-Z0-9 ]*PRIVATE KEY-----`), whole},
		{regexp.MustCompile(`LS0tLS1CRUdJTi[A-Za-z0-9+/=_-]*`), whole},
		{regexp.MustCompile(`(?i)(authorization\\*["']?[ \t]*[:=][ \t]*\[?\\*["']?)[^\n"'\]\\]+`), first},
		{regexp.MustCompile(`(?i)(\bbearer[ \t]+)[A-Za-z0-9+/=._~-]+`), first},
		{regexp.MustCompile(`eyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*){2,4}`), whole},
		{regexp.MustCompile(`(?i)(` + secretKey + `\\*["']?[ \t]*[:=][ \t]*)` + block), first},
		{regexp.MustCompile(`(?i)(` + secretKey + `\\*["']?[ \t]*[:=][ \t]*)` + value), field},
		{regexp.MustCompile(`(?i)(--?[a-z0-9-]*` + secretKey + `(?:[ \t]+|",\s*"))[^\s"']+`), first},
		{regexp.MustCompile(`(?i)("name":\s*"[^"\n]*` + secretKey + `",\s*"value":\s*)` + value), quoted},
		{regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^\s"'<>]*)@`), userinfo},
		{regexp.MustCompile(`\b[a-z0-9]{6}\.[a-z0-9]{16}\b`), whole},
	}}
}

// Text returns a text without its secrets.
func (r *Redactor) Text(text string) string {
	for _, rule := range r.rules {
		text = replaceAll(rule, text)
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
