// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gardener/kindling/pkg/cmd"
)

func TestMain(m *testing.M) {
	commands := map[string]func(){"kindling": kindling}
	testscript.Main(withEngine{m}, commands)
}

// kindling is what cmd/kindling does.
func kindling() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(cmd.Main(ctx, cmd.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}, os.Args[1:]))
}

// withEngine puts the stub engine on the PATH as a program of its own: the scripts call it more than a thousand times, and this
// binary, which holds kindling, takes twice as long to start.
type withEngine struct{ *testing.M }

// Run implements testscript.TestingM.
func (w withEngine) Run() int {
	dir, err := os.MkdirTemp("", "stub-engine")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "docker"), "./docker")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building the stub engine:", err)
		return 1
	}
	if err := os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return w.M.Run()
}
