// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package recipe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gardener/kindling/hack/nodeimage/internal/cache"
	"github.com/gardener/kindling/hack/nodeimage/internal/image"
	"github.com/gardener/kindling/hack/nodeimage/internal/release"
	"github.com/gardener/kindling/hack/nodeimage/internal/run"
	"github.com/gardener/kindling/hack/nodeimage/internal/tarfile"
)

// checkImages asks the kubeadm that was built which images it wants, so that a
// forgotten one fails here and not in a test that cannot pull it.
func checkImages(ctx context.Context, r release.Release, done cache.Artefacts) error {
	kubeadm := run.Command{
		Name: filepath.Join(done["kubernetes"], "kubeadm"),
		Args: []string{"config", "images", "list", "--kubernetes-version", r.Kubernetes},
	}
	output, err := kubeadm.Output(ctx)
	if err != nil {
		return fmt.Errorf("cannot ask for the names of images: %w", err)
	}
	if missing := missingImages(string(output), r.Images); len(missing) > 0 {
		return fmt.Errorf("kubeadm wants images that the release does not name: %s", strings.Join(missing, ", "))
	}
	return nil
}

// missingImages reads one name a line and returns those not in the list.
func missingImages(wanted string, list []release.Image) []string {
	var missing []string
	for name := range strings.FieldsSeq(wanted) {
		if !slices.ContainsFunc(list, func(i release.Image) bool { return i.Name == name }) {
			missing = append(missing, name)
		}
	}
	return missing
}

// writeImages makes a layer for each program and all images in one archive.
func writeImages(r release.Release, done cache.Artefacts, target string) (err error) {
	layers := target + ".layers"
	if err := errors.Join(os.RemoveAll(layers), os.Mkdir(layers, 0o755)); err != nil {
		return fmt.Errorf("cannot make a folder for layers: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(layers)) }()
	var specs []image.Spec
	for _, wanted := range r.Images {
		spec := image.Spec{Tag: wanted.Name}
		if wanted.OnTools {
			spec.Layers = append(spec.Layers, done[r.Tools.Name])
		}
		if wanted.Program != "" {
			layer := filepath.Join(layers, wanted.Program)
			if err := tarfile.Write(layer, programLayer(wanted, done)); err != nil {
				return err
			}
			spec.Layers = append(spec.Layers, layer)
			spec.Entrypoint = []string{"/" + wanted.Path}
		}
		specs = append(specs, spec)
	}
	return image.WriteArchive(target, specs)
}

// programLayer adds a folder for temporary files: some programs insist on it,
// and an image without a file system below has none.
func programLayer(wanted release.Image, done cache.Artefacts) []tarfile.Entry {
	return []tarfile.Entry{
		{Path: "tmp", Mode: 0o777 | fs.ModeSticky, Folder: true},
		programEntry(done, wanted.Module, wanted.Program, wanted.Path),
	}
}
