// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package container makes the registry and its caches known to the engine: it turns them into containers.
package container

import (
	"fmt"
	"maps"
	"net/netip"
	"path"
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/registry"
)

// SettingsLabel holds in words what a container was made from, so that both sides can be shown when they differ.
const SettingsLabel = "kindling.gardener.cloud/settings"

// Environment of the containers.
type Environment struct {
	// Labels of what the environment makes.
	Labels map[string]string
	Spec   v1alpha1.Registry
	// Dir on the engine's host holds the folders of all servers.
	Dir string
}

// Settings of a container, in words.
func (e Environment) Settings(server registry.Server) string {
	words := []string{"image " + e.Spec.Image, "folder " + e.folder(server)}
	if server.IsCache() {
		words = append(words, "upstream "+server.RemoteURL)
	} else {
		words = append(words, fmt.Sprintf("port %d", e.Spec.Port))
	}
	return strings.Join(append(words, "configuration "+registry.Checksum(server)), ", ")
}

func (e Environment) folder(server registry.Server) string { return path.Join(e.Dir, server.Folder) }

// Container is what a server runs in. The registry is published on the loopback addresses of the engine's host, so that nobody else
// pushes to it; the port for health and counters of each on one that the engine chooses. Addresses in the container network may be none.
func (e Environment) Container(server registry.Server, ipv6 bool, addresses []netip.Addr) engine.ContainerSpec {
	loopback := netip.MustParseAddr("127.0.0.1")
	ports := []engine.PublishedPort{{Host: netip.AddrPortFrom(loopback, 0), Container: registry.DebugPort, Protocol: "tcp"}}
	if !server.IsCache() {
		ports = append(ports, published(server, loopback, e.Spec.Port))
		if ipv6 {
			ports = append(ports, published(server, netip.IPv6Loopback(), e.Spec.Port))
		}
	}
	labels := map[string]string{SettingsLabel: e.Settings(server)}
	maps.Copy(labels, e.Labels)
	return engine.ContainerSpec{
		Name: server.Name, Image: e.Spec.Image, Network: netplan.ContainerNetwork, Aliases: []string{server.Alias}, Addresses: addresses,
		Labels:  labels,
		Env:     map[string]string{"OTEL_TRACES_EXPORTER": "none"}, // it would look for a collector
		Ports:   ports,
		Mounts:  []engine.BindMount{{Host: e.folder(server), Container: registry.DataDir}},
		Restart: true,
		// Images of the registry either run the program with these arguments or add its name before serve.
		Args: []string{"serve", path.Join(registry.ConfigDir, registry.ConfigFile)},
	}
}

func published(server registry.Server, address netip.Addr, port int32) engine.PublishedPort {
	return engine.PublishedPort{
		Host: netip.AddrPortFrom(address, uint16(port)), Container: uint16(server.Port), Protocol: "tcp", //nolint:gosec // as validated
	}
}

// firstAddress is the last byte of the registry's address; those of caches follow. The engine gives nodes the lowest addresses, and
// load balancers of Gardener have those from 224 on.
const firstAddress = 192

// maxServers have addresses of their own: the next ones are those of load balancers.
const maxServers = 32

// Addresses of a server in the ranges of the container network. They don't depend on the order in which containers start: after a
// restart of the engine a registry would else have taken the address of a node, which a cluster does not survive. The result is nil
// when a range is too small, or for more servers than there are such addresses: the engine chooses then.
func Addresses(prefixes []netip.Prefix, index int) []netip.Addr {
	if index >= maxServers {
		return nil
	}
	var addresses []netip.Addr
	for _, prefix := range prefixes {
		if prefix.Addr().BitLen()-prefix.Bits() < 8 {
			return nil
		}
		bytes := prefix.Masked().Addr().AsSlice()
		bytes[len(bytes)-1] = byte(firstAddress + index) //nolint:gosec // less than maxServers
		address, _ := netip.AddrFromSlice(bytes)
		addresses = append(addresses, address)
	}
	return addresses
}
