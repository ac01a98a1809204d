// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package recipe lists the steps that lead to the node image.
package recipe

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gardener/kindling/hack/nodeimage/internal/cache"
	"github.com/gardener/kindling/hack/nodeimage/internal/content"
	"github.com/gardener/kindling/hack/nodeimage/internal/debian"
	"github.com/gardener/kindling/hack/nodeimage/internal/gobuild"
	"github.com/gardener/kindling/hack/nodeimage/internal/image"
	"github.com/gardener/kindling/hack/nodeimage/internal/release"
	"github.com/gardener/kindling/hack/nodeimage/internal/run"
	"github.com/gardener/kindling/hack/nodeimage/internal/tarfile"
)

// Names of steps whose artefacts a caller uses.
const (
	// NodeImage is a tar file for "docker load".
	NodeImage = "node.tar"
	// NodeArchive is the same, compressed with xz.
	NodeArchive = "node.tar.xz"

	images = "images.tar"
	store  = "store.tar"
	files  = "files.tar"
)

// Steps returns the steps in the order they are run. The folder packages keeps
// Debian packages. The last step is NodeArchive if compress says so.
func Steps(r release.Release, packages string, compress bool) ([]cache.Step, error) {
	steps, err := programSteps(r)
	if err != nil {
		return nil, err
	}
	for _, system := range []release.Debian{r.Node, r.Tools} {
		step, err := debianStep(system, packages)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	rest, err := imageSteps(r)
	if err != nil {
		return nil, err
	}
	steps = append(steps, rest...)
	if compress {
		steps = append(steps, compressStep())
	}
	return steps, nil
}

// programSteps has one step a module, and one for the pause program.
func programSteps(r release.Release) ([]cache.Step, error) {
	source, err := os.ReadFile(filepath.Join("pause", "main.go"))
	if err != nil {
		return nil, fmt.Errorf("run this in the folder of the module nodeimage: %w", err)
	}
	pause := release.Program{Package: "./pause", Name: "pause"}
	steps := []cache.Step{{
		Name:   release.PauseModule,
		Inputs: []string{string(source)},
		Make: func(ctx context.Context, _ cache.Artefacts, target string) error {
			return gobuild.BuildLocal(ctx, pause, target)
		},
	}}
	for _, module := range r.Modules {
		input, err := describe(module)
		if err != nil {
			return nil, err
		}
		steps = append(steps, cache.Step{
			Name:   module.Name,
			Inputs: []string{input},
			Make: func(ctx context.Context, _ cache.Artefacts, target string) error {
				return gobuild.Build(ctx, module, target)
			},
		})
	}
	return steps, nil
}

func debianStep(system release.Debian, packages string) (cache.Step, error) {
	input, err := describe(system)
	if err != nil {
		return cache.Step{}, err
	}
	return cache.Step{
		Name:   system.Name,
		Inputs: []string{input},
		Make: func(ctx context.Context, _ cache.Artefacts, target string) error {
			return debian.Bootstrap(ctx, system, packages, target)
		},
	}, nil
}

// imageSteps puts programs into images, images into a store, and the store
// with everything else into the node image.
func imageSteps(r release.Release) ([]cache.Step, error) {
	tag := r.Tag
	// Another name makes another last step, and nothing else.
	r.Tag = ""
	input, err := describe(r)
	if err != nil {
		return nil, err
	}
	needs := []string{release.PauseModule, r.Tools.Name}
	for _, module := range r.Modules {
		needs = append(needs, module.Name)
	}
	makeImages := func(ctx context.Context, done cache.Artefacts, target string) error {
		if err := checkImages(ctx, r, done); err != nil {
			return err
		}
		return writeImages(r, done, target)
	}
	makeStore := func(ctx context.Context, done cache.Artefacts, target string) error {
		return content.WriteLayer(ctx, done["containerd"], done[images], target)
	}
	makeFiles := func(ctx context.Context, done cache.Artefacts, target string) error {
		return writeFiles(ctx, r, done, target)
	}
	makeNode := func(_ context.Context, done cache.Artefacts, target string) error {
		return image.WriteArchive(target, []image.Spec{nodeSpec(r, tag, done)})
	}
	return []cache.Step{
		{Name: images, Inputs: []string{input}, Needs: needs, Make: makeImages},
		{Name: store, Needs: []string{images, "containerd"}, Make: makeStore},
		{Name: files, Inputs: []string{input, filesRevision}, Needs: needs, Make: makeFiles},
		{Name: NodeImage, Inputs: []string{tag}, Needs: []string{r.Node.Name, files, store}, Make: makeNode},
	}, nil
}

// nodeSpec starts systemd behind kind's entrypoint, and stops it with the
// signal systemd wants; systemd looks at the variable "container".
func nodeSpec(r release.Release, tag string, done cache.Artefacts) image.Spec {
	return image.Spec{
		Tag:        tag,
		Layers:     []string{done[r.Node.Name], done[files], done[store]},
		Entrypoint: []string{"/usr/local/bin/entrypoint", "/sbin/init"},
		Env:        []string{"container=docker"},
		StopSignal: "SIGRTMIN+3",
	}
}

// compressStep makes one long stream with a large dictionary: programs in Go
// have much in common, and blocks for several processors would hide that.
func compressStep() cache.Step {
	flags := []string{"--threads=1", "--lzma2=preset=6,dict=192MiB", "--stdout"}
	return cache.Step{
		Name:   NodeArchive,
		Needs:  []string{NodeImage},
		Inputs: flags,
		Make: func(ctx context.Context, done cache.Artefacts, target string) (err error) {
			file, err := os.Create(target)
			if err != nil {
				return fmt.Errorf("cannot make the archive: %w", err)
			}
			err = run.Command{Name: "xz", Args: append(flags, done[NodeImage])}.To(ctx, file)
			if closing := file.Close(); err == nil {
				err = closing
			}
			return err
		},
	}
}

// describe turns a value into a text that differs if the value does.
func describe[T release.Release | release.Module | release.Debian](value T) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("cannot describe a step's input: %w", err)
	}
	return string(text), nil
}

// programEntry is a built program at a place in a layer.
func programEntry(done cache.Artefacts, module, program, path string) tarfile.Entry {
	return tarfile.Entry{Path: path, Mode: 0o755, Source: filepath.Join(done[module], program)}
}
