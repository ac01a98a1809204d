// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package release

// nodePackages is what kind's node scripts, kubelet, kubeadm and containerd
// call, and what is good to have in a node when a test fails.
func nodePackages() []string {
	return []string{
		// to start
		"bash", "dbus", "kmod", "mount", "procps", "systemd", "systemd-sysv", "util-linux",
		// for kubeadm, kubelet and kube-proxy
		"conntrack", "e2fsprogs", "ethtool", "iproute2", "ipset", "iptables", "nftables", "socat",
		// for containerd
		"fuse-overlayfs", "libseccomp2", "pigz", "runc",
		// for kind's scripts
		"ca-certificates", "curl", "jq", "openssl", "rsync",
		// to look around
		"iputils-ping", "netcat-openbsd", "tcpdump",
	}
}

// toolsPackages is a workload for network tests, and what kube-proxy calls.
func toolsPackages() []string {
	return []string{
		"ca-certificates", "conntrack", "curl", "ethtool", "iproute2", "ipset", "iptables", "iputils-ping", "kmod",
		"mount", "netcat-openbsd", "nftables", "procps",
	}
}
