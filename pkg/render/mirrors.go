// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"path"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/registry"
)

// MirrorsDir is the folder, in that of the environment's files, which says where nodes pull images from.
const MirrorsDir = "certs.d"

// nodeMirrorsDir is where nodes have it. containerd reads it at each pull, so that it can change without a restart.
const nodeMirrorsDir = "/etc/containerd/certs.d"

// Mirrors renders what the nodes have to know of registry and caches; nothing where these are not wanted.
func Mirrors(env *v1alpha1.Environment, plan *netplan.Plan) []File {
	if !*env.Spec.Registry.Enabled {
		return nil
	}
	var files []File
	for _, mirror := range registry.Mirrors(env.Spec.Registry, plan.Gardener) {
		files = append(files, File{path.Join(MirrorsDir, mirror.Host, "hosts.toml"), mirror.HostsTOML})
	}
	return files
}

// mirrorPatches make containerd read the folder. kind leaves out the one that is of another version of the configuration than the node
// image has: 2 where containerd is older than 2, and in kind's own images of today, 3 in others.
func mirrorPatches() []string {
	return []string{
		"version = 2\n[plugins.\"io.containerd.grpc.v1.cri\".registry]\n  config_path = \"" + nodeMirrorsDir + "\"",
		"version = 3\n[plugins.\"io.containerd.cri.v1.images\".registry]\n  config_path = \"" + nodeMirrorsDir + "\"",
	}
}
