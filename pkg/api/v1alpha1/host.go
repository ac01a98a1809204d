// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Registry is what images are pushed to and pulled through: containers beside the clusters, which outlive them.
type Registry struct {
	// Enabled starts the registry and its caches. Default: true.
	Enabled *bool `json:"enabled,omitempty"`
	// Image of the registry (distribution). Default: the one of Gardener's local setup.
	Image string `json:"image,omitempty"`
	// Port on the loopback addresses of the engine's host where images are pushed to. Default: the one in the names of the
	// images that a checkout of Gardener pushes: 5001, and 5000 at v1.134.0.
	Port int32 `json:"port,omitempty"`
	// Dir is a folder on the engine's host that keeps the images of registry and caches, in one folder each. A relative path counts
	// from the environment file's folder. Default: kindling/registry below the user's cache folder.
	Dir string `json:"dir,omitempty"`
	// Caches pull images of other registries once. Default: those of Gardener's local setup. An empty list is none.
	Caches []RegistryCache `json:"caches,omitempty"`
}

// RegistryCache pulls images of another registry once.
type RegistryCache struct {
	// Host in the names of the images, such as registry.k8s.io.
	Host string `json:"host"`
	// RemoteURL is where the cache gets what it has not. Default: https:// and the host; for docker.io https://registry-1.docker.io.
	RemoteURL string `json:"remoteURL,omitempty"`
}

// DNS is the server of the domain local.gardener.cloud.
type DNS struct {
	// Enabled makes the names of Gardener's local setup known: from v1.138 on by a server that DNSRecords are written to, before by entries
	// in the nodes and in CoreDNS. Default: true.
	Enabled *bool `json:"enabled,omitempty"`
	// Image of the server (BIND 9). Default: the one of Gardener's local setup.
	Image string `json:"image,omitempty"`
	// HostResolver tells the resolver of this machine about the server: systemd-resolved, or macOS. Default: true.
	HostResolver *bool `json:"hostResolver,omitempty"`
}

// Loopback are the addresses of networks.loadBalancers that the version of Gardener publishes ports on.
type Loopback struct {
	// Enabled adds those that are missing to the loopback interface of the engine's host, once with the rights of root. Default: true.
	Enabled *bool `json:"enabled,omitempty"`
}

// MetricsServer serves the resource metrics of the kind clusters.
type MetricsServer struct {
	// Enabled installs it. Default: true.
	Enabled *bool `json:"enabled,omitempty"`
	// Image of metrics-server. Default: the one of Gardener's local setup at v1.149.
	Image string `json:"image,omitempty"`
}
