// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package tarfile

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type member struct {
	Name, Link, Text string
	Mode             int64
}

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "tree", "sub", "file")
	if err := errors.Join(os.MkdirAll(filepath.Dir(source), 0o755), os.WriteFile(source, []byte("data"), 0o640)); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		entry Entry
		want  []member
	}{
		{name: "writes a text", entry: Entry{Path: "etc/x", Mode: 0o644, Content: "hello"}, want: []member{{Name: "etc/x", Text: "hello", Mode: 0o644}}},
		{name: "writes an empty text", entry: Entry{Path: "etc/x", Mode: 0o644}, want: []member{{Name: "etc/x", Mode: 0o644}}},
		{name: "copies a file with the mode asked for", entry: Entry{Path: "bin/x", Mode: 0o755, Source: source}, want: []member{{Name: "bin/x", Text: "data", Mode: 0o755}}},
		{name: "writes a link", entry: Entry{Path: "a", Link: "/b"}, want: []member{{Name: "a", Link: "/b"}}},
		{name: "writes a folder with its sticky bit", entry: Entry{Path: "tmp", Mode: 0o777 | fs.ModeSticky, Folder: true}, want: []member{{Name: "tmp/", Mode: 0o1777}}},
		{
			name:  "copies a tree with the modes it has",
			entry: Entry{Path: "var/lib", Tree: filepath.Join(folder, "tree")},
			want:  []member{{Name: "var/lib/", Mode: 0o755}, {Name: "var/lib/sub/", Mode: 0o755}, {Name: "var/lib/sub/file", Text: "data", Mode: 0o640}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target := filepath.Join(t.TempDir(), "layer.tar")
			if err := Write(target, []Entry{test.entry}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, members(t, target)); diff != "" {
				t.Errorf("members differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteIsTheSameEachTime(t *testing.T) {
	folder := t.TempDir()
	entries := []Entry{{Path: "a", Mode: 0o644, Content: "x"}, {Path: "b", Folder: true, Mode: 0o755}}
	var texts [2][]byte
	for i, name := range []string{"first.tar", "second.tar"} {
		target := filepath.Join(folder, name)
		if err := Write(target, entries); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(target)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = text
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("two layers of the same entries differ")
	}
}

func TestWriteNamesWhatIsMissing(t *testing.T) {
	err := Write(filepath.Join(t.TempDir(), "layer.tar"), []Entry{{Path: "x", Source: "/does/not/exist"}})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got error %v", err)
	}
}

func members(t *testing.T, path string) []member {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var list []member
	reader := tar.NewReader(file)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, member{Name: header.Name, Link: header.Linkname, Text: string(text), Mode: header.Mode})
	}
}
