// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package recipe

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/gardener/kindling/hack/nodeimage/internal/cache"
	"github.com/gardener/kindling/hack/nodeimage/internal/gobuild"
	"github.com/gardener/kindling/hack/nodeimage/internal/kindfiles"
	"github.com/gardener/kindling/hack/nodeimage/internal/release"
	"github.com/gardener/kindling/hack/nodeimage/internal/run"
	"github.com/gardener/kindling/hack/nodeimage/internal/tarfile"
)

// filesRevision is raised when this file changes what a node holds.
const filesRevision = "1"

// storageClass is what kind installs into a new cluster. Nothing provisions
// volumes for it: no test of kindling needs one.
const storageClass = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: standard
  annotations:
    storageclass.kubernetes.io/is-default-class: "true"
provisioner: kindling.gardener.cloud/none
volumeBindingMode: WaitForFirstConsumer
reclaimPolicy: Delete
`

// writeFiles makes the layer above the node's Debian: kind's files, programs,
// and which units start.
func writeFiles(ctx context.Context, r release.Release, done cache.Artefacts, target string) error {
	kind, err := gobuild.Download(ctx, r.Kind)
	if err != nil {
		return err
	}
	entries, err := kindfiles.Entries(kind, r.Pause)
	if err != nil {
		return err
	}
	spec, err := baseSpec(ctx, done)
	if err != nil {
		return err
	}
	entries = append(entries, nodePrograms(r, done)...)
	entries = append(entries, unitLinks()...)
	entries = append(entries,
		tarfile.Entry{Path: "etc/containerd/cri-base.json", Mode: 0o644, Content: string(spec)},
		tarfile.Entry{Path: "kind/version", Mode: 0o644, Content: r.Kubernetes},
		tarfile.Entry{Path: "kind/manifests/default-storage.yaml", Mode: 0o644, Content: storageClass},
		// The kernel's messages belong to the host, not to each node's journal.
		tarfile.Entry{Path: "etc/systemd/journald.conf.d/node.conf", Mode: 0o644, Content: "[Journal]\nReadKMsg=no\n"},
		// kubelet watches this folder from its start, kubeadm fills it later.
		tarfile.Entry{Path: "etc/kubernetes/manifests", Mode: 0o755, Folder: true},
	)
	return tarfile.Write(target, entries)
}

func baseSpec(ctx context.Context, done cache.Artefacts) ([]byte, error) {
	ctr := run.Command{Name: filepath.Join(done["containerd"], "ctr"), Args: []string{"oci", "spec"}}
	output, err := ctr.Output(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot make the containers' base specification: %w", err)
	}
	return kindfiles.BaseSpec(output)
}

// nodePrograms puts programs where kind's units and containerd look for them.
// Those that run in images only are left out.
func nodePrograms(r release.Release, done cache.Artefacts) []tarfile.Entry {
	folders := map[string]string{
		"kubeadm": "usr/bin", "kubelet": "usr/bin", "kubectl": "usr/bin",
		"containerd": "usr/local/bin", "ctr": "usr/local/bin", "containerd-shim-runc-v2": "usr/local/bin",
		"crictl":   "usr/local/bin",
		"loopback": "opt/cni/bin", "ptp": "opt/cni/bin", "bridge": "opt/cni/bin", "portmap": "opt/cni/bin", "host-local": "opt/cni/bin",
	}
	var entries []tarfile.Entry
	for _, module := range r.Modules {
		for _, program := range module.Programs {
			if folder, wanted := folders[program.Name]; wanted {
				entries = append(entries, programEntry(done, module.Name, program.Name, folder+"/"+program.Name))
			}
		}
	}
	return entries
}

// unitLinks does what "systemctl enable" and "systemctl mask" do. Formats for
// other processors are registered in the kernel, so a node must not do it.
func unitLinks() []tarfile.Entry {
	entries := []tarfile.Entry{{Path: "etc/systemd/system/systemd-binfmt.service", Link: "/dev/null"}}
	for _, unit := range []string{"containerd.service", "kubelet.service", "undo-mount-hacks.service"} {
		entries = append(entries, tarfile.Entry{
			Path: "etc/systemd/system/multi-user.target.wants/" + unit,
			Link: "/etc/systemd/system/" + unit,
		})
	}
	return entries
}
