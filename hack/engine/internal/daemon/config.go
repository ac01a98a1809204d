// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"encoding/json"
	"fmt"
	"os"
)

// bridgePrefix is for the engine's own bridge. It is a random-looking unique
// local prefix outside every range that kindling plans with.
const bridgePrefix = "fd4b:696e:646c::/64"

// config is the part of the engine's daemon.json that matters here.
type config struct {
	DataRoot       string             `json:"data-root"`
	ExecRoot       string             `json:"exec-root"`
	PIDFile        string             `json:"pidfile"`
	StorageDriver  string             `json:"storage-driver"`
	IPv6           bool               `json:"ipv6"`
	FixedCIDRv6    string             `json:"fixed-cidr-v6"`
	IP6Tables      bool               `json:"ip6tables"`
	Experimental   bool               `json:"experimental"`
	Runtimes       map[string]runtime `json:"runtimes,omitempty"`
	DefaultRuntime string             `json:"default-runtime,omitempty"`
}

type runtime struct {
	Path string `json:"path"`
}

// newConfig describes an engine that keeps everything below the state folder.
// Version 20.10 has ip6tables among its experimental features only.
func newConfig(state State, storageDriver string) config {
	return config{
		DataRoot:      state.dataRoot(),
		ExecRoot:      state.execRoot(),
		PIDFile:       state.pidFile(),
		StorageDriver: storageDriver,
		IPv6:          true,
		FixedCIDRv6:   bridgePrefix,
		IP6Tables:     true,
		Experimental:  true,
	}
}

// withRuntime makes a runtime the one that every container gets.
func (c config) withRuntime(name, path string) config {
	c.Runtimes = map[string]runtime{name: {Path: path}}
	c.DefaultRuntime = name
	return c
}

func (c config) write(path string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot encode the engine's configuration: %w", err)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("cannot write the engine's configuration: %w", err)
	}
	return nil
}
