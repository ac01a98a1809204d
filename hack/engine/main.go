// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command engine starts a container engine for the tests of kindling on a
// machine that has none, and stops it again. See README.md beside this file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/gardener/kindling/hack/engine/internal/daemon"
	"github.com/gardener/kindling/hack/engine/internal/runtimeshim"
)

// errUsage says that the arguments cannot be understood.
var errUsage = errors.New("usage: engine [-state FOLDER] [-keep-data] start|stop|status|crash")

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	if filepath.Base(os.Args[0]) == runtimeshim.Name {
		return runtimeshim.Run(os.Args[1:])
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serve(ctx, os.Args[1:])
}

// serve reads the arguments and does what they say.
func serve(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("engine", flag.ContinueOnError)
	folder := flags.String("state", daemon.DefaultState, "folder for everything the engine keeps")
	keepData := flags.Bool("keep-data", false, "stop: leave images and volumes for the next start")
	if err := flags.Parse(args); err != nil {
		return errors.Join(err, errUsage)
	}
	absolute, err := filepath.Abs(*folder)
	if err != nil {
		return fmt.Errorf("cannot find the state folder: %w", err)
	}
	state := daemon.State{Folder: absolute}
	switch flags.Arg(0) {
	case "start":
		return daemon.Start(ctx, state, os.Stdout)
	case "stop":
		return daemon.Stop(ctx, state, *keepData, os.Stdout)
	case "status":
		return daemon.Status(ctx, state, os.Stdout)
	case "crash":
		return daemon.Crash(ctx, state, os.Stdout)
	default:
		return errUsage
	}
}
