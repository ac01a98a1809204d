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

// Remove removes a file, which need not be there, with what Write left of it when it was killed.
func Remove(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, sweep(path))
}

// sweep removes unfinished files: their names are that of the file between a dot and a number.
func sweep(path string) error {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var errs []error
	for _, entry := range entries {
		number, found := strings.CutPrefix(entry.Name(), "."+name)
		if found && number != "" && strings.Trim(number, "0123456789") == "" && entry.Type().IsRegular() {
			errs = append(errs, os.Remove(filepath.Join(dir, entry.Name())))
		}
	}
	return errors.Join(errs...)
}
