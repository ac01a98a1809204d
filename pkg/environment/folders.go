// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// folders makes what nodes mount: an engine would make a missing folder as root's.
func (e *Environment) folders() steps.Step {
	dir := e.backupBucketsDir()
	return steps.Step{
		Name:  stepFolders,
		Title: "Folder for backups of etcd",
		Needs: []string{stepNetwork}, // which comes when all that could be missing is there
		Observe: func(context.Context) (steps.Observation, error) {
			info, err := os.Stat(dir)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return steps.Observation{State: steps.Missing, Text: dir}, nil
			case err != nil:
				return steps.Observation{}, fmt.Errorf("looking for the folder for backups of etcd: %w", err)
			case !info.IsDir():
				return steps.Observation{}, fmt.Errorf("%s, for backups of etcd, is no folder: move it away", dir)
			}
			if uses, err := e.usesShared(dir); err != nil || !uses {
				return steps.Observation{State: steps.Differs, Text: notUsed}, err
			}
			return steps.Observation{State: steps.AsWanted, Text: dir}, nil
		},
		Apply: e.withShared(stepFolders, func(ctx context.Context, _ func(string)) (string, error) {
			if err := e.makeDir(); err != nil {
				return "", err
			}
			var made []string
			if !exists(dir) {
				made = append(made, dir)
			}
			if err := e.useShared(ctx, dir, made...); err != nil {
				return "", err
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return "", fmt.Errorf("making the folder for backups of etcd: %w", err)
			}
			return dir, nil
		}),
		Undo: func(ctx context.Context) (string, error) { return e.undoFolders(ctx, []string{dir}) },
	}
}

func (e *Environment) backupBucketsDir() string {
	return render.BackupBucketsDir(e.spec, render.Options{Dir: e.Dir, SharedDir: e.StateDir})
}

// undoFolders removes those of the folders that kindling made and no other environment uses.
func (e *Environment) undoFolders(ctx context.Context, dirs []string) (string, error) {
	var removed, left []string
	for _, dir := range dirs {
		others, err := e.releaseShared(ctx, dir, func(made []string) error {
			if !slices.Contains(made, dir) || !exists(dir) {
				return nil
			}
			removed = append(removed, dir)
			if err := e.removeFolder(ctx, dir); err != nil {
				return err
			}
			return e.removeEmpty(filepath.Dir(dir))
		})
		if err != nil {
			return "", err
		}
		left = union(left, others...)
	}
	switch {
	case len(left) > 0:
		return "left: used by " + strings.Join(left, ", "), nil
	case len(removed) > 0:
		return "removed", nil
	}
	return "left: kindling did not make it", nil
}

// removeEmpty removes a folder below that of what environments share, when it is empty: no other folder is kindling's own.
func (e *Environment) removeEmpty(dir string) error {
	inside, err := filepath.Rel(e.StateDir, dir)
	if err != nil || !filepath.IsLocal(inside) || inside == "." {
		return nil //nolint:nilerr // not below it
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		return err
	}
	return os.Remove(dir)
}

// removeFolder removes a folder whose content may be anybody's: pods write it with identities of their own. Where this user may not,
// the engine may.
func (e *Environment) removeFolder(ctx context.Context, dir string) error {
	err := os.RemoveAll(dir)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_, runErr := e.Engine.RunOnce(ctx, engine.ContainerSpec{
		Image: e.spec.Spec.Clusters[0].NodeImage, Network: "none", Mounts: []engine.BindMount{{Host: filepath.Dir(dir), Container: "/parent"}},
		Entrypoint: "rm", Args: []string{"--recursive", "--force", "--one-file-system", "/parent/" + filepath.Base(dir)},
	})
	if runErr != nil {
		return fmt.Errorf("removing %s: %w, and by a container: %w: remove it with the rights of root", dir, err, runErr)
	}
	return nil
}

func (e *Environment) wantsBackupBuckets() bool {
	return slices.ContainsFunc(e.spec.Spec.Clusters, func(c v1alpha1.Cluster) bool { return slices.Contains(c.Parts, v1alpha1.PartBackupBucket) })
}
