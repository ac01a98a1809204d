// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
)

// launch starts a component in a namespace.
func launch(ctx context.Context, program Program, in *namespace, config componentConfig) (*exec.Cmd, io.Reader, error) {
	input, err := json.Marshal(config)
	if err != nil {
		return nil, nil, fmt.Errorf("writing what a component does: %w", err)
	}
	command := exec.CommandContext(ctx, program[0], append(slices.Clip(program[1:]), "component")...)
	command.Stdin = bytes.NewReader(input)
	command.Stderr = os.Stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("starting a process: %w", err)
	}
	// A process starts in the network namespace of the thread that starts it.
	if err := in.do(command.Start); err != nil {
		return nil, nil, fmt.Errorf("starting a process: %w", err)
	}
	return command, stdout, nil
}
