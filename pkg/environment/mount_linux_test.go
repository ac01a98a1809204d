// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import "syscall"

func mountTmpfs(dir, options string) error { return syscall.Mount("tmpfs", dir, "tmpfs", 0, options) }

func unmount(dir string) error { return syscall.Unmount(dir, 0) }
