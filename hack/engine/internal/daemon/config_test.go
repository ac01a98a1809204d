// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfig(t *testing.T) {
	state := State{Folder: "/s"}
	tests := []struct {
		name   string
		config config
		want   string
	}{
		{name: "names no runtime where nothing is missing", config: newConfig(state, "overlay2"), want: "plain.json"},
		{name: "makes the shim the default runtime", config: newConfig(state, "vfs").withRuntime("shim", "/s/bin/shim"), want: "shim.json"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "daemon.json")
			if err := test.config.write(path); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(read(t, filepath.Join("testdata", test.want)), read(t, path)); diff != "" {
				t.Errorf("configuration differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTail(t *testing.T) {
	t.Run("says why there is no log", func(t *testing.T) {
		if got := tail(filepath.Join(t.TempDir(), "missing")); got == "" {
			t.Error("got nothing")
		}
	})
	t.Run("returns a short log whole", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte("a\nb\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := tail(path); got != "a\nb" {
			t.Errorf("got %q", got)
		}
	})
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
