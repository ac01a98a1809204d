// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// LockedError says that another kindling is at work on the environment.
type LockedError struct {
	Environment string
	// Holder is what the other process wrote of itself.
	Holder string
}

// Error implements error.
func (e *LockedError) Error() string {
	return fmt.Sprintf("another kindling is at work on environment %s: %s; wait for it, or stop it", e.Environment, e.Holder)
}

// Lock makes the environment this process's own until unlock is called, or says at once who has it.
func (e *Environment) Lock() (unlock func(), err error) {
	if err := e.makeDir(); err != nil {
		return nil, err
	}
	path := e.path(lockFile)
	lock, err := tryFileLock(path, false)
	if err != nil {
		return nil, fmt.Errorf("locking the environment: %w", err)
	}
	if lock == nil {
		return nil, &LockedError{e.name(), holder(path)}
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, "process %d (%s)\n", os.Getpid(), strings.Join(os.Args, " ")), 0o600); err != nil {
		lock.unlock()
		return nil, fmt.Errorf("writing the lock file: %w", err)
	}
	return func() { e.unlock(lock) }, nil
}

// unlock removes the folder when nothing else is there; one that was given with --dir is its owner's.
func (e *Environment) unlock(lock *fileLock) {
	lock.unlock()
	if !e.DirIsGiven {
		_ = os.Remove(e.Dir)
		_ = os.Remove(filepath.Dir(e.Dir))
	}
	_ = os.Remove(e.StateDir)
}

func holder(path string) string {
	data, err := os.ReadFile(path)
	if text := strings.TrimSpace(string(data)); err == nil && text != "" {
		return text
	}
	return "a process that has not said its name yet"
}

// deadline turns the end of a context's time into an error that says what the time was spent on.
func deadline(ctx context.Context, err error, doing string) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("time is up while %s (see --timeout): %w: %w", doing, context.DeadlineExceeded, err)
	}
	return err
}
