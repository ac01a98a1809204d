// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gardener/kindling/internal/testutil"
)

// TestFaultsHaveTests holds the page of faults to what there is: each row names tests, and each test or script that it names exists.
func TestFaultsHaveTests(t *testing.T) {
	t.Parallel()
	root := testutil.Root(t)
	there := tests(t, root)
	rows := 0
	for line := range strings.Lines(string(testutil.ReadFile(t, filepath.Join(root, "docs/faults.md")))) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || cells[1] == "test" {
			continue
		}
		rows++
		named := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1)
		if len(named) == 0 {
			t.Errorf("no test: %s", line)
		}
		for _, name := range named {
			if !there[name[1]] {
				t.Errorf("there is no test or script %s", name[1])
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d rows were found", rows)
	}
}

// tests returns the names of the module's tests and fuzz tests, and of the scripts of test/cli.
func tests(t *testing.T, root string) map[string]bool {
	t.Helper()
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	names := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != root:
			return filepath.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			for _, found := range function.FindAllStringSubmatch(string(testutil.ReadFile(t, path)), -1) {
				names[found[1]] = true
			}
		case filepath.Dir(path) == filepath.Join(root, "test", "cli", "testdata"):
			names[entry.Name()] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
