// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package wholefile writes files whole or not at all, and knows what a program leaves that is killed while it does.
package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// Write replaces a file, or makes it. What is not finished lies beside the file: in a folder for all temporary files nobody would find it
// again, and it may have credentials.
func Write(path string, data []byte, mode fs.FileMode, options ...renameio.Option) error {
	return renameio.WriteFile(path, data, mode, append(options, renameio.WithTempDir(filepath.Dir(path)))...)
}

// WriteIn is Write for a name below a folder, which links in it don't lead out of.
func WriteIn(root *os.Root, name string, data []byte, mode fs.FileMode, options ...renameio.Option) error {
	return renameio.WriteFile(name, data, mode, append(options, renameio.WithRoot(root))...)
}

// Remove removes a file, which need not be there, with what Write left of it when it was killed.
func Remove(path string) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return RemoveIn(root, filepath.Base(path))
}

// RemoveIn is Remove for what WriteIn wrote.
func RemoveIn(root *os.Root, name string) error {
	err := root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, sweep(root, filepath.Base(name)))
}

// sweep removes unfinished files: they are in the folder itself, and have the name of the file between a dot and a number.
func sweep(root *os.Root, name string) error {
	folder, err := root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	entries, err := folder.ReadDir(-1)
	errs := []error{err}
	for _, entry := range entries {
		number, found := strings.CutPrefix(entry.Name(), "."+name)
		if found && number != "" && strings.Trim(number, "0123456789") == "" && entry.Type().IsRegular() {
			errs = append(errs, root.Remove(entry.Name()))
		}
	}
	return errors.Join(errs...)
}
