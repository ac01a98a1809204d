// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"errors"
	"fmt"
	"io/fs"
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
	if err := e.writeInside(name, content, mode); err != nil {
		return fmt.Errorf("writing %s: %w", e.path(name), err)
	}
	return nil
}

// writeInside replaces a file. A name in the environment's folder stays in it, whatever folder in it was replaced by a symbolic link since: what that
// leads to is somebody else's. A file that was replaced by a link takes the link's place.
func (e *Environment) writeInside(name string, content []byte, mode os.FileMode) error {
	if filepath.IsAbs(name) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return wholefile.Write(name, content, mode, renameio.IgnoreUmask())
	}
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return wholefile.WriteIn(root, name, content, mode, renameio.IgnoreUmask())
}

// removeInside removes a file, and the folders in the environment's that it was the last in. Those of a copy elsewhere are somebody else's.
func (e *Environment) removeInside(name string) error {
	if filepath.IsAbs(name) {
		return wholefile.Remove(name)
	}
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	err = wholefile.RemoveIn(root, name)
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if root.Remove(dir) != nil {
			break
		}
	}
	return err
}

// removeFile removes a file that writeFile wrote, and no other.
func (e *Environment) removeFile(name string) error {
	recorded, err := e.record.read()
	if err != nil || !slices.Contains(recorded.Files, name) {
		return err
	}
	if err := e.removeInside(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing %s: %w", e.path(name), err)
	}
	return e.record.change(func(content *recordContent) {
		content.Files = slices.DeleteFunc(content.Files, func(other string) bool { return other == name })
	})
}
