// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sync/errgroup"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/engine/stubengine"
	"github.com/gardener/kindling/pkg/steps"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"docker": stubengine.Main, "sudo": stubSudo})
}

func TestTheNetworkLockIsSharedOrOnesOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	try := func(shared bool) *fileLock {
		t.Helper()
		lock, err := tryFileLock(path, shared)
		if err != nil {
			t.Fatal(err)
		}
		return lock
	}
	one, other := try(true), try(true)
	if one == nil || other == nil {
		t.Fatal("two can't share it")
	}
	if try(false) != nil {
		t.Fatal("one has it alone while others share it")
	}
	one.unlock()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file went with the first of two: %v", err)
	}
	other.unlock()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is left behind: %v", err)
	}
	alone := try(false)
	if alone == nil || try(true) != nil {
		t.Error("it is not one's own")
	}
	alone.unlock()
}

func TestANetworkThatIsHeldIsNotRemoved(t *testing.T) {
	stub := stubengine.Start(t, stubengine.State{})
	e := local(t)
	e.Engine, e.CacheDir = engine.New(engine.Docker, engine.CLI{Program: "docker"}), t.TempDir()
	letGo, err := e.holdNetwork(t.Context(), func(string) {}) // which is not there yet
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*fileLockPause)
	defer cancel()
	if text, err := e.undoNetwork(ctx); err == nil {
		t.Errorf("it was %s", text)
	}
	letGo()
	if text, err := e.undoNetwork(t.Context()); err != nil || text != "removed" {
		t.Errorf("%s, %v", text, err)
	}
	if state, err := stub.State(); err != nil || len(state.Networks) > 0 {
		t.Errorf("networks %v, %v", state.Networks, err)
	}
}

func TestTwoThatMakeTheNetworkMakeOne(t *testing.T) {
	stub := stubengine.Start(t, stubengine.State{})
	e := local(t)
	e.Engine, e.CacheDir = engine.New(engine.Docker, engine.CLI{Program: "docker"}), t.TempDir()
	var group errgroup.Group
	for range 4 {
		group.Go(func() error {
			found, err := e.observeNetwork(t.Context())
			if err != nil || found.State != steps.Missing {
				return err
			}
			_, err = e.applyNetwork(t.Context(), func(string) {})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if state, err := stub.State(); err != nil || len(state.Networks) != 1 {
		t.Errorf("networks %v, %v", state.Networks, err)
	}
}
