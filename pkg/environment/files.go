// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// files writes what Gardener gets: seed.yaml and shoot.yaml, beside the files that the clusters were made from.
func (e *Environment) files(needs []string) steps.Step {
	return steps.Step{
		Name:  stepFiles,
		Title: "seed.yaml and shoot.yaml",
		Needs: needs,
		Observe: func(ctx context.Context) (steps.Observation, error) {
			files, err := e.renderFiles(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			for _, file := range files {
				have, err := os.ReadFile(e.path(file.Name))
				switch {
				case errors.Is(err, fs.ErrNotExist):
					return steps.Observation{State: steps.Missing, Text: e.path(file.Name)}, nil
				case err != nil:
					return steps.Observation{}, fmt.Errorf("reading what was rendered before: %w", err)
				case !bytes.Equal(have, file.Content):
					return steps.Observation{State: steps.Differs, Text: e.path(file.Name)}, nil
				}
			}
			stale, err := e.staleFiles(files)
			if err != nil || len(stale) > 0 {
				return steps.Observation{State: steps.Differs, Text: "of an earlier file: " + strings.Join(stale, ", ")}, err
			}
			return steps.Observation{State: steps.AsWanted, Text: e.Dir}, nil
		},
		Apply: func(ctx context.Context, _ func(string)) (string, error) {
			files, err := e.renderFiles(ctx)
			if err != nil {
				return "", err
			}
			for _, file := range files {
				if err := e.writeFile(file.Name, file.Content, 0o644); err != nil {
					return "", err
				}
			}
			stale, err := e.staleFiles(files)
			if err != nil {
				return "", err
			}
			return e.Dir, e.removeFiles(stale)
		},
		Undo: func(context.Context) (string, error) {
			stale, err := e.staleFiles(nil)
			if err != nil {
				return "", err
			}
			return "removed", e.removeFiles(stale)
		},
	}
}

// staleFiles returns the files on record that are not among the rendered ones, whatever the environment file says now. Kubeconfigs are
// left to the steps of their clusters, which take out the entries that were merged from them.
func (e *Environment) staleFiles(rendered []render.File) ([]string, error) {
	recorded, err := e.record.read()
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, file := range rendered {
		wanted[file.Name] = true
	}
	for _, cluster := range recorded.Clusters {
		wanted[cluster.Kubeconfig] = true
		for _, path := range cluster.Copies {
			wanted[path] = true
		}
	}
	return slices.DeleteFunc(recorded.Files, func(name string) bool { return wanted[name] }), nil
}

func (e *Environment) removeFiles(names []string) error {
	for _, name := range names {
		if err := e.removeFile(name); err != nil {
			return err
		}
	}
	return nil
}

func (e *Environment) renderFiles(ctx context.Context) ([]render.File, error) {
	opts := e.renderOptions(render.Resolve(e.spec.Spec.Calico.Encapsulation))
	if e.calicoWanted() {
		var err error
		if opts, err = e.clusters[0].renderOptions(ctx); err != nil {
			return nil, err
		}
	}
	return render.Files(e.spec, e.plan, opts)
}
