// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// namespace is a network namespace without a name in any file system: it ends with the last process or file that holds it.
type namespace struct {
	name string
	file *os.File
}

// newNamespace makes a network namespace.
func newNamespace(name string) (*namespace, error) {
	created := &namespace{name: name}
	err := onOwnThread(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("making network namespace %s: %w", name, err)
		}
		var err error
		created.file, err = openCurrent()
		return err
	})
	return created, err
}

// currentNamespace is the one that this process was started in.
func currentNamespace(name string) (*namespace, error) {
	file, err := openCurrent()
	return &namespace{name: name, file: file}, err
}

func openCurrent() (*os.File, error) {
	return os.Open("/proc/thread-self/ns/net")
}

// do runs a function in the namespace. What it starts there, a process or a socket, stays there.
func (n *namespace) do(run func() error) error {
	err := onOwnThread(func() error {
		if err := unix.Setns(int(n.file.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("entering it: %w", err)
		}
		return run()
	})
	if err != nil {
		return fmt.Errorf("network namespace %s: %w", n.name, err)
	}
	return nil
}

// close lets go of the namespace. It ends when no process is in it any more.
func (n *namespace) close() error { return n.file.Close() }

// onOwnThread runs a function on a thread of its own, which goes back to the network namespace of the process. A thread that
// can't go back is given up: other goroutines must not run on it.
func onOwnThread(run func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		home, err := openCurrent()
		if err != nil {
			done <- err
			return
		}
		defer func() { _ = home.Close() }()
		err = run()
		if back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); back != nil {
			done <- errors.Join(err, fmt.Errorf("leaving a network namespace: %w", back))
			return
		}
		runtime.UnlockOSThread()
		done <- err
	}()
	return <-done
}
