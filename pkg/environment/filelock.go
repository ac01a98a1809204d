// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"os"

	"github.com/gofrs/flock"
)

// fileLock is a lock between processes on a file that goes with the last who has it. The kernel lets go of it when a process dies.
type fileLock struct {
	file *flock.Flock
	path string
}

// tryFileLock locks a file, which need not be there, alone or shared with others. It returns nil when another process is in the way.
func tryFileLock(path string, shared bool) (*fileLock, error) {
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
