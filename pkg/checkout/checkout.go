// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package checkout knows a checkout of Gardener: its version, where its Makefile looks for what a kind cluster leaves, and the values files
// that its scripts made clusters from.
package checkout

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/gardener/kindling/internal/bounded"
	"github.com/gardener/kindling/pkg/gardener"
)

// modulePath is what tells a checkout from other folders.
const modulePath = "github.com/gardener/gardener"

// Checkout is a checkout of Gardener.
type Checkout struct {
	// Dir is its absolute path.
	Dir     string
	Version gardener.Version
}

// Error says that a folder can't be taken as a checkout of Gardener.
type Error struct {
	Dir string
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s is no checkout of Gardener: %s: give the folder of a clone of github.com/gardener/gardener", e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// maxFile is far more than go.mod and VERSION have.
const maxFile = 1 << 20

// Open reads the version of a checkout, which its file VERSION tells: v1.93.0, or v1.150.0-dev between releases. The error is an *Error.
func Open(dir string) (Checkout, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return Checkout{}, &Error{dir, err}
	}
	module, err := bounded.ReadFile(filepath.Join(absolute, "go.mod"), maxFile)
	if err != nil {
		return Checkout{}, &Error{dir, err}
	}
	if path := modfile.ModulePath(module); path != modulePath {
		return Checkout{}, &Error{dir, fmt.Errorf("its go.mod is of the module %q, not of %s", path, modulePath)}
	}
	text, err := bounded.ReadFile(filepath.Join(absolute, "VERSION"), maxFile)
	if err != nil {
		return Checkout{}, &Error{dir, err}
	}
	version, err := gardener.Parse(strings.TrimSpace(string(text)))
	if err != nil {
		return Checkout{}, &Error{dir, fmt.Errorf("its file VERSION: %w", err)}
	}
	return Checkout{absolute, version}, nil
}

// Around returns the checkout that a path is in.
func Around(path string) (Checkout, error) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return Checkout{}, &Error{path, err}
	}
	for {
		checkout, err := Open(dir)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return checkout, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return Checkout{}, &Error{path, errors.New("neither it nor a folder above it has a go.mod and a VERSION")}
		}
		dir = parent
	}
}
