// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Shell builds the laboratory and runs a command in one of its namespaces, with the terminal of this process. It returns the exit
// code of the command. In there, `ip netns` knows all the namespaces.
func (p Program) Shell(ctx context.Context, opts Options, shell ShellOptions, say func(string)) (int, error) {
	command := p.command(ctx)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	answer, err := ask(command, sandboxRequest{Options: opts, Program: p, Shell: &shell}, say)
	if err != nil {
		return 0, errors.Join(err, ctx.Err())
	}
	return answer.ExitCode, nil
}

func (l *laboratory) shell(ctx context.Context, shell ShellOptions) (int, error) {
	if err := CheckName(shell.Namespace, l.ha); err != nil {
		return 0, err
	}
	in := l.namespaces[shell.Namespace]
	if err := l.nameNamespaces(); err != nil {
		return 0, err
	}
	command := exec.CommandContext(ctx, shell.Command[0], shell.Command[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(os.Environ(), "KINDLING_LAB="+shell.Namespace)
	if err := in.do(command.Start); err != nil {
		return 0, fmt.Errorf("starting %s: %w", shell.Command[0], err)
	}
	err := command.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// nameNamespaces puts the namespaces where `ip netns` looks for them, on a file system of the laboratory's own: /run of the host
// is covered, not changed.
func (l *laboratory) nameNamespaces() error {
	const run = "/run"
	if err := unix.Mount("tmpfs", run, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
		return fmt.Errorf("mounting a %s of its own: %w", run, err)
	}
	dir := filepath.Join(run, "netns")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("making a place for the names of namespaces: %w", err)
	}
	for name, namespace := range l.namespaces {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return fmt.Errorf("naming network namespace %s: %w", name, err)
		}
		source := fmt.Sprintf("/proc/self/fd/%d", namespace.file.Fd())
		if err := unix.Mount(source, path, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("naming network namespace %s: %w", name, err)
		}
	}
	return nil
}
