// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// machinePrefix starts the names of pods that get addresses of the machines' range.
const machinePrefix = "machine-"

// assignAddress is a plugin for addresses (IPAM) of the container network interface: it becomes the plugin host-local, with the range of
// machines in the place of the usual one where the pod is a machine. Its configuration is host-local's, and machineRanges.
func assignAddress(stdin io.Reader) error {
	var config map[string]any
	if err := json.NewDecoder(stdin).Decode(&config); err != nil {
		return fmt.Errorf("reading the network configuration: %w", err)
	}
	changed, err := chooseRange(config, os.Getenv("CNI_ARGS"))
	if err != nil {
		return err
	}
	data, err := json.Marshal(changed)
	if err != nil {
		return fmt.Errorf("writing the network configuration: %w", err)
	}
	if err := replaceStdin(data); err != nil {
		return err
	}
	const plugin = "host-local"
	for _, folder := range filepath.SplitList(os.Getenv("CNI_PATH")) {
		err = unix.Exec(filepath.Join(folder, plugin), []string{plugin}, os.Environ())
	}
	return fmt.Errorf("starting the plugin %s of CNI_PATH: %w", plugin, err)
}

// chooseRange turns a configuration of this plugin into one of host-local.
func chooseRange(config map[string]any, cniArgs string) (map[string]any, error) {
	ipam, ok := config["ipam"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the network configuration has no ipam: %v", config)
	}
	ipam["type"] = "host-local"
	for pair := range strings.SplitSeq(cniArgs, ";") {
		if name, found := strings.CutPrefix(pair, "K8S_POD_NAME="); found && strings.HasPrefix(name, machinePrefix) {
			ipam["ranges"] = ipam["machineRanges"]
		}
	}
	delete(ipam, "machineRanges")
	return config, nil
}

// replaceStdin makes data what the next program of this process reads; it fits into a pipe.
func replaceStdin(data []byte) error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("making a pipe: %w", err)
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("writing into a pipe: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("closing a pipe: %w", err)
	}
	if err := unix.Dup2(int(r.Fd()), 0); err != nil {
		return fmt.Errorf("making the pipe standard input: %w", err)
	}
	return nil
}
