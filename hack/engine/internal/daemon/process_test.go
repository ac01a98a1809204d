// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"errors"
	"os"
	"testing"
)

func TestParseStat(t *testing.T) {
	const rest = " 1 10 10 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 9 0 4711 100 200\n"
	tests := []struct {
		name   string
		stat   string
		want   stat
		failed bool
	}{
		{name: "reads parent and start time", stat: "10 (dockerd) S" + rest, want: stat{parent: 1, startTime: 4711}},
		{name: "reads past a name with a space and parentheses", stat: "10 (a (b) c) S" + rest, want: stat{parent: 1, startTime: 4711}},
		{name: "refuses a line that is too short", stat: "10 (dockerd) S 1 2", failed: true},
		{name: "refuses a parent that is not a number", stat: "10 (dockerd) S x" + rest, failed: true},
		{name: "refuses an empty line", failed: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := parseStat(test.stat)
			if (err != nil) != test.failed || got != test.want {
				t.Errorf("got %+v and error %v, want %+v and an error: %t", got, err, test.want, test.failed)
			}
		})
	}
	t.Run("counts a zombie as gone", func(t *testing.T) {
		if _, err := parseStat("10 (dockerd) Z" + rest); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("got error %v", err)
		}
	})
}

func TestRecall(t *testing.T) {
	self, err := findProcess(os.Getpid())
	if err != nil {
		t.Skipf("no process table on this machine: %v", err)
	}
	tests := []struct {
		name       string
		remembered process
		alive      bool
	}{
		{name: "finds a process that lives", remembered: self, alive: true},
		{name: "is not fooled by a later process with the same number", remembered: process{PID: self.PID, StartTime: self.StartTime + 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			state := State{Folder: t.TempDir()}
			if err := state.remember(test.remembered); err != nil {
				t.Fatal(err)
			}
			_, alive, err := state.recall()
			if err != nil || alive != test.alive {
				t.Errorf("alive %t, error %v, want alive %t", alive, err, test.alive)
			}
		})
	}
	t.Run("remembers nothing at first", func(t *testing.T) {
		if _, alive, err := (State{Folder: t.TempDir()}).recall(); alive || err != nil {
			t.Errorf("alive %t, error %v", alive, err)
		}
	})
}
