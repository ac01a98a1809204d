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
	for name, path := range examples(t) {
		t.Run(name, func(t *testing.T) {
			testutil.Golden(t, filepath.Join(filepath.Dir(path), "plan.txt"), output(t, "plan", "-f", path))
		})
	}
}

// TestTraces predicts the way to the nodes of the first shoot of every example.
func TestTraces(t *testing.T) {
	for name, path := range examples(t) {
		t.Run(name, func(t *testing.T) {
			testutil.Golden(t, filepath.Join(filepath.Dir(path), "trace.txt"), output(t, "trace", "-f", path))
		})
	}
}

// TestPictures draws the pictures of the documentation.
func TestPictures(t *testing.T) {
	all := examples(t)
	for name, example := range map[string]string{"trace-legacy.svg": "gardener-v1.93-legacy", "trace-split.svg": "gardener-v1.93-split"} {
		t.Run(name, func(t *testing.T) {
			testutil.Golden(t, filepath.Join(testutil.Root(t), "docs", "images", name), output(t, "trace", "-f", all[example], "-o", "svg"))
		})
	}
}

// TestPlanPictures draws the plans of examples with two families, with several shoots, and the one of the documentation.
func TestPlanPictures(t *testing.T) {
	all := examples(t)
	for name, path := range map[string]string{
		"dual-stack": filepath.Join(filepath.Dir(all["dual-stack"]), "plan.svg"),
		"two-shoots": filepath.Join(filepath.Dir(all["two-shoots"]), "plan.svg"),
		"local":      filepath.Join(testutil.Root(t), "docs", "images", "addresses.svg"),
	} {
		t.Run(name, func(t *testing.T) {
			testutil.Golden(t, path, output(t, "plan", "-f", all[name], "-o", "svg"))
		})
	}
}

// examples are the environment files in example/, by the names of their folders.
func examples(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(testutil.Root(t), "example", "*", "environment.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples", err)
	}
	all := map[string]string{}
	for _, path := range paths {
		all[filepath.Base(filepath.Dir(path))] = path
	}
	return all
}

// output is what a command writes to standard output.
func output(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errOut bytes.Buffer
	streams := cmd.IOStreams{In: os.Stdin, Out: &out, ErrOut: &errOut}
	if code := cmd.Main(t.Context(), streams, args); code != cmd.ExitDone {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
	return out.Bytes()
}
