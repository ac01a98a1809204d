// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package wholefile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gardener/kindling/internal/wholefile"
)

// victim is set in the process that is killed: it writes the file that it names until then.
const victim = "WHOLEFILE_VICTIM"

func TestMain(m *testing.M) {
	if path := os.Getenv(victim); path != "" {
		for {
			if err := wholefile.Write(path, make([]byte, 1<<20), 0o600); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

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

// TestRemoveAfterKill kills writers until one leaves something unfinished. Files of others stay.
func TestRemoveAfterKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "seed.yaml")
	others := []string{".other.yaml123", ".seed.yaml", ".seed.yaml12x", "seed.yaml1"}
	for _, name := range others {
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
		if len(names(t, dir)) > len(others)+1 {
			break
		}
	}
	if len(names(t, dir)) <= len(others)+1 {
		t.Fatal("no writer left anything unfinished beside the file")
	}
	if err := wholefile.Remove(path); err != nil {
		t.Fatal(err)
	}
	if left := names(t, dir); !slices.Equal(left, others) {
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
