// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package gobuild builds programs of published Go modules as their authors do:
// each module with the dependencies of its own go.mod and go.sum.
package gobuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gardener/kindling/hack/nodeimage/internal/release"
	"github.com/gardener/kindling/hack/nodeimage/internal/run"
)

// Build puts the module's programs into the folder target, which it makes.
func Build(ctx context.Context, module release.Module, target string) error {
	source, err := Download(ctx, module)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "nodeimage-")
	if err != nil {
		return fmt.Errorf("cannot make a folder for go.mod: %w", err)
	}
	defer os.RemoveAll(scratch)
	// Sums of the neighbours are not in the module's go.sum: go adds them there,
	// after asking the checksum database, hence -mod=mod below.
	modFile, err := writeModFile(source, module, scratch)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o755); err != nil {
		return fmt.Errorf("cannot make a folder for programs: %w", err)
	}
	for _, program := range module.Programs {
		args := buildArgs(module, program, filepath.Join(target, program.Name), "-modfile="+modFile, "-mod=mod")
		command := run.Command{Name: "go", Args: args, Folder: source, Env: environment()}
		if err := command.Run(ctx); err != nil {
			return fmt.Errorf("%s: %w", program.Name, err)
		}
	}
	return nil
}

// BuildLocal builds a main package of this repository. It must run inside the
// module nodeimage.
func BuildLocal(ctx context.Context, program release.Program, target string) error {
	if err := os.MkdirAll(target, 0o755); err != nil {
		return fmt.Errorf("cannot make a folder for programs: %w", err)
	}
	args := buildArgs(release.Module{}, program, filepath.Join(target, program.Name))
	return run.Command{Name: "go", Args: args, Env: environment()}.Run(ctx)
}

// Download returns the folder with the module's source. It is read-only.
func Download(ctx context.Context, module release.Module) (string, error) {
	command := run.Command{Name: "go", Args: []string{"mod", "download", "-json", module.Path + "@" + module.Version}}
	output, failed := command.Output(ctx)
	var answer struct{ Dir, Error string }
	if err := json.Unmarshal(output, &answer); err != nil {
		return "", fmt.Errorf("cannot download %s: %w", module.Path, errors.Join(failed, err))
	}
	if answer.Error != "" || answer.Dir == "" {
		return "", fmt.Errorf("cannot download %s at %s: %s", module.Path, module.Version, answer.Error)
	}
	return answer.Dir, nil
}

func writeModFile(source string, module release.Module, folder string) (string, error) {
	before, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return "", fmt.Errorf("%s: %w", module.Path, err)
	}
	sums, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return "", fmt.Errorf("%s: %w", module.Path, err)
	}
	after, err := Standalone(before, module.Siblings)
	if err != nil {
		return "", fmt.Errorf("%s: %w", module.Path, err)
	}
	path := filepath.Join(folder, "go.mod")
	if err := os.WriteFile(path, after, 0o644); err != nil {
		return "", fmt.Errorf("cannot write go.mod: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "go.sum"), sums, 0o644); err != nil {
		return "", fmt.Errorf("cannot write go.sum: %w", err)
	}
	return path, nil
}

// buildArgs asks for a small program that does not depend on who built it.
func buildArgs(module release.Module, program release.Program, target string, more ...string) []string {
	flags := []string{"-s", "-w"}
	for _, variable := range slices.Sorted(maps.Keys(module.Stamps)) {
		flags = append(flags, "-X", variable+"="+module.Stamps[variable])
	}
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=" + strings.Join(flags, " "), "-o", target}
	if len(module.BuildTags) > 0 {
		args = append(args, "-tags="+strings.Join(module.BuildTags, ","))
	}
	return append(append(args, more...), program.Package)
}

// environment switches off what would tie a program to this machine: a C
// library, and workspaces of the source. A later value wins.
func environment() []string {
	return append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
}
