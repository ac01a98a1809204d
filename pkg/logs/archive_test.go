// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package logs_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/logs"
)

func write(t *testing.T, sources ...logs.Source) (map[string]string, logs.Summary) {
	t.Helper()
	var b bytes.Buffer
	summary, err := logs.Write(t.Context(), &b, "top", time.Unix(0, 0), sources)
	if err != nil {
		t.Fatal(err)
	}
	compressed, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for archive := tar.NewReader(compressed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, summary
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(data)
	}
}

func source(name, text string, err error) logs.Source {
	return logs.Source{Name: name, Collect: func(_ context.Context, add logs.Add) error {
		add(name, "test", func(w io.Writer) error { _, _ = io.WriteString(w, text); return err })
		return nil
	}}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	files, summary := write(t,
		source("../a", "token: abc", nil),
		source("a", "again", nil),
		source("half", "begun", errors.New("broke off at password=abc")),
		source("none", "", errors.New("not there")),
		logs.Source{Name: "all", Collect: func(context.Context, logs.Add) error { return errors.New("down") }},
	)
	want := map[string]string{
		"top/a": "token: REMOVED", "top/a.2": "again", "top/half": "begun",
		"top/INDEX.txt": "a: test\na.2: test\nMISSING half (test): broke off at password=REMOVED\nhalf: test\nMISSING none (test): not there\nMISSING all: down\n",
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if summary.Files != 3 || len(summary.Missing) != 3 {
		t.Errorf("summary %v, want 3 files and 3 that are missing", summary)
	}
}

func TestWriteKeepsTheEndOfALongFile(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 1023) + "\n"
	files, _ := write(t, source("long", strings.Repeat(line, 3<<10)+"last", nil))
	if text := files["top/long"]; len(text) > 1<<20 || !strings.HasPrefix(text, line) || !strings.HasSuffix(text, "last") {
		t.Errorf("%d bytes are left, or not the last whole lines", len(text))
	}
	if !strings.Contains(files["top/INDEX.txt"], "without the first") {
		t.Errorf("the index does not tell: %s", files["top/INDEX.txt"])
	}
}

func TestWriteWithNothing(t *testing.T) {
	t.Parallel()
	_, err := logs.Write(t.Context(), io.Discard, "top", time.Unix(0, 0), []logs.Source{source("none", "", errors.New("not there"))})
	if _, ok := errors.AsType[*logs.NothingError](err); !ok {
		t.Errorf("error %v, want a NothingError", err)
	}
}

func FuzzSanitize(f *testing.F) {
	for _, name := range []string{"", "/", "../..", "a/../../b", `..\b`, "a\x00b", "a//b"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		clean := logs.Sanitize(name)
		if clean == "" || strings.HasPrefix(clean, "/") {
			t.Errorf("%q became %q", name, clean)
		}
		for element := range strings.SplitSeq(clean, "/") {
			if element == ".." || element == "." || element == "" {
				t.Errorf("%q became %q", name, clean)
			}
		}
	})
}
