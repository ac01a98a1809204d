// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"errors"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	for name, test := range map[string]struct {
		expression string
		offset     int // of the error; -1 when valid
	}{
		"nothing selects everything":            {"", -1},
		"white space selects everything":        {" \t\n", -1},
		"all":                                   {"all()", -1},
		"all with spaces":                       {" all( ) ", -1},
		"not all":                               {"!all()", -1},
		"global":                                {"global()", -1},
		"equality in single quotes":             {"app == 'machine'", -1},
		"inequality in double quotes":           {`app != "machine"`, -1},
		"a label with prefix":                   {"topology.kubernetes.io/zone == '1'", -1},
		"has":                                   {"has(app)", -1},
		"not has":                               {"!has(app)", -1},
		"a set":                                 {"zone in {'0', '1'}", -1},
		"an empty set":                          {"zone in {}", -1},
		"outside a set":                         {"zone not in { '0' }", -1},
		"contains":                              {"app contains 'mach'", -1},
		"starts and ends":                       {"app starts with 'm' && app ends with 'e'", -1},
		"a label that begins like a keyword":    {"hasty == 'a' || allowed == 'b' || inside == 'c'", -1},
		"nested parentheses":                    {"(a == 'b' || (has(c) && !(d in {'e'})))", -1},
		"refuses two words":                     {"Foo bar", 4},
		"refuses negation of nothing":           {"!!", 2},
		"refuses an open parenthesis":           {"bad(", 3},
		"refuses all without closing":           {"all(", 4},
		"refuses a value without quotes":        {"app == machine", 7},
		"refuses a string without end":          {"app == 'machine", 7},
		"refuses half an operator":              {"a == 'b' & c == 'd'", 9},
		"refuses not without in":                {"a not {'b'}", 5},
		"refuses a set without comma":           {"a in {'b' 'c'}", 10},
		"refuses what follows a whole selector": {"all() all()", 6},
		"refuses nesting without bound":         {strings.Repeat("(", 5000), 101},
		"refuses negation without bound":        {strings.Repeat("!", 5000) + "all()", 101},
	} {
		t.Run(name, func(t *testing.T) {
			err := Validate(test.expression)
			problem, isError := errors.AsType[*Error](err)
			switch {
			case test.offset < 0 && err != nil:
				t.Fatalf("refused: %v", err)
			case test.offset >= 0 && !isError:
				t.Fatalf("accepted")
			case test.offset >= 0 && problem.Offset != test.offset:
				t.Fatalf("error at %d (%v), want %d", problem.Offset, err, test.offset)
			}
		})
	}
}

func FuzzValidate(f *testing.F) {
	for _, seed := range []string{"", "all()", "!has(a) && b in {'c'}", "(((", "a starts with \"", "!!!!"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		if err := Validate(expression); err == nil {
			// What is valid stays valid in parentheses and negated.
			if strings.TrimSpace(expression) == "" {
				return
			}
			if err := Validate("!(" + expression + ")"); err != nil && !strings.Contains(err.Error(), "fewer parentheses") {
				t.Fatalf("%q is valid, its negation not: %v", expression, err)
			}
		}
	})
}
