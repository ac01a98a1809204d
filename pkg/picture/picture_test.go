// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text       string
		soft, hard []string
	}{
		"nothing is one empty line":      {"", []string{""}, []string{""}},
		"words that fit stay together":   {"ab cd", []string{"ab cd"}, []string{"ab cd"}},
		"lines end at spaces":            {"abc def", []string{"abc", "def"}, []string{"abc", "def"}},
		"a long word is cut only hard":   {"a bcdefgh", []string{"a", "bcdefgh"}, []string{"a", "bcdef", "gh"}},
		"letters are counted, not bytes": {"äöüßé x", []string{"äöüßé", "x"}, []string{"äöüßé", "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.soft, Wrap(test.text, 5)); diff != "" {
				t.Errorf("Wrap (-want +have):\n%s", diff)
			}
			if diff := cmp.Diff(test.hard, WrapHard(test.text, 5)); diff != "" {
				t.Errorf("WrapHard (-want +have):\n%s", diff)
			}
		})
	}
}
