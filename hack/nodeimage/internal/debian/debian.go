// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package debian makes file systems from Debian packages.
package debian

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gardener/kindling/hack/nodeimage/internal/release"
	"github.com/gardener/kindling/hack/nodeimage/internal/run"
)

// Prepare installs debootstrap and xz with apt-get where they are missing.
func Prepare(ctx context.Context) error {
	if os.Geteuid() != 0 {
		return errors.New("debootstrap needs root: run this as root")
	}
	_, noBootstrap := exec.LookPath("debootstrap")
	_, noXZ := exec.LookPath("xz")
	if noBootstrap == nil && noXZ == nil {
		return nil
	}
	environment := append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	for _, args := range [][]string{{"update"}, {"install", "--yes", "debootstrap", "xz-utils"}} {
		if err := (run.Command{Name: "apt-get", Args: args, Env: environment}).Run(ctx); err != nil {
			return fmt.Errorf("debootstrap or xz is missing and cannot be installed, do it by hand: %w", err)
		}
	}
	return nil
}

// Bootstrap writes the file system as a tar file to target. Downloaded
// packages stay in the folder packages for the next time.
func Bootstrap(ctx context.Context, system release.Debian, packages, target string) (err error) {
	if err := os.MkdirAll(packages, 0o755); err != nil {
		return fmt.Errorf("cannot make a folder for packages: %w", err)
	}
	root := target + ".root"
	if err := errors.Join(os.RemoveAll(root), os.Mkdir(root, 0o755)); err != nil {
		return fmt.Errorf("cannot make a folder for the file system: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	command := run.Command{
		Name: "debootstrap",
		Args: []string{
			"--variant=minbase", "--cache-dir=" + packages, "--include=" + strings.Join(system.Packages, ","),
			system.Suite, root,
		},
		// It mounts /proc and /sys in the new root.
		PrivateMounts: true,
	}
	if err := command.Run(ctx); err != nil {
		return err
	}
	if err := removeAll(root, unwanted()); err != nil {
		return err
	}
	return pack(ctx, root, target)
}

// pack keeps owners, hard links and file capabilities, which need root.
func pack(ctx context.Context, root, target string) error {
	args := []string{
		"--create", "--file=" + target, "--directory=" + root, "--numeric-owner", "--sort=name",
		"--xattrs", "--xattrs-include=security.capability", "--one-file-system",
		"--exclude=./dev/*", "--exclude=./proc/*", "--exclude=./sys/*", "--exclude=./run/*", ".",
	}
	return run.Command{Name: "tar", Args: args}.Run(ctx)
}

// removeAll removes what the patterns match below root.
func removeAll(root string, patterns []string) error {
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return fmt.Errorf("pattern %q: %w", pattern, err)
		}
		for _, path := range found {
			if err := os.RemoveAll(path); err != nil {
				return fmt.Errorf("cannot tidy up the file system: %w", err)
			}
		}
	}
	return nil
}
