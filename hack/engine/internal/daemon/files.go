// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// tailLines is how much of the engine's log goes into an error.
const tailLines = 15

// tail returns the last lines of a text file, or why there are none.
func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}

// installShim copies this very program: called by the shim's name it is the
// runtime. A copy, because "go run" removes the original when it ends.
func installShim(path string) (err error) {
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("cannot read the own program: %w", err)
	}
	defer self.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot install the runtime: %w", err)
	}
	// Never write into a file that may be running: make a new one, then rename.
	fresh, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return fmt.Errorf("cannot install the runtime: %w", err)
	}
	_, err = io.Copy(fresh, self)
	if err := errors.Join(err, fresh.Close()); err != nil {
		return fmt.Errorf("cannot install the runtime: %w", err)
	}
	if err := os.Rename(fresh.Name(), path); err != nil {
		return fmt.Errorf("cannot install the runtime: %w", err)
	}
	return nil
}
