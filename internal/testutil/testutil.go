// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package testutil is for tests only: it finds the repository and the data that lies beside a checkout.
package testutil

import (
	"os"
	"path/filepath"
	"testing"
)

// Root returns the folder of go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}

// Shared returns the path of a file in ../shared beside the checkout, or skips the test by naming what is missing.
func Shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(Root(t), "..", "shared", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("skipped: ../shared/%s is not beside this checkout", name)
	}
	return path
}

// ReadFile reads a file or fails the test.
func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
