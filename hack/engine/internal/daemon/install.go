// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	goruntime "runtime"
)

// install brings dockerd and iptables onto a Debian machine, if missing.
func install(ctx context.Context, out io.Writer) error {
	if goruntime.GOOS != "linux" || os.Geteuid() != 0 {
		return errors.New("an engine can be started here on Linux by root only: start docker the way this machine does it")
	}
	_, noEngine := exec.LookPath("dockerd")
	_, noTables := exec.LookPath("iptables")
	_, noClient := exec.LookPath("docker")
	if noEngine == nil && noTables == nil && noClient == nil {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("dockerd, docker or iptables is missing and there is no apt-get: install them by hand")
	}
	fmt.Fprintln(out, "installing docker.io and iptables")
	if err := aptGet(ctx, out, "update"); err != nil {
		return err
	}
	return aptGet(ctx, out, "install", "--yes", "docker.io", "iptables")
}

// aptGet never asks: standard input is closed and debconf is told so.
func aptGet(ctx context.Context, out io.Writer, args ...string) error {
	command := exec.CommandContext(ctx, "apt-get", append([]string{"--quiet=2"}, args...)...)
	command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	command.Stdout = out
	command.Stderr = out
	if err := command.Run(); err != nil {
		return fmt.Errorf("apt-get %s failed, its output is above: %w", args[0], err)
	}
	return nil
}
