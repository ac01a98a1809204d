// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command nodeimage makes the node image that kindling's cluster tests use,
// from Debian packages and Go modules. See README.md beside this file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/gardener/kindling/hack/nodeimage/internal/cache"
	"github.com/gardener/kindling/hack/nodeimage/internal/debian"
	"github.com/gardener/kindling/hack/nodeimage/internal/recipe"
	"github.com/gardener/kindling/hack/nodeimage/internal/release"
	"github.com/gardener/kindling/hack/nodeimage/internal/run"
)

type options struct {
	// archive is a file to write the compressed image to; empty for none.
	archive string
	tag     string
	// folder keeps artefacts.
	folder string
	load   bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := start(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func start(ctx context.Context, args []string) error {
	r := release.Current()
	folder, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("no folder for artefacts, name one with -cache: %w", err)
	}
	o := options{folder: filepath.Join(folder, "kindling-nodeimage")}
	flags := flag.NewFlagSet("nodeimage", flag.ContinueOnError)
	flags.StringVar(&o.archive, "o", "", "also write the image to this file, compressed with xz")
	flags.StringVar(&o.tag, "tag", r.Tag, "name of the image")
	flags.StringVar(&o.folder, "cache", o.folder, "folder that keeps artefacts")
	flags.BoolVar(&o.load, "load", true, "load the image into the container engine")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.folder, err = filepath.Abs(o.folder); err != nil {
		return fmt.Errorf("cannot find the folder for artefacts: %w", err)
	}
	r.Tag = o.tag
	return build(ctx, r, o)
}

func build(ctx context.Context, r release.Release, o options) error {
	if err := debian.Prepare(ctx); err != nil {
		return err
	}
	steps, err := recipe.Steps(r, filepath.Join(o.folder, "packages"), o.archive != "")
	if err != nil {
		return err
	}
	runner := cache.Runner{Folder: o.folder, Report: func(step, event string) {
		fmt.Fprintf(os.Stderr, "%-12s %s\n", step, event)
	}}
	done, err := runner.Run(ctx, steps)
	if err != nil {
		return err
	}
	if o.archive != "" {
		if err := copyFile(done[recipe.NodeArchive], o.archive); err != nil {
			return fmt.Errorf("cannot write the archive: %w", err)
		}
	}
	if !o.load {
		return nil
	}
	if err := (run.Command{Name: "docker", Args: []string{"load", "--input", done[recipe.NodeImage]}}).Run(ctx); err != nil {
		return fmt.Errorf("the image is made but not loaded, start an engine and repeat: %w", err)
	}
	fmt.Println(r.Tag)
	return nil
}

func copyFile(source, target string) (err error) {
	from, err := os.Open(source)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	_, err = io.Copy(to, from)
	return err
}
