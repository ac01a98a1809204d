// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package wholefile_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener/kindling/internal/wholefile"
)

// victim is set in the process that is killed: it writes the file that it names until then.
const victim = "WHOLEFILE_VICTIM"

func TestMain(m *testing.M) {
	if path := os.Getenv(victim); path != "" {
		writeUntilKilled(path)
	}
	os.Exit(m.Run())
}

// writeUntilKilled writes a file by its path and, below the same folder, one in another folder.
func writeUntilKilled(path string) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		panic(err)
	}
	data := make([]byte, 1<<20)
	for {
		if err := errors.Join(wholefile.Write(path, data, 0o600), wholefile.WriteIn(root, inside, data, 0o600)); err != nil {
			panic(err)
		}
	}
}

// inside is a file in a folder of the folder.
const inside = "sub/shoot.yaml"

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}

// unfinished counts files whose names begin so.
func unfinished(t *testing.T, dir, begin string) int {
	t.Helper()
	count := 0
	for _, name := range names(t, dir) {
		if strings.HasPrefix(name, begin) {
			count++
		}
	}
	return count
}

// TestRemoveAfterKill kills writers until one leaves something unfinished. Files of others stay.
func TestRemoveAfterKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "seed.yaml")
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	others := []string{".other.yaml123", ".seed.yaml", ".seed.yaml12x", "seed.yaml1", "sub"}
	for _, name := range others[:4] {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for attempt := range 200 {
		writer := exec.Command(os.Args[0])
		writer.Env = append(os.Environ(), victim+"="+path)
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+attempt) * time.Millisecond)
		_ = writer.Process.Kill()
		_ = writer.Wait()
		if unfinished(t, dir, ".seed.yaml") > 2 && unfinished(t, dir, ".shoot.yaml") > 0 {
			break
		}
	}
	if unfinished(t, dir, ".seed.yaml") <= 2 || unfinished(t, dir, ".shoot.yaml") == 0 {
		t.Fatal("no writer left anything unfinished beside the files")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := errors.Join(wholefile.Remove(path), wholefile.RemoveIn(root, inside)); err != nil {
		t.Fatal(err)
	}
	if left := append(names(t, dir), names(t, filepath.Join(dir, "sub"))...); !slices.Equal(left, others) {
		t.Errorf("left %v, want %v", left, others)
	}
}

func TestRemoveOfNothing(t *testing.T) {
	t.Parallel()
	if err := wholefile.Remove(filepath.Join(t.TempDir(), "none", "file")); err != nil {
		t.Error(err)
	}
}

func TestWriteHasTheMode(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := wholefile.Write(path, []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info, err)
	}
}
