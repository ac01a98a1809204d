// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package testutil

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// updateFlag is defined by the test binaries of packages with golden files.
func updateFlag() bool {
	value := flag.Lookup("update")
	return value != nil && value.Value.String() == "true"
}

// Golden compares content with a file; with the flag -update of the test it writes the file.
func Golden(t *testing.T, path string, content []byte) {
	t.Helper()
	if updateFlag() {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run the test with -update, and read what it wrote", err)
	}
	if diff := cmp.Diff(string(want), string(content)); diff != "" {
		t.Errorf("%s differs (-want +have); if that is right, run the test with -update:\n%s", path, diff)
	}
}
