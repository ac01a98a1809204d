// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package daemon installs, starts and stops a container engine of its own.
package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// DefaultState is the folder that holds everything start makes, images too.
const DefaultState = "/var/lib/kindling-engine"

// State names the files of one engine below a folder.
type State struct {
	// Folder is an absolute path.
	Folder string
}

func (s State) configFile() string  { return filepath.Join(s.Folder, "daemon.json") }
func (s State) logFile() string     { return filepath.Join(s.Folder, "dockerd.log") }
func (s State) dataRoot() string    { return filepath.Join(s.Folder, "data") }
func (s State) execRoot() string    { return filepath.Join(s.Folder, "exec") }
func (s State) pidFile() string     { return filepath.Join(s.Folder, "dockerd.pid") }
func (s State) processFile() string { return filepath.Join(s.Folder, "process.json") }
func (s State) shimFile(name string) string {
	return filepath.Join(s.Folder, "bin", name)
}

// remember writes down the process that start has made.
func (s State) remember(p process) error {
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("cannot encode process %d: %w", p.PID, err)
	}
	if err := os.WriteFile(s.processFile(), text, 0o644); err != nil {
		return fmt.Errorf("cannot remember process %d, stop it by hand: %w", p.PID, err)
	}
	return nil
}

// recall returns the remembered process if it still lives.
func (s State) recall() (process, bool, error) {
	text, err := os.ReadFile(s.processFile())
	if errors.Is(err, fs.ErrNotExist) {
		return process{}, false, nil
	}
	if err != nil {
		return process{}, false, fmt.Errorf("cannot read the remembered process: %w", err)
	}
	var p process
	if err := json.Unmarshal(text, &p); err != nil {
		return process{}, false, fmt.Errorf("%s is damaged, remove it: %w", s.processFile(), err)
	}
	return p, p.alive(), nil
}
