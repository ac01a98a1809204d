// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLimits has limits that tests can reach.
func TestLimits(t *testing.T) {
	t.Parallel()
	bounds := limits{input: 200, line: 60, routes: 5}
	size := LimitError{What: "size", Limit: 200, Unit: "bytes"}
	count := func(line int) LimitError {
		return LimitError{What: "number of routes and next hops", Limit: 5, Unit: "of them", Line: line}
	}
	for name, test := range map[string]struct {
		text string
		// want is the zero value for no error.
		want LimitError
	}{
		"as large as can be":    {"10.0.0.0/8" + strings.Repeat(" ", 50) + strings.Repeat("\n", 140), LimitError{}},
		"one byte more":         {"10.0.0.0/8" + strings.Repeat(" ", 50) + strings.Repeat("\n", 141), size},
		"only line breaks":      {strings.Repeat("\n", 1000), size},
		"a long line":           {"10.0.0.0/8\n" + strings.Repeat("x", 61), LimitError{What: "length of a line", Limit: 60, Unit: "bytes", Line: 2}},
		"as many as can be":     {strings.Repeat("::1\n", 5), LimitError{}},
		"one route more":        {strings.Repeat("::1\n", 6), count(6)},
		"one next hop more":     {"::1 nexthop\nnexthop\n::2 nexthop\nnexthop", count(4)},
		"a large JSON object":   {"[\n{\"dst\":\"" + strings.Repeat("x", 60) + "\"}]", LimitError{What: "size of a route", Limit: 60, Unit: "bytes", Line: 2}},
		"one JSON route more":   {"[" + strings.Repeat(`{"dst":"::1"},`+"\n", 5) + `{"dst":"::1"}]`, count(6)},
		"one JSON hop more":     {`[{"dst":"::1","nexthops":[{},{}]},` + "\n" + `{"dst":"::1","nexthops":[{},{}]}]`, count(2)},
		"JSON as large as that": {`[{"dst":"::1","nexthops":[{},{}]},` + "\n" + `{"dst":"::1","nexthops":[{}]}]`, LimitError{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parse(strings.NewReader(test.text), bounds)
			limit, ok := errors.AsType[*LimitError](err)
			if !ok {
				if limit = new(LimitError); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(&test.want, limit); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
