// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package release

const (
	kubernetes = "v1.37.2"
	// staging is the version of the modules k8s.io/api and the like.
	staging = "v0.37.2"
	suite   = "bookworm"
	pause   = "registry.k8s.io/pause:3.10.2"
)

// Current returns the release that the tests of kindling use.
func Current() Release {
	return Release{
		Tag:        "localhost/kindling/node:" + kubernetes,
		Kubernetes: kubernetes,
		Pause:      pause,
		Kind:       Module{Name: "kind", Path: "sigs.k8s.io/kind", Version: "v0.33.0"},
		Modules:    modules(),
		Node:       Debian{Name: "node", Suite: suite, Packages: nodePackages()},
		Tools:      Debian{Name: "tools", Suite: suite, Packages: toolsPackages()},
		Images:     images(),
	}
}

// modules starts with the largest, so that a first failure comes early.
func modules() []Module {
	return []Module{
		{
			Name: "kubernetes", Path: "k8s.io/kubernetes", Version: kubernetes, Siblings: staging,
			Programs: commands("kubeadm", "kubelet", "kubectl", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"),
			Stamps:   kubernetesStamps(),
		},
		{
			Name: "containerd", Path: "github.com/containerd/containerd/v2", Version: "v2.4.2",
			Programs:  commands("containerd", "ctr", "containerd-shim-runc-v2"),
			Stamps:    map[string]string{"github.com/containerd/containerd/v2/version.Version": "v2.4.2"},
			BuildTags: []string{"no_btrfs", "no_devmapper", "no_zfs"},
		},
		{
			Name: "cri-tools", Path: "sigs.k8s.io/cri-tools", Version: "v1.37.0",
			Programs: commands("crictl"),
			Stamps:   map[string]string{"sigs.k8s.io/cri-tools/pkg/version.Version": "v1.37.0"},
		},
		{
			Name: "cni", Path: "github.com/containernetworking/plugins", Version: "v1.10.0",
			Programs: []Program{
				{Package: "./plugins/main/loopback", Name: "loopback"},
				{Package: "./plugins/main/ptp", Name: "ptp"},
				{Package: "./plugins/main/bridge", Name: "bridge"},
				{Package: "./plugins/meta/portmap", Name: "portmap"},
				{Package: "./plugins/ipam/host-local", Name: "host-local"},
			},
		},
		{
			Name: "etcd", Path: "go.etcd.io/etcd/server/v3", Version: "v3.7.3",
			Programs: []Program{{Package: ".", Name: "etcd"}},
		},
		{
			Name: "coredns", Path: "github.com/coredns/coredns", Version: "v1.15.0",
			Programs: []Program{{Package: ".", Name: "coredns"}},
		},
	}
}

// images holds the names that "kubeadm config images list" prints for this
// version of Kubernetes, and the workload for tests. The tags of etcd and
// CoreDNS are those kubeadm expects; the programs are the versions above.
func images() []Image {
	return []Image{
		kubernetesImage("kube-apiserver"),
		kubernetesImage("kube-controller-manager"),
		kubernetesImage("kube-scheduler"),
		{
			Name: "registry.k8s.io/kube-proxy:" + kubernetes, OnTools: true,
			Module: "kubernetes", Program: "kube-proxy", Path: "usr/local/bin/kube-proxy",
		},
		{Name: "registry.k8s.io/etcd:3.7.0-0", Module: "etcd", Program: "etcd", Path: "usr/local/bin/etcd"},
		{Name: "registry.k8s.io/coredns/coredns:v1.14.6", Module: "coredns", Program: "coredns", Path: "coredns"},
		{Name: pause, Module: PauseModule, Program: "pause", Path: "pause"},
		{Name: "localhost/kindling/nettools:1", OnTools: true},
	}
}

// PauseModule names the artefact of the pause program, which is part of this
// repository.
const PauseModule = "pause"

func kubernetesImage(program string) Image {
	return Image{
		Name: "registry.k8s.io/" + program + ":" + kubernetes, Module: "kubernetes",
		Program: program, Path: "usr/local/bin/" + program,
	}
}

// kubernetesStamps makes the programs say their version; kubeadm refuses to
// work with a kubelet that does not.
func kubernetesStamps() map[string]string {
	stamps := map[string]string{}
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		stamps[pkg+".gitVersion"] = kubernetes
		stamps[pkg+".gitTreeState"] = "clean"
	}
	return stamps
}

func commands(names ...string) []Program {
	var programs []Program
	for _, name := range names {
		programs = append(programs, Program{Package: "./cmd/" + name, Name: name})
	}
	return programs
}
