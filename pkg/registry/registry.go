// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package registry says what the registry that images are pushed to and the pull-through caches beside it are: containers, their
// configuration, and what nodes have to know of them. It is pure.
package registry

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
)

// domain of the names that Gardener's machine images and Makefile have for the registry and its caches.
const domain = "local.gardener.cloud"

// containerName of the registry; those of caches begin with it.
const containerName = "registry"

// Server is the registry that images are pushed to, or a cache of another one.
type Server struct {
	// Name of the container.
	Name string
	// Host in the names of the images that it serves: that of a cached registry, or localhost:5001.
	Host string
	// Alias is its name in the container network.
	Alias string
	// Folder with its images, below the folder of all.
	Folder string
	// RemoteURL is where a cache gets what it has not; empty for the registry that is pushed to.
	RemoteURL string
	// Port that it listens on in the container network.
	Port int32
}

// IsCache tells the caches from the registry that is pushed to.
func (s Server) IsCache() bool { return s.RemoteURL != "" }

// URL in the container network.
func (s Server) URL() string { return fmt.Sprintf("http://%s:%d", s.Alias, s.Port) }

// Servers returns the registry and, behind it, its caches in the order of the file.
func Servers(spec v1alpha1.Registry, version gardener.Version) []Server {
	port := version.RegistryPort()
	servers := []Server{{
		Name: containerName, Host: fmt.Sprintf("localhost:%d", spec.Port), Alias: containerName + "." + domain, Folder: "localhost", Port: port,
	}}
	names := map[string]int{"localhost": 1}
	for _, cache := range spec.Caches {
		names[shortName(cache.Host)]++
	}
	for _, cache := range spec.Caches {
		name := shortName(cache.Host)
		if names[name] > 1 || len(name) > maxName {
			name = fmt.Sprintf("%.*s-%.4x", maxName, name, sha256.Sum256([]byte(cache.Host)))
		}
		servers = append(servers, Server{
			Name: containerName + "-cache-" + name, Host: cache.Host, Alias: name + ".registry-cache." + domain, Folder: name,
			RemoteURL: cache.RemoteURL, Port: port,
		})
	}
	return servers
}

// maxName leaves room for a checksum in a part of a DNS name.
const maxName = 50

// shortName is the one of Gardener's local setup, where that has one.
func shortName(host string) string {
	switch host {
	case "gcr.io":
		return "gcr"
	case "registry.k8s.io":
		return "k8s"
	case "quay.io":
		return "quay"
	}
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(host, "-"), "-")
}

// Select returns the servers of hosts, of folders' short names or of containers, whichever was given, and an error for what is none.
func Select(servers []Server, words []string) ([]Server, error) {
	wanted := map[string]bool{}
	for _, word := range words {
		found := false
		for _, server := range servers {
			if word == server.Host || word == server.Folder || word == server.Name {
				wanted[server.Name], found = true, true
			}
		}
		if !found {
			return nil, &UnknownError{word, servers}
		}
	}
	var selected []Server
	for _, server := range servers {
		if wanted[server.Name] {
			selected = append(selected, server)
		}
	}
	return selected, nil
}

// UnknownError says that a word names neither the registry nor a cache.
type UnknownError struct {
	Word    string
	Servers []Server
}

// Error implements error.
func (e *UnknownError) Error() string {
	var known []string
	for _, server := range e.Servers {
		known = append(known, cmp.Or(server.Host, server.Name))
	}
	return fmt.Sprintf("%q is neither the registry nor one of its caches: there are %s", e.Word, strings.Join(known, ", "))
}

// ClusterCache is the name and URL of a cache that a CI system may have in the cluster it runs on, as Gardener's own scripts ask for it.
func ClusterCache(host string) (name, url string) {
	name = "registry-" + strings.NewReplacer(".", "-", ":", "-").Replace(host) + ".kube-system.svc.cluster.local"
	return name, "http://" + name + ":5001"
}

// HasDefaultRemote says whether a cache gets images from the host in their names, and not from elsewhere by the user's choice.
func (s Server) HasDefaultRemote() bool { return s.RemoteURL == v1alpha1.DefaultRemoteURL(s.Host) }
