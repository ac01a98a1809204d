// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

const (
	stateFile = "state.json"
	callsFile = "calls.jsonl"
	lockFile  = "lock"
	usersFile = "users"
	hangFile  = "hang"
)

// store keeps the state in a folder, for one call at a time.
type store struct{ dir string }

// change reads the state, lets it be changed and writes it, with the lock held. After an error nothing is written.
func (s store) change(change func(*State) error) error {
	lock := flock.New(filepath.Join(s.dir, lockFile))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	var state State
	path := filepath.Join(s.dir, stateFile)
	data, err := os.ReadFile(path)
	switch {
	case os.IsNotExist(err):
	case err != nil:
		return err
	default:
		if err := json.Unmarshal(data, &state); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := change(&state); err != nil {
		return err
	}
	data, err = json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	// A call can be ended at any moment: the next one finds the state as it was before, or after, and never a part of it.
	return renameio.WriteFile(path, data, 0o644)
}

// begin says that a call is under way until done is called: see idle.
func (s store) begin() (done func(), err error) {
	users := flock.New(filepath.Join(s.dir, usersFile))
	if err := users.RLock(); err != nil {
		return nil, err
	}
	return func() { _ = users.Close() }, nil
}

// idle returns when no call is under way: kind goes on at the first error, and leaves the calls beside it to themselves.
func (s store) idle() {
	users := flock.New(filepath.Join(s.dir, usersFile))
	if err := users.Lock(); err == nil {
		_ = users.Close()
	}
}

// record writes a call down. It is called with the lock held.
func (s store) record(args []string) error {
	line, err := json.Marshal(args)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(s.dir, callsFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
