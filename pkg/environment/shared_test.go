// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWhatEnvironmentsShareGoesWithTheLastOne(t *testing.T) {
	state := t.TempDir()
	user := func(name string) *Environment {
		e := local(t)
		e.StateDir, e.Dir = state, filepath.Join(state, name)
		if err := os.MkdirAll(e.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return e
	}
	one, other, gone := user("one"), user("other"), user("gone")
	for _, e := range []*Environment{one, other, gone} {
		if err := e.useShared(t.Context(), "registry", e.Dir+"'s"); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range []*Environment{one, other} { // nobody will take the third down any more
		if err := os.WriteFile(filepath.Join(e.Dir, recordFile), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	others, err := one.releaseShared(t.Context(), "registry", func([]string) error { t.Error("undone while another needs it"); return nil })
	if err != nil || !slices.Equal(others, []string{other.Dir}) {
		t.Errorf("left for %v: %v", others, err)
	}
	broken := errors.New("no answer")
	if _, err := other.releaseShared(t.Context(), "registry", func([]string) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v, want that undoing failed", err)
	}
	var undone []string
	if _, err := other.releaseShared(t.Context(), "registry", func(made []string) error { undone = made; return nil }); err != nil {
		t.Fatal(err)
	}
	if want := []string{one.Dir + "'s", other.Dir + "'s", gone.Dir + "'s"}; !slices.Equal(undone, want) {
		t.Errorf("undone %v, want what all of them had made, %v", undone, want)
	}
	for _, name := range []string{sharedFile, sharedLockFile} {
		if exists(filepath.Join(state, name)) {
			t.Errorf("%s is left behind", name)
		}
	}
}
