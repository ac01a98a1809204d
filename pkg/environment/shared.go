// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gardener/kindling/internal/wholefile"
)

// Files beside the folders of the environments: what environments share on the engine's host, and the lock on that.
const (
	sharedFile     = "shared.json"
	sharedLockFile = "shared.lock"
)

// share is what kindling made on the engine's host for several environments, such as the registry.
type share struct {
	// Users are the folders of the environments that need it.
	Users []string `json:"users"`
	// Made is what kindling made, and nobody else, each in the words of the step that undoes it. It is entered before the deed.
	Made []string `json:"made,omitempty"`
	// Boot is the boot of the engine's host in which it was last seen as wanted, where looking takes long.
	Boot string `json:"boot,omitempty"`
}

// useShared notes that the environment needs something, and what is going to be made for it.
func (e *Environment) useShared(ctx context.Context, name string, made ...string) error {
	return e.changeShared(ctx, func(all map[string]share) error {
		one := all[name]
		one.Users, one.Made = union(one.Users, e.Dir), union(one.Made, made...)
		all[name] = one
		return nil
	})
}

// releaseShared notes that the environment needs something no more, and undoes what was made when nobody else does. It returns the
// folders of those who do. When undoing fails, the environment still needs it, so that the next try undoes the rest.
func (e *Environment) releaseShared(ctx context.Context, name string, undo func(made []string) error) (others []string, err error) {
	err = e.changeShared(ctx, func(all map[string]share) error {
		one := all[name]
		others = e.others(one)
		if len(others) > 0 {
			one.Users = others
			all[name] = one
			return nil
		}
		if err := undo(one.Made); err != nil {
			return err
		}
		delete(all, name)
		return nil
	})
	return others, err
}

// settleShared notes that something was seen as wanted in a boot of the engine's host.
func (e *Environment) settleShared(ctx context.Context, name, boot string) error {
	return e.changeShared(ctx, func(all map[string]share) error {
		one := all[name]
		one.Boot = boot
		all[name] = one
		return nil
	})
}

// notUsed is what is to be said of something that is there while it is not on record that the environment needs it: another one's down
// would take it away.
const notUsed = "there, not yet on record as used by this environment"

// usesShared says whether it is on record that the environment needs something.
func (e *Environment) usesShared(name string) (bool, error) {
	all, err := readShared(e.sharedPath(sharedFile))
	return slices.Contains(all[name].Users, e.Dir), err
}

// madeShared returns what is on record as made for several environments.
func (e *Environment) madeShared(name string) ([]string, error) {
	all, err := readShared(e.sharedPath(sharedFile))
	return all[name].Made, err
}

// othersUsing returns the folders of the other environments that need something.
func (e *Environment) othersUsing(name string) ([]string, error) {
	all, err := readShared(e.sharedPath(sharedFile))
	return e.others(all[name]), err
}

func (e *Environment) others(one share) []string {
	return slices.DeleteFunc(slices.Clone(one.Users), func(user string) bool { return user == e.Dir || !isUp(user) })
}

func (e *Environment) sharedPath(name string) string { return filepath.Join(e.StateDir, name) }

func (e *Environment) changeShared(ctx context.Context, change func(map[string]share) error) error {
	unlock, err := e.lockShared(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	path := e.sharedPath(sharedFile)
	all, err := readShared(path)
	if err != nil {
		return err
	}
	if err := change(all); err != nil {
		return err
	}
	return writeShared(path, all)
}

func (e *Environment) lockShared(ctx context.Context) (unlock func(), err error) {
	unlock, err = awaitFileLock(ctx, e.sharedPath(sharedLockFile), false, func() {})
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("locking what environments share: %w: set XDG_STATE_HOME to a folder that can be written", err)
	}
	return unlock, deadline(ctx, err, "another kindling changes what environments share")
}

func readShared(path string) (map[string]share, error) {
	all := map[string]share{}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what environments share: %w", err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w: remove it when no environment is up", path, err)
	}
	return all, nil
}

// writeShared removes the file when nothing is shared any more.
func writeShared(path string, all map[string]share) error {
	if len(all) == 0 {
		if err := wholefile.Remove(path); err != nil {
			return fmt.Errorf("removing the record of what environments share: %w", err)
		}
		return nil
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding what environments share: %w", err)
	}
	if err := wholefile.Write(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing what environments share: %w", err)
	}
	return nil
}

// union keeps the order and adds what is not there.
func union[T comparable](list []T, more ...T) []T {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// isUp says whether an environment with a folder is up, or a kindling is at work on it.
func isUp(dir string) bool {
	return exists(filepath.Join(dir, recordFile)) || exists(filepath.Join(dir, lockFile))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
