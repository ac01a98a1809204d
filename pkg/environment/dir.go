// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"fmt"
	"os"
	"path/filepath"
)

// Files in the folder of an environment.
const (
	recordFile     = "record.json"
	lockFile       = "lock"
	kubeconfigFile = "kubeconfig"
)

// DefaultStateDir returns the folder of all environments' files: kindling below $XDG_STATE_HOME, or ~/.local/state.
func DefaultStateDir() (string, error) {
	root := os.Getenv("XDG_STATE_HOME")
	if root == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("finding the folder for the environments' files: %w: set HOME or XDG_STATE_HOME", err)
		}
		root = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(root, "kindling"), nil
}

// DefaultDir returns the folder of an environment's files, below that of all environments.
func DefaultDir(name string) (string, error) {
	state, err := DefaultStateDir()
	return filepath.Join(state, name), err
}

// KubeconfigPath is the kubeconfig of the first cluster of the environment whose files are in a folder.
func KubeconfigPath(dir string) string { return filepath.Join(dir, kubeconfigFile) }

// DefaultCacheDir returns the folder for downloaded manifests, below the user's cache folder.
func DefaultCacheDir() (string, error) {
	root, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the user's cache folder: %w: set HOME or XDG_CACHE_HOME", err)
	}
	return filepath.Join(root, "kindling"), nil
}

// path of a file of the environment: a name in its folder, or an absolute path as it is.
func (o Options) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(o.Dir, name)
}

// makeDir makes the folder; its files hold credentials, so it is the user's alone.
func (o Options) makeDir() error {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return fmt.Errorf("making the folder for the environment's files: %w: give another with --dir", err)
	}
	return nil
}
