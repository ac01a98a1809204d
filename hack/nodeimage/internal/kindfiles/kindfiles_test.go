// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kindfiles

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
)

const sampleConfig = `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "old"
  restrict_oom_score_adj = false
  tolerate_missing_hugepages_controller = true
[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "overlayfs"
`

func TestContainerd(t *testing.T) {
	got, err := Containerd([]byte(sampleConfig), "new:1")
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := toml.Unmarshal(got, &tree); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"version": int64(2),
		"plugins": map[string]any{criPlugin: map[string]any{
			"sandbox_image":                         "new:1",
			"restrict_oom_score_adj":                true,
			"tolerate_missing_hugepages_controller": true,
			"containerd":                            map[string]any{"snapshotter": "overlayfs"},
		}},
	}
	if diff := cmp.Diff(want, tree); diff != "" {
		t.Errorf("configuration differs (-want +got):\n%s", diff)
	}
}

func TestContainerdRefuses(t *testing.T) {
	tests := []struct{ name, config string }{
		{name: "refuses a layout without the plugin", config: "version = 3\n"},
		{name: "refuses what is not TOML", config: "{"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, err := Containerd([]byte(test.config), "x"); err == nil {
				t.Errorf("accepted, result %s", got)
			}
		})
	}
}

func TestBaseSpec(t *testing.T) {
	tests := []struct{ name, spec, want string }{
		{
			name: "adds the hook and drops limits, and nothing else",
			spec: `{"ociVersion":"1.3.0","process":{"cwd":"/","rlimits":[{"type":"RLIMIT_NOFILE"}]}}`,
			want: `{"ociVersion":"1.3.0","process":{"cwd":"/"},"hooks":{"createContainer":[{"path":"/kind/bin/mount-product-files.sh"}]}}`,
		},
		{
			name: "keeps other hooks",
			spec: `{"process":{},"hooks":{"createContainer":[{"path":"/a"}],"poststop":[{"path":"/b"}]}}`,
			want: `{"process":{},"hooks":{"createContainer":[{"path":"/a"},{"path":"/kind/bin/mount-product-files.sh"}],"poststop":[{"path":"/b"}]}}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := BaseSpec([]byte(test.spec))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decode(t, test.want), decode(t, string(got))); diff != "" {
				t.Errorf("specification differs (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("refuses a specification without a process", func(t *testing.T) {
		if _, err := BaseSpec([]byte(`{}`)); err == nil {
			t.Error("accepted")
		}
	})
}

func TestEntries(t *testing.T) {
	module := t.TempDir()
	for name, text := range map[string]string{
		"etc/containerd/config.toml":            sampleConfig,
		"etc/systemd/system/containerd.service": "[Unit]\n",
		"kind/bin/hook.sh":                      "#!/bin/sh\n",
		"usr/local/bin/entrypoint":              "#!/bin/sh\n",
	} {
		path := filepath.Join(module, folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := Entries(module, "new:1")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]fs.FileMode{}
	for _, entry := range entries {
		got[entry.Path] = entry.Mode
	}
	want := map[string]fs.FileMode{
		"etc/containerd/config.toml":            0o644,
		"etc/systemd/system/containerd.service": 0o644,
		"kind/bin/hook.sh":                      0o755,
		"usr/local/bin/entrypoint":              0o755,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes differ (-want +got):\n%s", diff)
	}
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}
