// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package image makes image archives in the form that "docker load" and
// "ctr images import" read.
package image

import (
	"fmt"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// searchPath is what programs in an image find each other with.
const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Spec describes an image.
type Spec struct {
	// Tag is the full name with a tag.
	Tag string
	// Layers are tar files, the lowest first.
	Layers []string
	// Entrypoint is what a container runs; empty for nothing.
	Entrypoint []string
	// Env is added to the search path, in the form NAME=value.
	Env []string
	// StopSignal asks a container to end; empty for the engine's default.
	StopSignal string
}

// WriteArchive writes all images into one tar file. A layer that several of
// them use is stored once.
func WriteArchive(target string, specs []Spec) error {
	images := map[name.Reference]v1.Image{}
	layers := map[string]v1.Layer{}
	for _, spec := range specs {
		tag, err := name.NewTag(spec.Tag, name.StrictValidation)
		if err != nil {
			return fmt.Errorf("image name: %w", err)
		}
		for _, path := range spec.Layers {
			if layers[path] != nil {
				continue
			}
			if layers[path], err = newLayer(path); err != nil {
				return err
			}
		}
		if images[tag], err = assemble(spec, layers); err != nil {
			return fmt.Errorf("cannot assemble %s: %w", spec.Tag, err)
		}
	}
	if err := tarball.MultiRefWriteToFile(target, images); err != nil {
		return fmt.Errorf("cannot write images: %w", err)
	}
	return nil
}

func assemble(spec Spec, layers map[string]v1.Layer) (v1.Image, error) {
	image := empty.Image
	for _, path := range spec.Layers {
		next, err := mutate.AppendLayers(image, layers[path])
		if err != nil {
			return nil, err
		}
		image = next
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS = "linux"
	file.Architecture = runtime.GOARCH
	file.Config = v1.Config{
		Entrypoint: spec.Entrypoint,
		Env:        append([]string{searchPath}, spec.Env...),
		StopSignal: spec.StopSignal,
	}
	return mutate.ConfigFile(image, file)
}
