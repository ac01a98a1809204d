// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import "syscall"

// mountOverlay mounts an overlay with options in the form of mount(8).
func mountOverlay(target, options string) error {
	return syscall.Mount("overlay", target, "overlay", 0, options)
}

// unmount takes a mount away at once, even if a file in it is open.
func unmount(point string) error {
	return syscall.Unmount(point, syscall.MNT_DETACH)
}
