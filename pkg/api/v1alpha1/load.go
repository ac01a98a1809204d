// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gardener/kindling/pkg/api/strict"
)

// FileError says that an environment file could not be taken: not read, not decoded, or refused by validation.
type FileError struct {
	// File is its path, or the name of a profile.
	File string
	Err  error
}

// Error implements error.
func (e *FileError) Error() string { return fmt.Sprintf("environment file %s:\n%s", e.File, e.Err) }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Adjust changes an environment that was decoded, before defaults are filled: what flags say goes over the file.
type Adjust func(*Environment) error

// LoadFile reads an environment from a file, or from in when path is "-". Relative paths in the file count from its folder. With a
// base, the source of another environment, the file is laid over it; see overlay. The error is a *FileError, or that of adjust.
func LoadFile(path string, in io.Reader, base []byte, adjust ...Adjust) (*Environment, error) {
	var data []byte
	var err error
	dir := "."
	if path == "-" {
		data, err = io.ReadAll(io.LimitReader(in, strict.MaxBytes+1))
	} else {
		dir = filepath.Dir(path)
		data, err = readFile(path)
	}
	if err == nil && base != nil {
		data, err = overlay(base, data)
	}
	if err != nil {
		return nil, &FileError{path, err}
	}
	env, err := Load(data, path, adjust...)
	if err != nil {
		return nil, err
	}
	return env, env.resolvePaths(dir)
}

func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, strict.MaxBytes+1))
}

// Load decodes, adjusts, defaults and validates an environment. The error is a *FileError with every problem found, or that of adjust.
func Load(data []byte, name string, adjust ...Adjust) (*Environment, error) {
	env := &Environment{}
	if err := strict.Decode(data, env); err != nil {
		return nil, &FileError{name, err}
	}
	if err := checkTypeMeta(env); err != nil {
		return nil, &FileError{name, err}
	}
	for _, change := range adjust {
		if err := change(env); err != nil {
			return nil, err
		}
	}
	SetDefaults(env)
	if errs := Validate(env); len(errs) > 0 {
		return nil, &FileError{name, errs.ToAggregate()}
	}
	return env, nil
}

func checkTypeMeta(env *Environment) error {
	if env.Kind != Kind {
		return fmt.Errorf("kind: want %s, have %q", Kind, env.Kind)
	}
	if env.APIVersion != APIVersion {
		return fmt.Errorf("apiVersion: unknown version %q: this kindling reads %s", env.APIVersion, APIVersion)
	}
	return nil
}

// resolvePaths makes host paths absolute: kind would count them from the working directory.
func (env *Environment) resolvePaths(dir string) error {
	absolute := func(path *string) error {
		if *path == "" || filepath.IsAbs(*path) {
			return nil
		}
		resolved, err := filepath.Abs(filepath.Join(dir, *path))
		if err != nil {
			return fmt.Errorf("resolving %s: %w", *path, err)
		}
		*path = resolved
		return nil
	}
	for c := range env.Spec.Clusters {
		for n := range env.Spec.Clusters[c].Nodes {
			mounts := env.Spec.Clusters[c].Nodes[n].ExtraMounts
			for m := range mounts {
				if err := absolute(&mounts[m].HostPath); err != nil {
					return err
				}
			}
		}
	}
	return errors.Join(absolute(&env.Spec.Calico.Manifest.Path), absolute(&env.Spec.Registry.Dir), absolute(&env.Spec.Gardener.Dir))
}
