// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"strings"
	"testing"
)

func TestCgroupNamespaceIsAddedOnce(t *testing.T) {
	for name, test := range map[string]struct{ have, want, fails string }{
		"added, all else stays": {
			have: `{"ociVersion":"1.2.0","hooks":{"x":[1]},"linux":{"namespaces":[{"type":"pid"}],"resources":{"limit":9223372036854775807}}}`,
			want: `{"hooks":{"x":[1]},"linux":{"namespaces":[{"type":"pid"},{"type":"cgroup"}],"resources":{"limit":9223372036854775807}},"ociVersion":"1.2.0"}`,
		},
		"there already":      {have: `{"linux":{"namespaces":[{"type":"cgroup"}]}}`},
		"no namespaces":      {have: `{"linux":{}}`, want: `{"linux":{"namespaces":[{"type":"cgroup"}]}}`},
		"no specification":   {have: `{"linux":[]}`, fails: "has no object linux"},
		"no JSON":            {have: `linux: {}`, fails: "is no JSON object"},
		"nothing in it":      {have: ``, fails: "is no JSON object"},
		"cut off in between": {have: `{"linux":{"namespaces":[`, fails: "is no JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			have, err := withCgroupNamespace([]byte(test.have))
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Errorf("error %v, want %q in it", err, test.fails)
				}
				return
			}
			if err != nil || string(have) != test.want {
				t.Errorf("have %s, %v\nwant %s", have, err, test.want)
			}
		})
	}
}
