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
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Shell builds the laboratory and runs a command in one of its namespaces, with the terminal of this process. It returns the exit
// code of the command. In there, `ip netns` knows all the namespaces.
func (p Program) Shell(ctx context.Context, opts Options, shell ShellOptions, say func(string)) (int, error) {
	restore := keepTerminal()
	defer restore()
	prepare := func() *exec.Cmd {
		command := p.command(ctx)
		command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
		return command
	}
	answer, err := ask(prepare, sandboxRequest{Options: opts, Program: p, Shell: &shell}, say)
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
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		l.say("the processes that ps shows are the host's: " + err.Error())
	}
	command := exec.CommandContext(ctx, shell.Command[0], shell.Command[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(os.Environ(), "KINDLING_LAB="+shell.Namespace)
	if _, err := foreground(); err == nil {
		// The command gets the terminal to itself, and with it what is typed to interrupt it.
		command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: terminal}
	}
	if err := in.do(command.Start); err != nil {
		return 0, fmt.Errorf("starting %s: %w", shell.Command[0], err)
	}
	err := command.Wait()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return 0, err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil // as shells tell it
	}
	return exit.ExitCode(), nil
}

// terminal is the file descriptor that a terminal would be at: standard input.
const terminal = 0

// foreground returns the process group that has the terminal.
func foreground() (int, error) { return unix.IoctlGetInt(terminal, unix.TIOCGPGRP) }

// keepTerminal remembers which process group has the terminal, and returns a function that gives it back: a shell inside takes it, and
// in a PID namespace does not know whom to give it back to.
func keepTerminal() func() {
	group, err := foreground()
	if err != nil {
		return func() {} // there is no terminal
	}
	return func() {
		// Who takes the terminal from the background is stopped, unless the signal is ignored.
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
		_ = unix.IoctlSetPointerInt(terminal, unix.TIOCSPGRP, group) // the terminal may be gone
	}
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
