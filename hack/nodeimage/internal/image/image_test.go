// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package image

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/gardener/kindling/hack/nodeimage/internal/tarfile"
)

func TestWriteArchive(t *testing.T) {
	folder := t.TempDir()
	base, top := filepath.Join(folder, "base.tar"), filepath.Join(folder, "top.tar")
	writeLayer(t, base, "a")
	writeLayer(t, top, "b")
	target := filepath.Join(folder, "images.tar")
	specs := []Spec{
		{Tag: "localhost/kindling/one:1", Layers: []string{base}},
		{Tag: "localhost/kindling/two:1", Layers: []string{base, top}, Entrypoint: []string{"/b"}, Env: []string{"container=docker"}, StopSignal: "SIGRTMIN+3"},
	}
	if err := WriteArchive(target, specs); err != nil {
		t.Fatal(err)
	}
	for _, spec := range specs {
		t.Run("keeps everything of "+spec.Tag, func(t *testing.T) { check(t, target, spec) })
	}
}

func TestWriteArchiveRefuses(t *testing.T) {
	tests := []struct {
		name string
		spec Spec
	}{
		{name: "refuses a name without a tag", spec: Spec{Tag: "localhost/kindling/one"}},
		{name: "refuses a layer that is missing", spec: Spec{Tag: "localhost/kindling/one:1", Layers: []string{"/does/not/exist"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := WriteArchive(filepath.Join(t.TempDir(), "x.tar"), []Spec{test.spec}); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func check(t *testing.T, archive string, want Spec) {
	t.Helper()
	tag, err := name.NewTag(want.Tag)
	if err != nil {
		t.Fatal(err)
	}
	image, err := tarball.ImageFromPath(archive, &tag)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(image, validate.Fast); err != nil {
		t.Error(err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	got := Spec{
		Tag: want.Tag, Layers: want.Layers, Entrypoint: file.Config.Entrypoint,
		Env: file.Config.Env[1:], StopSignal: file.Config.StopSignal,
	}
	if len(got.Env) == 0 {
		got.Env = nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("image differs (-want +got):\n%s", diff)
	}
	if got := len(file.RootFS.DiffIDs); got != len(want.Layers) {
		t.Errorf("image has %d layers, want %d", got, len(want.Layers))
	}
}

func writeLayer(t *testing.T, path, file string) {
	t.Helper()
	if err := tarfile.Write(path, []tarfile.Entry{{Path: file, Mode: 0o644, Content: file}}); err != nil {
		t.Fatal(err)
	}
}
