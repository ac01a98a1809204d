// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package debian

// unwanted lists what a container has no use for: traces of the machine that
// made the file system, caches, and units that would fight for the host's
// devices and consoles. The units are those that kind's own base image goes
// without.
func unwanted() []string {
	return []string{
		"etc/hostname",
		"etc/machine-id",
		"etc/resolv.conf",
		"var/lib/dbus/machine-id",
		"var/log/*.log",
		"var/log/apt/*",

		"var/cache/apt/*.bin",
		"var/cache/apt/archives/*.deb",
		"var/lib/apt/lists/*_*",
		"usr/share/doc/*",
		"usr/share/locale/*",
		"usr/share/man/*",

		"etc/systemd/system/*.wants/*",
		"usr/lib/systemd/system/basic.target.wants/*",
		"usr/lib/systemd/system/local-fs.target.wants/*",
		"usr/lib/systemd/system/multi-user.target.wants/*",
		"usr/lib/systemd/system/sockets.target.wants/*initctl*",
		"usr/lib/systemd/system/sockets.target.wants/*udev*",
		"usr/lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service",
		// minbase of this suite still has /lib beside /usr/lib in some setups.
		"lib/systemd/system/multi-user.target.wants/*",
	}
}
