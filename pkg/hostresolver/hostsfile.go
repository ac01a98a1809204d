// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package hostresolver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// editHosts puts a whole new file in the place of the old one, so that nobody finds half of it, whatever happens meanwhile.
func (h Host) editHosts(edit func(string) string) error {
	before, err := h.read(hostsFile)
	if err != nil {
		return err
	}
	after := edit(before)
	if after == before {
		return nil
	}
	path := h.path(hostsFile)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the file is replaced, not the link to it
	}
	if err = replaceFile(path, after); errors.Is(err, syscall.EBUSY) {
		err = rewriteFile(path, before, after) // a mount, as in containers
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// replaceFile keeps owner and mode.
func replaceFile(path, content string) error {
	options := []renameio.Option{renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o644), renameio.IgnoreUmask()}
	before, err := os.Stat(path)
	switch {
	case err == nil:
		options = append(options, renameio.WithExistingPermissions())
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	file, err := renameio.NewPendingFile(path, options...)
	if err != nil {
		return err
	}
	defer func() { _ = file.Cleanup() }()
	if owner, ok := ownerOf(before); ok {
		if err := file.Chown(owner.uid, owner.gid); err != nil {
			return err
		}
	}
	if _, err := file.WriteString(content); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

type owner struct{ uid, gid int }

func ownerOf(info fs.FileInfo) (owner, bool) {
	if info == nil {
		return owner{}, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return owner{}, false
	}
	return owner{int(stat.Uid), int(stat.Gid)}, true
}

// rewriteFile writes from the first byte that is another one, and cuts off the rest afterwards: what stands before it is never gone.
func rewriteFile(path, before, after string) error {
	same := 0
	for same < min(len(before), len(after)) && before[same] == after[same] {
		same++
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt([]byte(after[same:]), int64(same))
	if err == nil {
		err = file.Truncate(int64(len(after)))
	}
	return errors.Join(err, file.Close())
}
