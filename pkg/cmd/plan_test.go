// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/cmd"
)

var _ = flag.Bool("update", false, "write the golden files")

// TestPlans prints the plan of every example.
func TestPlans(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testutil.Root(t), "example", "*", "environment.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			var out, errOut bytes.Buffer
			streams := cmd.IOStreams{In: os.Stdin, Out: &out, ErrOut: &errOut}
			if code := cmd.Main(t.Context(), streams, []string{"plan", "-f", path}); code != cmd.ExitDone {
				t.Fatalf("exit code %d: %s", code, errOut.String())
			}
			testutil.Golden(t, filepath.Join(filepath.Dir(path), "plan.txt"), out.Bytes())
		})
	}
}
