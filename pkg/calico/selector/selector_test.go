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
		"nothing selects everything":             {"", -1},
		"white space selects everything":         {" \t", -1},
		"all":                                    {"all()", -1},
		"all with spaces":                        {" all( ) ", -1},
		"not all":                                {"!all()", -1},
		"global":                                 {"global()", -1},
		"equality in single quotes":              {"app == 'machine'", -1},
		"inequality in double quotes":            {`app != "machine"`, -1},
		"a label with prefix":                    {"topology.kubernetes.io/zone == '1'", -1},
		"has":                                    {"has(app)", -1},
		"not has":                                {"!has(app)", -1},
		"a set":                                  {"zone in {'0', '1'}", -1},
		"an empty set":                           {"zone in {}", -1},
		"outside a set":                          {"zone not in { '0' }", -1},
		"contains":                               {"app contains 'mach'", -1},
		"starts and ends":                        {"app starts with 'm' && app ends with 'e'", -1},
		"a label that begins like a keyword":     {"hasty == 'a' || allowed == 'b' || inside == 'c'", -1},
		"a label named like a function":          {"all == 'a' && has != 'b'", -1},
		"operators without blanks":               {"a notin{'b'}&&c startswith'd'||e endswith 'f'", -1},
		"a comma after the last element":         {"a in {'b',}", -1},
		"a line break in a string":               {"a == 'b\nc'", -1},
		"many negations":                         {"!!!all()", -1},
		"nested parentheses":                     {"(a == 'b' || (has(c) && !(d in {'e'})))", -1},
		"a label of 512 bytes":                   {strings.Repeat("a", 512) + " == 'b'", -1},
		"refuses a label of 513 bytes":           {"!" + strings.Repeat("a", 513) + " == 'b'", 1},
		"refuses two words":                      {"Foo bar", 4},
		"refuses negation of nothing":            {"!!", 2},
		"refuses an open parenthesis":            {"bad(", 3},
		"refuses all without closing":            {"all(", 4},
		"refuses a value without quotes":         {"app == machine", 7},
		"refuses a string without end":           {"app == 'machine", 7},
		"refuses half an operator":               {"a == 'b' & c == 'd'", 9},
		"refuses not without in":                 {"a not {'b'}", 6},
		"refuses a set without comma":            {"a in {'b' 'c'}", 10},
		"refuses what follows a whole selector":  {"all() all()", 6},
		"refuses a line break between tokens":    {"all() &&\nhas(a)", 8},
		"refuses a blank before a parenthesis":   {"all ()", 4},
		"refuses has with a blank":               {"has (a)", 4},
		"refuses has without a label":            {"has()", 4},
		"refuses a set of commas":                {"a in {,}", 6},
		"refuses starts without with":            {"a starts 'b'", 9},
		"refuses an operator without an operand": {"has(a) && ", 10},
		"refuses a letter outside ASCII":         {"ä == 'b'", 0},
		"refuses nesting without bound":          {strings.Repeat("(", 5000), 101},
		"refuses negation without bound":         {strings.Repeat("!", 5000) + "all()", 101},
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
			if strings.Trim(expression, " \t") == "" {
				return
			}
			if err := Validate("!(" + expression + ")"); err != nil && !strings.Contains(err.Error(), "fewer parentheses") {
				t.Fatalf("%q is valid, its negation not: %v", expression, err)
			}
		}
	})
}
