// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package userconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

const (
	// patience is how long one program may have the lock. Programs have it for milliseconds: it is a dead one's then.
	patience = 5 * time.Second
	// pause is the time between two tries.
	pause = 5 * time.Millisecond
)

// LockedError says that another program has locked a kubeconfig and does not let go.
type LockedError struct {
	// Path of the kubeconfig, and Lock of the file that locks it.
	Path, Lock string
	// Since is when it was locked; zero when that is not known.
	Since time.Time
}

// Error implements error.
func (e *LockedError) Error() string {
	since := ""
	if !e.Since.IsZero() {
		since = fmt.Sprintf(" since %s", e.Since.Format(time.DateTime))
	}
	return fmt.Sprintf("the kubeconfig %s is locked%s by another program, which may be dead: wait for it, or remove %s when there is none", e.Path, since, e.Lock)
}

// lockAll locks a kubeconfig by all the names that others may lock it by: they don't follow links. The order is the same for everybody.
func lockAll(ctx context.Context, paths ...string) (unlock func(), err error) {
	slices.Sort(paths)
	var unlocks []func()
	unlock = func() {
		for _, one := range slices.Backward(unlocks) {
			one()
		}
	}
	for _, path := range slices.Compact(paths) {
		one, err := lock(ctx, path)
		if err != nil {
			unlock()
			return nil, err
		}
		unlocks = append(unlocks, one)
	}
	return unlock, nil
}

// lock waits for as long as the lock goes from hand to hand, and for a while when one keeps it.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	name := path + ".lock"
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	var holder fs.FileInfo
	var seen time.Time
	for {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0)
		if err == nil {
			_ = file.Close()
			return func() { _ = os.Remove(name) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("locking the kubeconfig: %w", err)
		}
		// One that is gone between the two calls is of a program that lets go.
		there, statErr := os.Lstat(name)
		if statErr != nil || !same(holder, there) {
			holder, seen = there, time.Now()
		}
		if statErr == nil && time.Since(seen) > patience {
			return nil, &LockedError{Path: path, Lock: name, Since: there.ModTime()}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the lock %s of the kubeconfig: %w", name, ctx.Err())
		}
	}
}

// same says whether a lock file is still the one of the same program: the number of a file that was removed is given to the next.
func same(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime())
}
