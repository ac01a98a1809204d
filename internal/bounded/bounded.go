// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package bounded reads files that others wrote, and no more of them than what they can have at most.
package bounded

import (
	"fmt"
	"io"
	"os"

	"github.com/gardener/kindling/internal/expansion"
)

// TooLargeError says that something has more than is read of it.
type TooLargeError struct {
	// Limit in bytes.
	Limit int64
}

// Error implements error. Whoever reads says what the file is.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("it has more than %d bytes, and no such file has: is it the right one?", e.Limit)
}

// ReadFile reads a file of at most so many bytes. The error is a *TooLargeError, or one of the file system.
func ReadFile(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > limit {
		return nil, &os.PathError{Op: "read", Path: path, Err: &TooLargeError{limit}}
	}
	data, err := Read(file, limit)
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: path, Err: unwrapPath(err)}
	}
	return data, nil
}

// ReadYAML is ReadFile for YAML, which has to keep the limit with all aliases replaced, too: the error can be an *expansion.Error.
func ReadYAML(path string, limit int64) ([]byte, error) {
	data, err := ReadFile(path, limit)
	if err != nil {
		return nil, err
	}
	if err := expansion.Check(data, limit); err != nil {
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	}
	return data, nil
}

// Read reads at most so many bytes. The error is a *TooLargeError, or the reader's.
func Read(reader io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(reader, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, &TooLargeError{limit}
	}
	return data, err
}

// unwrapPath takes away the path that an error of the file system has already.
func unwrapPath(err error) error {
	if path, ok := err.(*os.PathError); ok { //nolint:errorlint // only the outermost one
		return path.Err
	}
	return err
}
