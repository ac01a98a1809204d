// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// storageDriver picks what keeps image layers below root. Only a real mount
// tells whether overlay works there: it does not on another overlay, which is
// what a container's own root usually is.
func storageDriver(root string, out io.Writer) (string, error) {
	err := tryOverlay(root)
	if err == nil {
		return "overlay2", nil
	}
	driver := "vfs"
	if _, missing := exec.LookPath("fuse-overlayfs"); missing == nil {
		driver = "fuse-overlayfs"
	}
	fmt.Fprintf(out, "warning: overlay does not work in %s (%v): using %s, slower and larger; -state moves it\n", root, err, driver)
	if err := os.MkdirAll(root, 0o711); err != nil {
		return "", fmt.Errorf("cannot make the engine's data folder: %w", err)
	}
	return driver, nil
}

func tryOverlay(root string) error {
	if err := os.MkdirAll(root, 0o711); err != nil {
		return err
	}
	trial, err := os.MkdirTemp(root, "overlay-trial-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(trial)
	for _, name := range []string{"lower", "upper", "work", "merged"} {
		if err := os.Mkdir(filepath.Join(trial, name), 0o700); err != nil {
			return err
		}
	}
	options := fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", trial)
	merged := filepath.Join(trial, "merged")
	if err := mountOverlay(merged, options); err != nil {
		return err
	}
	return unmount(merged)
}
