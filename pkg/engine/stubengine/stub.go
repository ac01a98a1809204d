// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Variable names the folder of the engine in the environment of a call.
const Variable = "KINDLING_STUB_ENGINE"

// Stub is an engine as the test sees it.
type Stub struct {
	// Dir is its folder.
	Dir  string
	hung *hung
}

// Start gives a test an engine of its own, which ends with the test. The test can't be parallel to others: the environment is the
// process's.
func Start(t testing.TB, state State) *Stub {
	t.Helper()
	stub, err := New(t.TempDir(), state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stub.Close)
	for _, variable := range stub.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	return stub
}

// New makes an engine in a folder, which need not be there. A state that is there is left.
func New(dir string, state State) (*Stub, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, stateFile)); err != nil {
		if err := (store{dir}).change(func(s *State) error { *s = state; return nil }); err != nil {
			return nil, err
		}
	}
	hung, err := listen(filepath.Join(dir, hangFile))
	return &Stub{dir, hung}, err
}

// Environment is what calls need to be those of this engine, as NAME=VALUE. A program under the race detector waits a second before
// it ends, for late reports; kind makes some fifty calls for a cluster.
func (s *Stub) Environment() []string {
	return []string{Variable + "=" + s.Dir, "GORACE=atexit_sleep_ms=0 " + os.Getenv("GORACE")}
}

// Close ends the calls that hang, and waits for the others.
func (s *Stub) Close() {
	s.hung.close()
	store{s.Dir}.idle()
}

// WaitForHang returns when one more call hangs.
func (s *Stub) WaitForHang(ctx context.Context) error { return s.hung.accept(ctx) }

// State returns what the engine has now.
func (s *Stub) State() (State, error) {
	var state State
	err := store{s.Dir}.change(func(now *State) error { state = *now; return nil })
	return state, err
}

// Change changes what the engine has.
func (s *Stub) Change(change func(*State)) error {
	return store{s.Dir}.change(func(state *State) error { change(state); return nil })
}

// Calls returns the arguments of every call, in the order in which they began.
func (s *Stub) Calls() ([][]string, error) {
	data, err := os.ReadFile(filepath.Join(s.Dir, callsFile))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var calls [][]string
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var args []string
		if err := json.Unmarshal(lines.Bytes(), &args); err != nil {
			return nil, fmt.Errorf("%s: %w", callsFile, err)
		}
		calls = append(calls, args)
	}
	return calls, lines.Err()
}
