// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gardener/kindling/pkg/enginehost"
)

func TestWhatThisMachineWasNeverToldIsNotTakenBack(t *testing.T) {
	e := atOnce(t, 1, enginehost.Local)[0]
	e.HostRoot = t.TempDir()
	missing, err := e.host().Missing(e.resolverSettings())
	if err != nil || len(missing) == 0 {
		t.Fatalf("missing %q: %v", missing, err)
	}
	// As up leaves it where the rights were refused.
	if err := e.useShared(t.Context(), stepResolver, missing...); err != nil {
		t.Fatal(err)
	}
	if text, err := e.undoResolver(t.Context()); err != nil || text != "left: kindling told it nothing" {
		t.Errorf("%q, want that there is nothing to take back: %v", text, err)
	}
	if used, err := e.usesShared(stepResolver); err != nil || used {
		t.Errorf("it stays on record: %v", err)
	}
	if _, err := os.Stat(filepath.Join(e.HostRoot, "etc")); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}
