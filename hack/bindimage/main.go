// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command bindimage makes an image of Debian's BIND 9 for tests, where no image can be pulled. It takes Linux, root, debootstrap and an
// engine.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
)

// What the image is made of, and its name.
const (
	suite    = "bookworm"
	packages = "bind9"
	tag      = "localhost/kindling/bind9:test"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bindimage:", err)
		os.Exit(1) //nolint:gocritic // nothing is deferred that matters then
	}
}

func run(ctx context.Context) (err error) {
	if _, err := exec.LookPath("debootstrap"); err != nil {
		return errors.New("debootstrap is missing: apt-get install debootstrap")
	}
	root, err := os.MkdirTemp("", "bindimage")
	if err != nil {
		return fmt.Errorf("making a folder for the file system: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	bootstrap := exec.CommandContext(ctx, "debootstrap", "--variant=minbase", "--include="+packages, suite, root)
	bootstrap.Stdout, bootstrap.Stderr = os.Stderr, os.Stderr
	if err := bootstrap.Run(); err != nil {
		return fmt.Errorf("unpacking Debian's packages: %w", err)
	}
	return load(ctx, root)
}

// load gives the engine the file system as an image, with the owners that the packages made.
func load(ctx context.Context, root string) error {
	archive, layer := io.Pipe()
	pack := exec.CommandContext(ctx, "tar", "--create", "--directory="+root, "--numeric-owner", "--one-file-system",
		"--exclude=./dev/*", "--exclude=./proc/*", "--exclude=./sys/*", "--exclude=./run/*", "--exclude=./var/cache/apt/archives/*.deb", ".")
	pack.Stdout, pack.Stderr = layer, os.Stderr
	importing := exec.CommandContext(ctx, "docker", "import", "-", tag)
	importing.Stdin, importing.Stdout, importing.Stderr = archive, os.Stdout, os.Stderr
	packed := make(chan error, 1)
	go func() {
		err := pack.Run()
		_ = layer.CloseWithError(err)
		packed <- err
	}()
	err := importing.Run()
	_ = archive.Close()
	if err := errors.Join(err, <-packed); err != nil {
		return fmt.Errorf("giving the image to the engine: %w", err)
	}
	return nil
}
