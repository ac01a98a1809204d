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
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/gardener/kindling/hack/engine/internal/capability"
	"github.com/gardener/kindling/hack/engine/internal/runtimeshim"
)

// startTimeout is how long an engine may take until it answers. A cold start
// takes two to five seconds.
const startTimeout = time.Minute

// Start makes an engine answer: it leaves one that does alone, else installs
// what is missing and starts dockerd below the state folder.
func Start(ctx context.Context, state State, out io.Writer) error {
	if _, err := ask(ctx); err == nil {
		fmt.Fprintln(out, "an engine answers already, nothing to do")
		return Status(ctx, state, out)
	}
	if err := install(ctx, out); err != nil {
		return err
	}
	// The package may have started its own service on a machine with systemd.
	if _, err := ask(ctx); err == nil {
		return Status(ctx, state, out)
	}
	if err := prepare(state, out); err != nil {
		return err
	}
	if err := launch(ctx, state); err != nil {
		return err
	}
	return Status(ctx, state, out)
}

// prepare writes everything that dockerd reads.
func prepare(state State, out io.Writer) error {
	if err := os.MkdirAll(state.Folder, 0o711); err != nil {
		return fmt.Errorf("cannot make the state folder: %w", err)
	}
	driver, err := storageDriver(state.dataRoot(), out)
	if err != nil {
		return err
	}
	configuration := newConfig(state, driver)
	missing, err := missingCapabilities()
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		shim := state.shimFile(runtimeshim.Name)
		fmt.Fprintf(out, "root lacks %s here: containers run without, through %s\n", strings.Join(missing, ", "), shim)
		if err := installShim(shim); err != nil {
			return err
		}
		configuration = configuration.withRuntime(runtimeshim.Name, shim)
	}
	return configuration.write(state.configFile())
}

func missingCapabilities() ([]string, error) {
	bounding, err := capability.Bounding()
	if err != nil {
		return nil, err
	}
	last, err := capability.Last()
	if err != nil {
		return nil, err
	}
	return bounding.Missing(last), nil
}

// launch starts dockerd in a session of its own, so that it outlives this
// program and its terminal, and waits until it answers.
func launch(ctx context.Context, state State) error {
	log, err := os.Create(state.logFile())
	if err != nil {
		return fmt.Errorf("cannot make the engine's log: %w", err)
	}
	defer log.Close()
	command := exec.Command("dockerd", "--config-file", state.configFile())
	command.Stdout = log
	command.Stderr = log
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return fmt.Errorf("cannot start dockerd: %w", err)
	}
	started, err := findProcess(command.Process.Pid)
	if err != nil {
		return err
	}
	if err := state.remember(started); err != nil {
		return err
	}
	return waitForAnswer(ctx, state, command)
}

func waitForAnswer(ctx context.Context, state State, command *exec.Cmd) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("no answer within %s", startTimeout))
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	go func() { giveUp(errors.Join(errors.New("dockerd ended"), command.Wait())) }()
	err := poll(ctx, func() bool {
		_, err := ask(ctx)
		return err == nil
	})
	if err != nil {
		return fmt.Errorf("the engine did not start: %w; the end of %s:\n%s", err, state.logFile(), tail(state.logFile()))
	}
	return nil
}
