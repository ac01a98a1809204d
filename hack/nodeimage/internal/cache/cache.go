// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package cache runs steps and keeps what they made, so that a run that was
// interrupted, or one after a small change, does only what is left to do.
package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Step makes one artefact: a file or a folder.
type Step struct {
	// Name names the step and, with a key behind it, the artefact.
	Name string
	// Inputs decide what the artefact holds. It is made anew if they change.
	Inputs []string
	// Needs names steps that come before; if one is made anew, so is this.
	Needs []string
	// Make writes the artefact to target, which does not exist. It finds the
	// artefacts of other steps through done.
	Make func(ctx context.Context, done Artefacts, target string) error
}

// Artefacts are the paths of what was made, by the step's name.
type Artefacts map[string]string

// Runner runs steps.
type Runner struct {
	// Folder holds the artefacts. It is made if missing.
	Folder string
	// Report is told about each step: what happens, and how long it took,
	// once it is done.
	Report func(step, event string)
}

// Run makes the artefacts that are missing, in the given order, and returns
// all of them.
func (r Runner) Run(ctx context.Context, steps []Step) (Artefacts, error) {
	if err := os.MkdirAll(r.Folder, 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the cache folder: %w", err)
	}
	done := Artefacts{}
	keys := map[string]string{}
	for _, step := range steps {
		key, err := keyOf(step, keys)
		if err != nil {
			return nil, err
		}
		keys[step.Name] = key
		target := filepath.Join(r.Folder, step.Name+"-"+key)
		if err := r.ensure(ctx, step, done, target); err != nil {
			return nil, err
		}
		done[step.Name] = target
	}
	return done, nil
}

// ensure makes the artefact under a name of its own first: only a finished one
// gets the name that counts.
func (r Runner) ensure(ctx context.Context, step Step, done Artefacts, target string) error {
	_, err := os.Lstat(target)
	if err == nil {
		r.Report(step.Name, "kept")
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot look for the artefact of %s: %w", step.Name, err)
	}
	unfinished := target + ".unfinished"
	if err := os.RemoveAll(unfinished); err != nil {
		return fmt.Errorf("cannot remove an unfinished artefact: %w", err)
	}
	r.Report(step.Name, "started")
	start := time.Now()
	if err := step.Make(ctx, done, unfinished); err != nil {
		return fmt.Errorf("step %s: %w", step.Name, err)
	}
	if err := os.Rename(unfinished, target); err != nil {
		return fmt.Errorf("step %s made nothing to keep: %w", step.Name, err)
	}
	r.Report(step.Name, "done in "+time.Since(start).Round(time.Second).String())
	return nil
}

// keyOf is short, and differs if anything that decides the artefact does.
func keyOf(step Step, keys map[string]string) (string, error) {
	needs := map[string]string{}
	for _, name := range step.Needs {
		key, found := keys[name]
		if !found {
			return "", fmt.Errorf("step %s needs %s, which does not come before it", step.Name, name)
		}
		needs[name] = key
	}
	text, err := json.Marshal(struct {
		Name   string
		Inputs []string
		Needs  map[string]string
	}{step.Name, step.Inputs, needs})
	if err != nil {
		return "", fmt.Errorf("step %s: %w", step.Name, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6]), nil
}
