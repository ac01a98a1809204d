// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package doctor

// program is the engine's, for remedies.
func (f Facts) program() string {
	about, _, ok := f.About.get()
	if !ok {
		return "docker"
	}
	return about.Name
}

// Maybe is a fact, or why it is not known. The zero value is not known.
type Maybe[T any] struct {
	value T
	known bool
	why   string
}

// Known returns a fact.
func Known[T any](value T) Maybe[T] { return Maybe[T]{value: value, known: true} }

// Unknown returns a fact that could not be found out, and why.
func Unknown[T any](why string) Maybe[T] { return Maybe[T]{why: why} }

// Of returns the value, or why there is none.
func Of[T any](value T, err error) Maybe[T] {
	if err != nil {
		return Unknown[T](err.Error())
	}
	return Known(value)
}

// Facts are what was found, and what the environment wants of it. What is not known says why.
type Facts struct {
	// Engine holds an empty text when the engine answers, else why there is none to work with.
	Engine Maybe[string]
	// KindNetwork says that kind is sent to another network; empty when it is not.
	KindNetwork Maybe[string]
	// About is what the engine tells of itself and of its host.
	About Maybe[Engine]
	// Location is where the engine's host is.
	Location Maybe[Location]
	// Host is what a container saw of the engine's host.
	Host Maybe[Host]
	// Images are the references of images that the environment needs and the engine lacks; up pulls them.
	Images Maybe[[]string]
	// Architectures says in words which node images are made for another machine than the engine's host.
	Architectures Maybe[[]string]
	// Addresses are missing from this machine's loopback interface.
	Addresses Maybe[[]string]
	// AddressTaken says that another interface of this machine has an address that ports are published on; empty when none has.
	AddressTaken Maybe[string]
	// Ports are those of the engine's host that somebody has, each with its holder.
	Ports Maybe[[]string]
	// ContainerNetwork says what is wrong with the network of the nodes; empty when it is as wanted, or not there.
	ContainerNetwork Maybe[string]
	// EngineNetworks and Routes cover ranges of the plan.
	EngineNetworks, Routes Maybe[[]Overlap]
	// Proxy are the variables that programs reach the network by.
	Proxy Maybe[Proxy]
	// Manifest says why the cached manifest of Calico is not the pinned one; empty when it is, or when none is cached.
	Manifest Maybe[Damaged]
	// Leftovers are what dead environments left.
	Leftovers Maybe[[]Leftover]

	// Wanted is what the environment asks for.
	Wanted Wanted
}

// Wanted is what an environment asks for.
type Wanted struct {
	// IPv6 is one of its families.
	IPv6 bool
	// ClustersOnly: no Gardener is going to run there.
	ClustersOnly bool
	// KubernetesRefusesCgroupV1: its version does, unless it is told not to.
	KubernetesRefusesCgroupV1 bool
	// Limits of the engine's host, at least.
	Limits []Limit
	// Ranges are those of the plan, which no proxy shall be asked for, as prefixes in CIDR notation.
	Ranges []string
	// Names likewise: suffixes of host names.
	Names []string
}

// Engine is what an engine tells of itself and of its host.
type Engine struct {
	// Name is docker, nerdctl or podman, Version such as 28.2.2.
	Name, Version string
	Kernel        string
	Rootless      bool
	// CgroupVersion is 1 or 2; 0 when the engine does not tell.
	CgroupVersion int
	CPUs          int
	// Memory in bytes.
	Memory int64
}

// Location is where the engine's host is.
type Location struct {
	// Text is for people.
	Text string
	// Remote is another machine.
	Remote bool
}

// Host is what a container saw of the engine's host.
type Host struct {
	// LittleDisk says that there is little room; empty when there is enough or when it is not known.
	LittleDisk string
	// DiskFree in bytes; 0 where it could not be read.
	DiskFree uint64
	// Clock says that it differs from this machine's; empty when it does not.
	Clock Maybe[string]
	// Lacks says in words which modules of the kernel are missing.
	Lacks []string
	IPv6  bool
	// NAT6 says that the kernel can hide IPv6 addresses; nil where that is not known.
	NAT6 *bool
	// Limits by their names.
	Limits map[string]int
}

// Limit is a limit of the kernel, by its name.
type Limit struct {
	Name string
	Want int
}

// Overlap is a range of the host that covers a part of a planned one.
type Overlap struct {
	Text, Remedy string
	// Harmless ones let all be made, and keep pods from what lies there.
	Harmless bool
}

// Damaged is a file that is not what it should be; the zero value is none.
type Damaged struct{ Path, Why string }

// Proxy are the variables that programs reach the network by.
type Proxy struct {
	// Variable names the one that is set, with its value; empty when none is.
	Variable, Value string
	// Except is the value of NO_PROXY.
	Except string
}

// Leftover is a thing that a dead environment left, by kind and name.
type Leftover struct {
	Kind LeftoverKind
	Name string
	// Why it is one.
	Why string
	// Folder of the environment that it was added for.
	Folder string
	// Dead says that it is certain that nobody needs it: what may be another user's is shown, and not removed.
	Dead bool
}

// LeftoverKind says what a leftover is.
type LeftoverKind string

// The kinds.
const (
	LeftContainer LeftoverKind = "container"
	LeftNetwork   LeftoverKind = "network"
	// LeftRecord is a file by which kindling knows an environment whose clusters are gone.
	LeftRecord LeftoverKind = "record"
	// LeftShare is what was added to the engine's host or to this machine: addresses, rules, entries of a resolver.
	LeftShare LeftoverKind = "what was added for"
)
