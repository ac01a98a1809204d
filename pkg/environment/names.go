// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

// Names of the steps that an environment has once. Those that each cluster has are KIND/CLUSTER.
const (
	stepNodeImages = "node-images"
	stepManifest   = "calico-manifest"
	stepEngineHost = "engine-host"
	stepLoopback   = "loopback"
	stepMasquerade = "masquerade"
	stepFolders    = "folders"
	// stepFoldersLeft is for folders of an earlier file, beside that of today's.
	stepFoldersLeft = "folders-left"
	stepNetwork     = "container-network"
	stepMirrors     = "mirrors"
	stepRegistry    = "registry"
	stepFiles       = "files"
	stepDNS         = "dns"
	stepResolver    = "host-resolver"
)
