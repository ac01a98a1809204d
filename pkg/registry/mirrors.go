// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
)

// Mirror says where a node pulls the images of a host from.
type Mirror struct {
	// Host in the names of images; the name of a folder in /etc/containerd/certs.d.
	Host string
	// HostsTOML is the content of the file hosts.toml there.
	HostsTOML []byte
}

// Mirrors are those of nodes: names of the registry, and the hosts that are cached. When a cache does not answer, a node goes on with
// the registry that is cached.
func Mirrors(spec v1alpha1.Registry, version gardener.Version) []Mirror {
	var mirrors []Mirror
	for _, server := range Servers(spec, version) {
		if server.IsCache() {
			mirrors = append(mirrors, Mirror{server.Host, hostsTOML(server.RemoteURL, server.URL())})
			continue
		}
		for _, host := range ownHosts(server, spec.Port, version) {
			mirrors = append(mirrors, Mirror{host, hostsTOML(server.URL(), server.URL())})
		}
	}
	return mirrors
}

// ownHosts are the names that a registry has in the names of images. Gardener tags with localhost until v1.106, with
// garden.local.gardener.cloud until v1.133, and with registry.local.gardener.cloud since.
func ownHosts(server Server, published int32, version gardener.Version) []string {
	hosts, names := []string{server.Host}, []string{server.Alias}
	if !version.Has(gardener.RegistryOutside) {
		names = append(names, "garden."+domain)
	}
	for _, name := range names {
		for _, port := range []int32{published, server.Port} {
			hosts = append(hosts, fmt.Sprintf("%s:%d", name, port))
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

func hostsTOML(server, mirror string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "server = %s\n\n[host.%s]\n  capabilities = [\"pull\", \"resolve\"]\n", strconv.Quote(server), strconv.Quote(mirror))
	return out.Bytes()
}
