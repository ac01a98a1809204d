// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package userconfig changes the kubeconfig of a user, which other tools read and write at the same time: under their lock, whole or not at all,
// and where it really is.
package userconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/gardener/kindling/internal/bounded"
	"github.com/gardener/kindling/internal/wholefile"
)

// MaxBytes is the largest kubeconfig that is read: that of a thousand clusters has 5 MB.
const MaxBytes = 32 << 20

// Load reads a kubeconfig. The error wraps fs.ErrNotExist when it is not there.
func Load(path string) (*clientcmdapi.Config, error) {
	data, err := bounded.ReadYAML(path, MaxBytes)
	if err != nil {
		return nil, err
	}
	return clientcmd.Load(data)
}

// Change reads and writes a kubeconfig under the lock files that kubectl takes too; one that is not there is made, with mode 0600. client-go's own
// function for that reads before it locks, and can't cope with relative paths. A link to a file stays one. The error is a *LockedError when
// another program keeps its lock, the context's when its time is up, or says what can't be read or written.
func Change(ctx context.Context, path string, change func(*clientcmdapi.Config)) error {
	target, err := follow(path)
	if err != nil {
		return fmt.Errorf("finding the kubeconfig %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return fmt.Errorf("making the folder of the kubeconfig: %w: name another kubeconfig with $KUBECONFIG", err)
	}
	unlock, err := lockAll(ctx, path, target)
	if err != nil {
		return err
	}
	defer unlock()
	config, err := Load(target)
	if errors.Is(err, fs.ErrNotExist) {
		config, err = clientcmdapi.NewConfig(), nil
	}
	if err != nil {
		return fmt.Errorf("reading the kubeconfig %s: %w", path, err)
	}
	change(config)
	data, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("encoding the kubeconfig %s: %w", path, err)
	}
	if err := wholefile.Write(target, data, 0o600); err != nil {
		return fmt.Errorf("changing the kubeconfig %s: %w", path, err)
	}
	return nil
}

// maxLinks is where the kernel gives up, too.
const maxLinks = 40

// follow returns the file that a path leads to by symbolic links, which need not be there: it is replaced, and not the link to it.
func follow(path string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			// Not filepath.Join: it takes a/link/.. for a, and link may lead elsewhere.
			target = filepath.Dir(path) + string(filepath.Separator) + target
		}
		path = target
	}
	return "", errors.New("it is a symbolic link that leads to itself")
}
