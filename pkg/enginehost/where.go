// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package enginehost tells of the host that the container engine runs on: whether it is this machine, a virtual machine on it or another
// one, and what its kernel has. The engine and its containers are asked, never this machine.
package enginehost

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// Kind is where the engine's host is.
type Kind string

// The kinds.
const (
	// Local is this machine: its addresses, kernel and disk are the engine's.
	Local Kind = "this machine"
	// VM is a virtual machine on this machine, which forwards published ports to it.
	VM Kind = "virtual machine"
	// Remote is another machine, or one whose container this program runs in.
	Remote Kind = "another machine"
)

// Where is where the engine's host is.
type Where struct {
	Kind Kind
	// Name of the product that runs the virtual machine, or of the other machine. Empty when it is not known.
	Name string
	// Socket is the path of the engine's socket on its host; empty for docker's usual one. A virtual machine's engine has that, whatever socket of
	// this machine is forwarded to it.
	Socket string
	// Why says in words what it was told by.
	Why string
}

// String is for messages.
func (w Where) String() string {
	if w.Name == "" {
		return string(w.Kind)
	}
	return string(w.Kind) + " (" + w.Name + ")"
}

// Evidence is what tells where the engine's host is.
type Evidence struct {
	// Endpoint is the URL that the engine is reached by; empty when its CLI does not tell.
	Endpoint string
	// Context is the name of the CLI's context.
	Context string
	// OperatingSystem and HostName are what the engine says of its host.
	OperatingSystem, HostName string
	// OS is this machine's operating system as Go names it, and OwnName its host name.
	OS, OwnName string
}

// product runs engines in virtual machines.
type product struct {
	name string
	// systems are parts of what its engine calls its operating system; paths are parts of its sockets' paths; hosts are what the names of
	// its machines and contexts begin with.
	systems, paths, hosts []string
}

func products() []product {
	return []product{
		{"Docker Desktop", []string{"Docker Desktop"}, []string{"/.docker/desktop/", "/.docker/run/", "dockerDesktop"}, []string{"docker-desktop", "desktop-linux"}},
		{"OrbStack", []string{"OrbStack"}, []string{"/.orbstack/"}, []string{"orbstack"}},
		{"Rancher Desktop", []string{"Rancher Desktop"}, []string{"/.rd/"}, []string{"lima-rancher-desktop", "rancher-desktop"}},
		{"Colima", nil, []string{"/.colima/", "/colima/"}, []string{"colima"}},
		{"Lima", nil, []string{"/.lima/"}, []string{"lima-"}},
		{"podman machine", nil, []string{"/podman/machine", "podman-machine"}, []string{"podman-machine"}},
	}
}

// Locate says where the engine's host is. A host that can't be told from this machine counts as it: an engine is usually local on Linux.
func Locate(e Evidence) Where {
	scheme, host, socket := split(e.Endpoint)
	isLocalEndpoint := scheme == "" || scheme == "unix" || scheme == "npipe" || scheme == "tcp" && isLoopback(host)
	if !isLocalEndpoint {
		return Where{Kind: Remote, Name: host, Why: "the engine is reached by " + e.Endpoint}
	}
	sameName := e.HostName == "" || e.OwnName == "" || e.HostName == e.OwnName
	for _, p := range products() {
		if has(e.OperatingSystem, p.systems) {
			return Where{Kind: VM, Name: p.name, Why: "the engine's operating system is " + e.OperatingSystem}
		}
		if has(socket, p.paths) {
			return Where{Kind: VM, Name: p.name, Why: "the engine's socket is " + socket}
		}
		if !sameName && begins(e.HostName, p.hosts) {
			return Where{Kind: VM, Name: p.name, Why: "the engine's host is called " + e.HostName}
		}
		if e.OS != "linux" && begins(e.Context, p.hosts) {
			return Where{Kind: VM, Name: p.name, Why: "the engine's context is called " + e.Context}
		}
	}
	switch {
	case e.OS != "linux":
		return Where{Kind: VM, Name: e.HostName, Why: "containers need Linux, and this machine has " + e.OS}
	case !sameName:
		return Where{Kind: Remote, Name: e.HostName, Why: "the engine's host is called " + e.HostName + ", and this machine " + e.OwnName}
	}
	where := Where{Kind: Local, Why: "the engine's host is called as this machine, and reached by " + orSocket(e.Endpoint)}
	if scheme == "unix" {
		where.Socket = socket
	}
	return where
}

// split returns scheme, host name and path of an endpoint.
func split(endpoint string) (scheme, host, socket string) {
	parsed, err := url.Parse(endpoint)
	if err != nil {
		return "", "", endpoint
	}
	return parsed.Scheme, parsed.Hostname(), path.Clean("/" + parsed.Path)
}

func isLoopback(host string) bool {
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1", ""}, host)
}

func has(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

func begins(text string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}

func orSocket(endpoint string) string {
	if endpoint == "" {
		return "its usual socket"
	}
	return endpoint
}
