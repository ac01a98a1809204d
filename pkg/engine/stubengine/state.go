// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// State is everything that the engine has.
type State struct {
	// ServerVersion is that of the daemon; empty means 28.2.2.
	ServerVersion string `json:"serverVersion,omitempty"`
	// APIVersion of the daemon; empty means 1.50.
	APIVersion string `json:"apiVersion,omitempty"`
	// CgroupVersion is "1" or "2"; empty means "2".
	CgroupVersion string `json:"cgroupVersion,omitempty"`
	// Name is the host name of the engine's host; empty means stub-engine.
	Name string `json:"name,omitempty"`
	// OperatingSystem of the engine's host; empty means Stub Linux.
	OperatingSystem string `json:"operatingSystem,omitempty"`
	// Endpoint is the URL that the engine is reached by; empty means docker's usual socket.
	Endpoint string `json:"endpoint,omitempty"`
	// ClockAhead is by how much the clock of the engine's host is ahead.
	ClockAhead time.Duration `json:"clockAhead,omitempty"`
	// BootID of the engine's host; empty means stub-boot.
	BootID string `json:"bootID,omitempty"`
	// HostAddresses are on the loopback interface of the engine's host.
	HostAddresses []netip.Addr `json:"hostAddresses,omitempty"`
	// HostRules are those of iptables and ip6tables on the engine's host, behind the program's name.
	HostRules []string `json:"hostRules,omitempty"`
	// NoRouteIPv6 says that the engine's host has no default route for IPv6.
	NoRouteIPv6 bool `json:"noRouteIPv6,omitempty"`
	// FewModules says that the kernel of the engine's host has none for tunnels.
	FewModules bool `json:"fewModules,omitempty"`
	// Memory of the engine's host in bytes; 0 means 32 GiB.
	Memory int64 `json:"memory,omitempty"`
	// DiskFree is what df tells in containers; 0 means 100 GiB.
	DiskFree   int64       `json:"diskFree,omitempty"`
	Networks   []Network   `json:"networks,omitempty"`
	Containers []Container `json:"containers,omitempty"`
	Images     []Image     `json:"images,omitempty"`
	// Pullable are images that a registry has.
	Pullable []Image `json:"pullable,omitempty"`
	// Published is the address and port where all published ports are told to be; empty for where they were asked for. A test listens there.
	Published string `json:"published,omitempty"`
	// Labels are given to every container that is made, beside its own: Docker Desktop tells published ports that way.
	Labels map[string]string `json:"labels,omitempty"`
	// Answers are tried in order; the first that fits is given.
	Answers []Answer `json:"answers,omitempty"`
	// Made counts the things that got an identity, which is made of it: a test sees the same ones in each run.
	Made int `json:"made,omitempty"`
}

// Network is a bridge network.
type Network struct {
	ID       string            `json:"id"`
	Name     string            `json:"name"`
	Subnets  []netip.Prefix    `json:"subnets,omitempty"`
	IPv6     bool              `json:"ipv6,omitempty"`
	Internal bool              `json:"internal,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Options  map[string]string `json:"options,omitempty"`
}

// Container is a container. It has a place in one network.
type Container struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Image string `json:"image"`
	// State is created, running or exited.
	State string `json:"state"`
	// Created and Started are when it was made, and started last.
	Created time.Time         `json:"created,omitzero"`
	Started time.Time         `json:"started,omitzero"`
	Labels  map[string]string `json:"labels,omitempty"`
	Network string            `json:"network,omitempty"`
	// Aliases are further names in the network.
	Aliases []string `json:"aliases,omitempty"`
	// Addresses in the network, at most one a family. A stopped container has none.
	Addresses []netip.Addr `json:"addresses,omitempty"`
	// Fixed are the addresses that it gets whenever it is started.
	Fixed []netip.Addr `json:"fixed,omitempty"`
	Ports []Port       `json:"ports,omitempty"`
	// Files that were written into it, by path.
	Files map[string]string `json:"files,omitempty"`
	// Rules are those of iptables and ip6tables, behind the program's name.
	Rules []string `json:"rules,omitempty"`
	// Images that were imported into it.
	Images []Image `json:"images,omitempty"`
}

// Port is a port of a container that is published on the host.
type Port struct {
	// Container port with its protocol: 6443/tcp.
	Container string `json:"container"`
	HostIP    string `json:"hostIP"`
	HostPort  string `json:"hostPort"`
}

// Image is an image; as JSON it is also what an archive of it contains.
type Image struct {
	ID    string   `json:"id"`
	Names []string `json:"names"`
	// Architecture such as arm64; empty is not told.
	Architecture string `json:"architecture,omitempty"`
}

// Answer is what a call gets instead of what the stub would do.
type Answer struct {
	// Call is the words of the calls that it is for: they must be among the arguments in this order, the first one first.
	Call   string `json:"call"`
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
	// Exit is the exit code; a call that hangs has 1 if it is 0.
	Exit int `json:"exit,omitempty"`
	// Hang makes the call wait until the test ends or closes the stub, and fail then.
	Hang bool `json:"hang,omitempty"`
	// Times is how often it is given; 0 means always.
	Times int `json:"times,omitempty"`
}

// identity returns a new one that looks like docker's.
func (s *State) identity() string {
	s.Made++
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strconv.Itoa(s.Made))))
}

func (s *State) network(reference string) *Network {
	i := slices.IndexFunc(s.Networks, func(n Network) bool { return n.Name == reference || isShort(n.ID, reference) })
	if i < 0 {
		return nil
	}
	return &s.Networks[i]
}

func (s *State) container(reference string) *Container {
	i := slices.IndexFunc(s.Containers, func(c Container) bool { return c.Name == reference || isShort(c.ID, reference) })
	if i < 0 {
		return nil
	}
	return &s.Containers[i]
}

func image(images []Image, reference string) *Image {
	i := slices.IndexFunc(images, func(i Image) bool { return i.ID == reference || slices.Contains(i.Names, reference) })
	if i < 0 {
		return nil
	}
	return &images[i]
}

// shortLength is how much of an identity the listings of docker show.
const shortLength = 12

func short(id string) string { return id[:min(len(id), shortLength)] }

func isShort(id, reference string) bool {
	return id != "" && (id == reference || short(id) == reference)
}
