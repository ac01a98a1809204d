// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"errors"
	"testing"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/engine/stubengine"
)

func TestRemote(t *testing.T) {
	docker, stub := stub(t)
	for endpoint, want := range map[string]bool{
		"unix:///var/run/docker.sock": false, "unix:///home/me/.colima/default/docker.sock": false, "npipe:////./pipe/docker_engine": false,
		"ssh://me@host": true, "tcp://10.0.0.1:2376": true, "tcp://build.example.com:2376": true,
		"tcp://127.0.0.1:2375": false, "tcp://localhost:2375": false, "tcp://[::1]:2375": false, "%": false,
	} {
		t.Setenv("DOCKER_HOST", endpoint)
		if have := docker.Remote(t.Context()); have != want {
			t.Errorf("%s by its variable: %t", endpoint, have)
		}
		t.Setenv("DOCKER_HOST", "")
		if err := stub.Change(func(state *stubengine.State) { state.Endpoint = endpoint }); err != nil {
			t.Fatal(err)
		}
		if have := docker.Remote(t.Context()); have != want {
			t.Errorf("%s by the context: %t", endpoint, have)
		}
	}
}

func TestStartingTellsWhatIsTaken(t *testing.T) {
	docker, stub := stub(t)
	if _, err := docker.CreateContainer(t.Context(), engine.ContainerSpec{Name: "registry", Image: "registry:3", Network: "kind"}); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, output, address string
		taken, noAddress      bool
	}{
		{
			"a port that another container has", "driver failed programming external connectivity on endpoint registry: Bind for 127.0.0.1:5001 failed: port is already allocated",
			"127.0.0.1:5001", true, false,
		},
		{"a port that a process has", "Error starting userland proxy: listen tcp4 127.0.0.1:5001: bind: address already in use", "127.0.0.1:5001", true, false},
		{"an IPv6 port", "listen tcp6 [::1]:5001: bind: address already in use", "[::1]:5001", true, false},
		{"an address in the network", "Address already in use", "", true, false},
		{"an address that the host lacks", "listen tcp6 [::1]:5001: bind: cannot assign requested address", "", false, true},
		{"something else", "no space left on device", "", false, false},
	}
	for _, test := range tests {
		if err := stub.Change(func(state *stubengine.State) {
			state.Answers = []stubengine.Answer{{Call: "start", Exit: 1, Stderr: "Error response from daemon: " + test.output + "\n"}}
		}); err != nil {
			t.Fatal(err)
		}
		err := docker.StartContainers(t.Context(), "registry")
		taken, isTaken := errors.AsType[*engine.PortTakenError](err)
		_, isNoAddress := errors.AsType[*engine.NoAddressError](err)
		if err == nil || isTaken != test.taken || isNoAddress != test.noAddress {
			t.Errorf("%s: %v", test.name, err)
		}
		if isTaken && test.address != "" && taken.Address.String() != test.address || isTaken && test.address == "" && taken.Address.IsValid() {
			t.Errorf("%s: %v, want %s", test.name, taken.Address, test.address)
		}
	}
}

func TestContainersNamedLeavesOutWhatIsNotThere(t *testing.T) {
	docker, _ := stub(t)
	for _, name := range []string{"b", "a"} {
		if _, err := docker.CreateContainer(t.Context(), engine.ContainerSpec{Name: name, Image: "registry:3", Network: "kind"}); err != nil {
			t.Fatal(err)
		}
	}
	found, err := docker.ContainersNamed(t.Context(), "c", "b", "a")
	if err != nil || len(found) != 2 || found[0].Name != "a" || found[1].Name != "b" {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err := docker.ContainersNamed(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("of no names: %+v, %v", found, err)
	}
}
