// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package debian

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRemoveAll(t *testing.T) {
	tests := []struct {
		name     string
		patterns []string
		want     []string
	}{
		{name: "removes files that match", patterns: []string{"var/log/*.log"}, want: []string{"etc/hostname", "usr/doc/a/b"}},
		{name: "removes whole folders that match", patterns: []string{"usr/doc/*"}, want: []string{"etc/hostname", "var/log/x.log"}},
		{name: "passes over what is not there", patterns: []string{"srv/*"}, want: []string{"etc/hostname", "usr/doc/a/b", "var/log/x.log"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := sampleRoot(t)
			if err := removeAll(root, test.patterns); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, files(t, root)); diff != "" {
				t.Errorf("files differ (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("refuses a damaged pattern", func(t *testing.T) {
		if err := removeAll(sampleRoot(t), []string{"var/[log"}); err == nil {
			t.Error("accepted")
		}
	})
}

func TestUnwantedStaysBelowRoot(t *testing.T) {
	for _, pattern := range unwanted() {
		if !filepath.IsLocal(pattern) {
			t.Errorf("pattern %q leaves the root", pattern)
		}
	}
}

func sampleRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"etc/hostname", "var/log/x.log", "usr/doc/a/b"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func files(t *testing.T, root string) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, found fs.DirEntry, err error) error {
		if err == nil && !found.IsDir() {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
