// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/lab"
)

// TestMain is the program that the laboratory starts again for its own processes.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "inside" {
		run := func() error { return lab.Sandbox(context.Background()) }
		if os.Args[2] == "component" {
			run = func() error { return lab.Component(context.Background(), os.Stdin, os.Stdout) }
		}
		if err := run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func self(t *testing.T) lab.Self {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return lab.Self{executable, "inside"}
}

func TestTry(t *testing.T) {
	for _, layout := range []v1alpha1.Layout{v1alpha1.LayoutLegacy, v1alpha1.LayoutSplit} {
		for _, ha := range []bool{false, true} {
			report, err := self(t).Run(t.Context(), lab.Options{Layout: layout, HA: ha, Break: lab.SideShoot, Guard: layout != v1alpha1.LayoutLegacy}, os.Stderr, func(line string) { t.Log(line) })
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range report.Phases {
				t.Log(p.Name)
				for _, c := range append(p.Checks, p.Connects...) {
					t.Logf("  %+v", c)
				}
			}
			t.Log(layout, ha, report.Verdict, report.Bypasses)
		}
	}
}
