// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package dns holds what the names of Gardener's local setup are made known by: configuration and zone of the server that DNSRecords are
// written to, the nodes' resolv.conf, and the names that older versions have in hosts files. It is pure.
package dns

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"text/template"

	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/templates"
)

// Names of Gardener's local setup.
const (
	// Zone is the domain of the server.
	Zone = "local.gardener.cloud"
	// ServerName is the name that is always in the zone, whatever Gardener writes there: the server's own.
	ServerName = "ns." + Zone
	// GardenName is the garden cluster's API server, before the server of the domain.
	GardenName = "garden." + Zone
	// RegistryName is where images are pushed to.
	RegistryName = "registry." + Zone
)

// Port of the server.
const Port = 53

// Paths in the server's container. The folder of the zone is one that named can write, as the packages of Debian and Ubuntu make it: the
// server keeps a journal beside the file.
const (
	Program    = "/usr/sbin/named"
	ConfigFile = "/etc/bind/named.conf"
	ZoneFile   = "/var/lib/bind/db." + Zone
)

// engineDNS is where the engine answers containers of a network that was made.
const engineDNS = "127.0.0.11"

// ttl is the life of records, in seconds: as upstream, short, because what they tell changes while somebody watches.
const ttl = 30

// Args are those of the program: in the foreground, with its log on standard error.
func Args() []string { return []string{"-g", "-u", "bind", "-c", ConfigFile} }

// Config renders the server's configuration.
func Config() ([]byte, error) { return execute("named.conf.tmpl", nil) }

// InitialZone renders the zone as it is before the first update, for a server at addresses of the engine's host.
func InitialZone(addresses []netip.Addr) ([]byte, error) { return execute("zone.tmpl", addresses) }

func execute(name string, addresses []netip.Addr) ([]byte, error) {
	parsed, err := template.ParseFS(templates.FS, name)
	if err != nil {
		return nil, fmt.Errorf("parsing template %s: %w", name, err)
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, map[string]any{"Zone": Zone, "ZoneFile": ZoneFile, "TTL": ttl, "EngineDNS": engineDNS, "Addresses": addresses})
	if err != nil {
		return nil, fmt.Errorf("rendering %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// ResolvConf renders the resolv.conf of nodes, which CoreDNS takes too. A name is asked for as it is before any search domain is tried.
func ResolvConf(addresses []netip.Addr) []byte {
	var b strings.Builder
	for _, address := range addresses {
		fmt.Fprintf(&b, "nameserver %s\n", address)
	}
	b.WriteString("options ndots:0\n")
	return []byte(b.String())
}

// Name is a name of hosts files.
type Name struct {
	Name string
	// Garden says that it is the garden cluster's control plane; else it is the virtual garden's address on the engine's host.
	Garden bool
}

// Versions from which on names are known, as hack/kind-up.sh has them.
const (
	virtualGarden    gardener.Feature = 96
	virtualGardenAPI gardener.Feature = 97
	discovery        gardener.Feature = 126
)

// Names returns the names that pods are told before there is a server of the domain. Nodes are told the first one only.
func Names(version gardener.Version) []Name {
	names := []Name{{GardenName, true}}
	for _, one := range []struct {
		since gardener.Feature
		name  string
	}{
		{virtualGarden, "gardener.virtual-garden"},
		{virtualGardenAPI, "api.virtual-garden"},
		{virtualGarden, "dashboard.ingress.runtime-garden"},
		{discovery, "discovery.ingress.runtime-garden"},
	} {
		if version.Has(one.since) {
			names = append(names, Name{one.name + "." + Zone, !version.Has(gardener.VirtualGardenOnHost)})
		}
	}
	return names
}

// gardenOnHost is the version from which on this machine's own hosts file has a name, as hack/kind-up.sh checks and dev-setup/infra.sh
// writes it. With the registry outside it is another one.
const gardenOnHost gardener.Feature = 107

// HostName returns the name that stands for the registry in the hosts file of the user's machine; ok is false for versions that push to
// localhost.
func HostName(version gardener.Version) (name string, ok bool) {
	switch {
	case version.Has(gardener.RegistryOutside):
		return RegistryName, true
	case version.Has(gardenOnHost):
		return GardenName, true
	}
	return "", false
}

// Nameservers returns the servers that a resolv.conf names, in its order. What is no address is left out.
func Nameservers(resolvConf string) []netip.Addr {
	var servers []netip.Addr
	for line := range strings.Lines(resolvConf) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "nameserver" {
			continue
		}
		if address, err := netip.ParseAddr(fields[1]); err == nil {
			servers = append(servers, address)
		}
	}
	return servers
}
