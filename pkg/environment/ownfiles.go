// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"github.com/gardener/kindling/internal/wholefile"
)

// writeFile writes a file of the environment whole or not at all: a full disk leaves the one that was there. Its name is recorded
// first. A file of that name that kindling did not write is left, and an error: the folder may be anybody's (--dir).
func (e *Environment) writeFile(name string, content []byte, mode os.FileMode) error {
	if err := e.makeDir(); err != nil {
		return err
	}
	recorded, err := e.record.read()
	if err != nil {
		return err
	}
	if !slices.Contains(recorded.Files, name) {
		if _, err := os.Lstat(e.path(name)); err == nil {
			return &ForeignError{
				What: "a file " + e.path(name), Have: "written by somebody else", Want: "the one of environment " + e.name(),
				Remedy: "move it away, or choose another folder with --dir",
			}
		}
		if err := e.record.change(func(content *recordContent) { content.Files = append(content.Files, name) }); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(e.path(name)), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", e.path(name), err)
	}
	if err := wholefile.Write(e.path(name), content, mode, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("writing %s: %w", e.path(name), err)
	}
	return nil
}

// removeFile removes a file that writeFile wrote, and no other.
func (e *Environment) removeFile(name string) error {
	recorded, err := e.record.read()
	if err != nil || !slices.Contains(recorded.Files, name) {
		return err
	}
	if err := wholefile.Remove(e.path(name)); err != nil {
		return fmt.Errorf("removing %s: %w", e.path(name), err)
	}
	// Folders of its own go with the last file in them. Those of a copy elsewhere are somebody else's.
	for dir := path.Dir(name); filepath.IsLocal(filepath.FromSlash(name)) && dir != "."; dir = path.Dir(dir) {
		if err := os.Remove(e.path(dir)); err != nil {
			break
		}
	}
	return e.record.change(func(content *recordContent) {
		content.Files = slices.DeleteFunc(content.Files, func(other string) bool { return other == name })
	})
}
