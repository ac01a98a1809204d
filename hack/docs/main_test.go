// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/internal/testutil"
)

// TestPagesAreCurrent holds the committed pages to the commands.
func TestPagesAreCurrent(t *testing.T) {
	fresh := t.TempDir()
	if err := write(fresh); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read(t, filepath.Join(testutil.Root(t), dir)), read(t, fresh)); diff != "" {
		t.Errorf("run make generate:\n%s", diff)
	}
}

func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		files[entry.Name()] = string(testutil.ReadFile(t, filepath.Join(dir, entry.Name())))
	}
	return files
}
