// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// fileLockPause is the time between two tries to get a lock.
const fileLockPause = 100 * time.Millisecond

// fileLock is a lock between processes on a file that goes with the last who has it. The kernel lets go of it when a process dies.
type fileLock struct {
	file *flock.Flock
	path string
}

// tryFileLock locks a file, which need not be there, alone or shared with others. It returns nil when another process is in the way.
func tryFileLock(path string, shared bool) (*fileLock, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		// What a symbolic link leads to would be written and removed.
		return nil, fmt.Errorf("%s is no file of kindling's (%s): move it away", path, info.Mode().Type())
	}
	for {
		file := flock.New(path, flock.SetPermissions(0o600))
		try := file.TryLock
		if shared {
			try = file.TryRLock
		}
		locked, err := try()
		if err != nil || !locked {
			return nil, err
		}
		if lock := (&fileLock{file, path}); lock.isCurrent() {
			return lock, nil
		}
		// Whoever had the lock removed the file between opening and locking.
		_ = file.Unlock()
	}
}

// awaitFileLock waits until it has the lock, alone or shared with others, and says once that it waits. The folder is made.
func awaitFileLock(ctx context.Context, path string, shared bool, waits func()) (unlock func(), err error) {
	ticker := time.NewTicker(fileLockPause)
	defer ticker.Stop()
	for waited := false; ; {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		lock, err := tryFileLock(path, shared)
		if errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
			continue // who had it before removed the empty folder meanwhile
		}
		if err != nil {
			return nil, err
		}
		if lock != nil {
			return sync.OnceFunc(lock.unlock), nil
		}
		if !waited {
			waits()
		}
		waited = true
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// isCurrent says whether the file that is locked is the one at the path.
func (l *fileLock) isCurrent() bool {
	held, heldErr := l.file.Stat()
	there, thereErr := os.Stat(l.path)
	return heldErr == nil && thereErr == nil && os.SameFile(held, there)
}

// unlock removes the file before it lets go, unless others share the lock.
func (l *fileLock) unlock() {
	if alone, err := l.file.TryLock(); err == nil && alone && l.isCurrent() {
		_ = os.Remove(l.path)
	}
	_ = l.file.Unlock()
}
