// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package bounded_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener/kindling/internal/bounded"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		content string
		large   bool
	}{
		"nothing":             {"", false},
		"as much as is read":  {"1234", false},
		"more than that":      {"12345", true},
		"much more than that": {strings.Repeat("1", 1<<20), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			data, err := bounded.ReadFile(path, 4)
			if _, large := errors.AsType[*bounded.TooLargeError](err); large != test.large {
				t.Fatalf("error %v", err)
			}
			if test.large && !strings.Contains(err.Error(), path) {
				t.Errorf("the error does not name the file: %v", err)
			}
			if !test.large && string(data) != test.content {
				t.Errorf("%q", data)
			}
		})
	}
}

func TestAFileThatIsNotThere(t *testing.T) {
	t.Parallel()
	if _, err := bounded.ReadFile(filepath.Join(t.TempDir(), "file"), 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := bounded.ReadFile(dir, 4); err == nil || strings.Count(err.Error(), dir) != 1 {
		t.Errorf("error %v", err)
	}
}
