// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package expansion_test

import (
	"errors"
	"testing"

	"github.com/gardener/kindling/internal/expansion"
	"github.com/gardener/kindling/internal/testutil"
)

func TestBombs(t *testing.T) {
	t.Parallel()
	for name, bomb := range testutil.YAMLBombs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := expansion.Check(bomb, 32<<20)
			if found, ok := errors.AsType[*expansion.Error](err); !ok || found.Limit != 32<<20 {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestWhatIsNoBomb(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"an alias or two":             "a: &a {b: c}\nd: [*a, *a]\n",
		"several documents":           "a: &a b\nc: *a\n---\na: &a b\nc: *a\n",
		"an ampersand in a text":      "a: b & c\nd: '&e'\n",
		"none at all":                 "",
		"no YAML, the decoder's case": "a: &a [\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := expansion.Check([]byte(file), 100); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDocumentsCountTogether(t *testing.T) {
	t.Parallel()
	one := "a: &a 0123456789\nb: [*a, *a]\n"
	if err := expansion.Check([]byte(one), 100); err != nil {
		t.Errorf("one: %v", err)
	}
	if err := expansion.Check([]byte(one+"---\n"+one), 100); err == nil {
		t.Error("two are as large as one")
	}
}

func FuzzCheck(f *testing.F) {
	for _, bomb := range testutil.YAMLBombs() {
		f.Add(bomb[:min(len(bomb), 4096)])
	}
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		err := expansion.Check(data, 1<<20)
		if _, ok := errors.AsType[*expansion.Error](err); err != nil && !ok {
			t.Errorf("error %T", err)
		}
	})
}
