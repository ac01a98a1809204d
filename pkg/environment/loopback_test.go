// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/engine/stubengine"
	"github.com/gardener/kindling/pkg/loopback"
	"github.com/gardener/kindling/pkg/privileged"
	"github.com/gardener/kindling/pkg/steps"
)

// stubSudo keeps what it is called with, a line a call, and refuses when it is told to.
func stubSudo() {
	file, err := os.OpenFile(os.Getenv("SUDO_CALLS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.WriteString(strings.Join(os.Args[1:], " ") + "\n")
	}
	if err != nil || os.Getenv("SUDO_REFUSES") != "" {
		_, _ = os.Stderr.WriteString("sudo: a password is required\n")
		os.Exit(1)
	}
}

// testMachine is a loopback interface in memory. What sudo was told to do counts as done when it is looked at next.
type testMachine struct {
	addresses []netip.Addr
	forbidden bool
	calls     string
}

func (m *testMachine) Missing(_ context.Context, addresses []netip.Addr) ([]netip.Addr, error) {
	m.bySudo()
	return loopback.Without(addresses, m.addresses), nil
}

func (m *testMachine) There(addresses []netip.Addr) ([]netip.Addr, error) {
	m.bySudo()
	return loopback.Without(addresses, loopback.Without(addresses, m.addresses)), nil
}

func (m *testMachine) Add(_ context.Context, addresses []netip.Addr) error {
	if m.forbidden {
		return fs.ErrPermission
	}
	m.addresses = append(m.addresses, addresses...)
	return nil
}

func (m *testMachine) Remove(_ context.Context, addresses []netip.Addr) error {
	if m.forbidden {
		return fs.ErrPermission
	}
	m.addresses = loopback.Without(m.addresses, addresses)
	return nil
}

func (m *testMachine) bySudo() {
	content, err := os.ReadFile(m.calls)
	if err != nil || os.Getenv("SUDO_REFUSES") != "" {
		return
	}
	for line := range strings.Lines(string(content)) {
		words := strings.Fields(line)
		i := slices.Index(words, LoopbackCommand)
		for _, text := range words[i+2:] {
			address := netip.MustParseAddr(text)
			m.addresses = loopback.Without(m.addresses, []netip.Addr{address})
			if words[i+1] == LoopbackAdd {
				m.addresses = append(m.addresses, address)
			}
		}
	}
}

// withMachine is an environment of the default version whose engine runs on a host of a kind.
func withMachine(t *testing.T, state stubengine.State) (*Environment, *testMachine, *stubengine.Stub) {
	t.Helper()
	e := local(t)
	state.Images = []stubengine.Image{{ID: "sha256:1", Names: []string{e.spec.Spec.Clusters[0].NodeImage}}}
	stub := stubengine.Start(t, state)
	machine := &testMachine{calls: filepath.Join(t.TempDir(), "sudo")}
	t.Setenv("SUDO_CALLS", machine.calls)
	e.StateDir, e.Machine, e.Privileged = t.TempDir(), machine, &privileged.Runner{Program: "kindling"}
	e.Engine = engine.New(engine.Docker, engine.CLI{Program: "docker"})
	info, err := e.Engine.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e.Info = info
	return e, machine, stub
}

func state(t *testing.T, step steps.Step) steps.State {
	t.Helper()
	observation, err := step.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return observation.State
}

func apply(t *testing.T, step steps.Step) string {
	t.Helper()
	text, err := step.Apply(t.Context(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestInAVirtualMachineAddressesAreAddedOnBothSides(t *testing.T) {
	e, machine, stub := withMachine(t, stubengine.State{OperatingSystem: "Docker Desktop", Name: "docker-desktop"})
	step := e.loopbackAddresses()
	if got := state(t, step); got != steps.Missing {
		t.Errorf("at first %s", got)
	}
	if got, want := apply(t, step), "33 added to this machine, 33 added to the engine's host"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	inside, err := stub.State()
	if err != nil || len(machine.addresses) != 33 || len(inside.HostAddresses) != 33 {
		t.Fatalf("here %d, in the machine %d: %v", len(machine.addresses), len(inside.HostAddresses), err)
	}
	if text, err := step.Undo(t.Context()); err != nil || text != "66 removed" {
		t.Errorf("undone: %s: %v", text, err)
	}
	inside, err = stub.State()
	if err != nil || len(machine.addresses) != 0 || len(inside.HostAddresses) != 0 {
		t.Errorf("left here %v, in the machine %v: %v", machine.addresses, inside.HostAddresses, err)
	}
}

func here(t *testing.T) stubengine.State {
	t.Helper()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return stubengine.State{Name: name}
}

func TestOneSudoAddsAllAddressesAndOneRemovesThem(t *testing.T) {
	e, machine, _ := withMachine(t, here(t))
	machine.forbidden = true
	machine.addresses = []netip.Addr{netip.MustParseAddr("172.18.255.230")} // somebody else's
	step := e.loopbackAddresses()
	if got := apply(t, step); got != "32 added to this machine" {
		t.Error(got)
	}
	if got := state(t, step); got != steps.AsWanted {
		t.Errorf("then %s", got)
	}
	if text, err := step.Undo(t.Context()); err != nil || text != "32 removed" {
		t.Errorf("undone: %s: %v", text, err)
	}
	calls, err := os.ReadFile(machine.calls)
	if err != nil || strings.Count(string(calls), "\n") != 2 || strings.Contains(string(calls), "172.18.255.230") {
		t.Errorf("sudo was called with\n%s%v", calls, err)
	}
	machine.bySudo()
	if got := loopback.Join(machine.addresses, " "); got != "172.18.255.230" {
		t.Errorf("left are %s", got)
	}
}

func TestWithoutSudoNothingIsLostOfWhatToDo(t *testing.T) {
	e, machine, _ := withMachine(t, here(t))
	machine.forbidden = true
	t.Setenv("SUDO_REFUSES", "yes")
	step := e.loopbackAddresses()
	_, err := step.Apply(t.Context(), func(string) {})
	if !is[*privileged.NeededError](err) || !strings.Contains(err.Error(), "sudo kindling loopback-addresses add 172.18.255.53 172.18.255.224") ||
		!strings.Contains(err.Error(), "spec.loopback.enabled: false") {
		t.Fatalf("error %v", err)
	}
	// Nothing was added, so that there is nothing to take away, and nobody is asked for a password.
	if text, err := step.Undo(t.Context()); err != nil || text != "left: kindling added none" {
		t.Errorf("undone: %s: %v", text, err)
	}
}

func TestARestartOfThisMachineIsSeenAndRepaired(t *testing.T) {
	e, machine, _ := withMachine(t, here(t))
	step := e.loopbackAddresses()
	apply(t, step)
	machine.addresses = nil
	if got := state(t, step); got != steps.Missing {
		t.Errorf("after the restart %s", got)
	}
	apply(t, step)
	if got := state(t, step); got != steps.AsWanted {
		t.Errorf("repaired: %s", got)
	}
}
