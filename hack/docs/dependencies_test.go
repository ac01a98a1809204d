// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/gardener/kindling/internal/testutil"
)

// TestDependenciesHaveReasons holds the page of direct dependencies to go.mod, both ways: what is not used any more has no reason.
func TestDependenciesHaveReasons(t *testing.T) {
	t.Parallel()
	root := testutil.Root(t)
	module, err := modfile.Parse("go.mod", testutil.ReadFile(t, filepath.Join(root, "go.mod")), nil)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(string(testutil.ReadFile(t, filepath.Join(root, "docs/dependencies.md"))), -1) {
		first := ""
		for name := range strings.SplitSeq(row[1], ", ") {
			if first == "" {
				first = name
			}
			// "github.com/spf13/cobra, pflag" names a second module beside the first.
			if !strings.Contains(name, "/") && name != first {
				name = first[:strings.LastIndex(first, "/")+1] + name
			}
			named[name] = true
		}
	}
	delete(named, "module")
	delete(named, "---")
	for _, require := range module.Require {
		if require.Indirect {
			continue
		}
		if !named[require.Mod.Path] {
			t.Errorf("docs/dependencies.md has no reason for %s", require.Mod.Path)
		}
		delete(named, require.Mod.Path)
	}
	for name := range named {
		t.Errorf("docs/dependencies.md has a reason for %s, which go.mod does not require directly", name)
	}
	for _, replace := range module.Replace {
		t.Errorf("%s is replaced: a module that is installed with go install must not replace any", replace.Old.Path)
	}
}
