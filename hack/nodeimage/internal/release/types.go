// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package release lists what the node image is made of, with versions.
package release

// Release is everything that decides what is in the image.
type Release struct {
	// Tag is the name the image gets in the container engine.
	Tag string
	// Kubernetes is the version in the form "v1.37.2".
	Kubernetes string
	// Pause is the image of the pods' first process; containerd must know it.
	Pause string
	// Kind is the module with the node's scripts and units.
	Kind Module
	// Modules are built from source.
	Modules []Module
	// Node and Tools are the two Debian file systems.
	Node, Tools Debian
	// Images are preloaded into the node's containerd.
	Images []Image
}

// Module is a Go module at a version, and what is built from it.
type Module struct {
	// Name is short and unique; it names the artefact.
	Name    string
	Path    string
	Version string
	// Siblings is the version of modules of the same repository that the
	// module's go.mod names without one (v0.0.0). Empty if there are none.
	Siblings string
	// Programs are main packages, relative to the module ("./cmd/kubelet").
	Programs []Program
	// Stamps are values that the linker sets, by the variable's full name.
	Stamps map[string]string
	// BuildTags are given to the compiler.
	BuildTags []string
}

// Program is a main package and the file name it gets.
type Program struct {
	Package string
	Name    string
}

// Debian is a file system made by debootstrap.
type Debian struct {
	Name     string
	Suite    string
	Packages []string
}

// Image is an image in the node's containerd: one program, alone or on the
// Tools file system, or that file system alone.
type Image struct {
	// Name is what kubeadm or a pod asks for, with registry and tag.
	Name string
	// OnTools puts the program on the Tools file system.
	OnTools bool
	// Module and Program name what was built; both are empty for none.
	Module, Program string
	// Path is where the program lies in the image.
	Path string
}
