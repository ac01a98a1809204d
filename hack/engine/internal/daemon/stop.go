// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// stopTimeout is how long the engine may take to stop its containers, before
// it is killed.
const stopTimeout = 2 * time.Minute

// killTimeout is how long the kernel may take to remove a killed process.
const killTimeout = 10 * time.Second

// Stop ends the engine that start made, and nothing else, and removes the
// state folder with its images. With keepData, images and volumes stay for the
// next start.
func Stop(ctx context.Context, state State, keepData bool, out io.Writer) error {
	engine, alive, err := state.recall()
	if err != nil {
		return err
	}
	if !alive {
		fmt.Fprintf(out, "no engine runs that was started with the state folder %s\n", state.Folder)
	}
	if alive {
		fmt.Fprintf(out, "stopping the engine, process %d\n", engine.PID)
		err = endEngine(ctx, engine)
	}
	if err := errors.Join(err, endLeftovers(ctx, state), unmountBelow(state.Folder)); err != nil {
		return err
	}
	return state.remove(keepData)
}

// Crash kills the engine that start made as the kernel does when memory is
// short. Its containerd dies with it, its containers are left to the next
// start.
func Crash(ctx context.Context, state State, out io.Writer) error {
	engine, alive, err := state.recall()
	if err != nil {
		return err
	}
	if !alive {
		return fmt.Errorf("no engine runs that was started with the state folder %s", state.Folder)
	}
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	fmt.Fprintf(out, "killing the engine, process %d\n", engine.PID)
	if err := engine.kill(ctx); err != nil {
		return err
	}
	// The next dockerd takes a number that is still taken for a process that
	// runs, be it a zombie.
	return errors.Join(os.Remove(state.pidFile()), os.Remove(filepath.Join(state.execRoot(), "containerd", "containerd.pid")))
}

func endEngine(ctx context.Context, engine process) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	return engine.end(ctx)
}

// endLeftovers is for an engine that was killed. One that ended by itself
// leaves nothing.
func endLeftovers(ctx context.Context, state State) error {
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	table, err := processTable()
	if err != nil {
		return err
	}
	var failures []error
	for _, p := range leftovers(table, state.execRoot()) {
		failures = append(failures, p.kill(ctx))
	}
	return errors.Join(failures...)
}

func (s State) remove(keepData bool) error {
	paths := []string{s.Folder}
	if keepData {
		paths = []string{s.configFile(), s.pidFile(), s.processFile(), s.logFile(), s.execRoot(), filepath.Join(s.Folder, "bin")}
	}
	for _, path := range paths {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("cannot remove the engine's state: %w", err)
		}
	}
	return nil
}
