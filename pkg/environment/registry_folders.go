// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/registry"
)

// mountedData is where the folder with all images is in a container that looks at it.
const mountedData = "/data"

// DataError says that images can't be kept in a folder.
type DataError struct {
	Dir string
	Err error
}

// Error implements error.
func (e *DataError) Error() string {
	return fmt.Sprintf("images of registry and caches can't be kept in %s: %s\nMake it writable for you and for containers, or choose another folder with spec.registry.dir",
		e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Err }

// makeFolders makes the folders, which an engine would make as root's, and sees that containers can write them: whether they can depends
// on the file system and on the engine's rights, and a registry that can't tells nobody until the first push.
func (r registries) makeFolders(ctx context.Context, servers []registry.Server) error {
	dir := r.wanted.Dir
	var args []string
	for _, server := range servers {
		if err := os.MkdirAll(filepath.Join(dir, server.Folder), 0o755); err != nil {
			return &DataError{dir, err}
		}
		if len(args) > 0 {
			args = append(args, "-a")
		}
		args = append(args, "-w", path.Join(mountedData, server.Folder))
	}
	_, err := r.env.withData(ctx, "test", args...)
	var exit *exec.ExitError
	if failed, ok := errors.AsType[*engine.CommandError](err); ok && failed.Output == "" && errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = errors.New("containers may not write there")
	}
	if err != nil {
		return &DataError{dir, err}
	}
	return nil
}

// withData runs a program that sees the folder with all images, as root of the engine's host: what registries write is root's.
func (e *Environment) withData(ctx context.Context, program string, args ...string) ([]byte, error) {
	return e.Engine.RunOnce(ctx, engine.ContainerSpec{
		Image: e.spec.Spec.Clusters[0].NodeImage, Network: "none", Mounts: []engine.BindMount{{Host: e.registryDir(), Container: mountedData}},
		Entrypoint: program, Args: args,
	})
}
