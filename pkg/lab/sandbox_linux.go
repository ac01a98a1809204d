// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// Files that the process of the sandbox gets beside the standard ones.
const (
	controlFile = 3 // the request; its end says that whoever asked is gone
	answerFile  = 4
)

// sandboxRequest is what the sandbox is asked for.
type sandboxRequest struct {
	Options Options `json:"options"`
	Program Program `json:"program"`
	// Shell is a command to run in a namespace instead of the checks.
	Shell *ShellOptions `json:"shell,omitempty"`
}

// sandboxAnswer is what the sandbox tells: lines on the way, and a report or an error at the end.
type sandboxAnswer struct {
	Say    string  `json:"say,omitempty"`
	Report *Report `json:"report,omitempty"`
	Error  string  `json:"error,omitempty"`
	// Unsupported is what the machine could not do, Remedy what helps.
	Unsupported string `json:"unsupported,omitempty"`
	Remedy      string `json:"remedy,omitempty"`
	// ExitCode is the shell's.
	ExitCode int `json:"exitCode,omitempty"`
}

// Program is how this program is started again for the processes inside: arguments after which "sandbox" calls Sandbox, and
// "component" calls Component.
type Program []string

// Run builds the laboratory, plays the fault in it, and reports what was seen. The error is an *UnsupportedError where this machine
// can't hold it. say gets a line for each thing that is done.
func (p Program) Run(ctx context.Context, opts Options, stderr io.Writer, say func(string)) (*Report, error) {
	prepare := func() *exec.Cmd {
		command := p.command(ctx)
		command.Stderr = stderr
		return command
	}
	answer, err := ask(prepare, sandboxRequest{Options: opts, Program: p}, say)
	if err != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	return answer.Report, nil
}

func (p Program) command(ctx context.Context) *exec.Cmd {
	return exec.CommandContext(ctx, p[0], append(slices.Clip(p[1:]), "sandbox")...)
}

// ask runs the sandbox and waits for its last answer.
func ask(prepare func() *exec.Cmd, request sandboxRequest, say func(string)) (*sandboxAnswer, error) {
	requestReader, requestWriter, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	defer func() { _ = errors.Join(requestReader.Close(), requestWriter.Close()) }()
	answerReader, answerWriter, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	defer func() { _ = errors.Join(answerReader.Close(), answerWriter.Close()) }()
	ended := make(chan error, 1)
	started := make(chan error)
	go func() {
		// The kernel kills the sandbox when the thread that started it ends, which happens with this process, however it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		command, err := startSandbox(func() *exec.Cmd {
			command := prepare()
			command.ExtraFiles = []*os.File{requestReader, answerWriter}
			return command
		})
		started <- err
		if err == nil {
			ended <- command.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	_ = errors.Join(requestReader.Close(), answerWriter.Close()) // the sandbox has them
	if err := json.NewEncoder(requestWriter).Encode(request); err != nil {
		return nil, errors.Join(fmt.Errorf("asking the sandbox: %w", err), <-ended)
	}
	answer, err := readAnswers(answerReader, say)
	if waitErr := <-ended; err != nil || waitErr != nil {
		return nil, fmt.Errorf("the sandbox ended without an answer: %w", errors.Join(err, waitErr))
	}
	return answer, answer.err()
}

// startSandbox starts the process in namespaces of its own. Without the right to make them, a user namespace gives it.
func startSandbox(prepare func() *exec.Cmd) (*exec.Cmd, error) {
	const flags = unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWPID
	command := prepare()
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags, Pdeathsig: syscall.SIGKILL}
	err := command.Start()
	if errors.Is(err, unix.EPERM) {
		command = prepare()
		command.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags: flags | unix.CLONE_NEWUSER, Pdeathsig: syscall.SIGKILL,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}},
		}
		err = command.Start()
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("starting this program again: %w", err)
	}
	if err != nil {
		return nil, &UnsupportedError{What: "making namespaces", Err: err, Remedy: namespaceRemedy}
	}
	return command, nil
}

func readAnswers(r io.Reader, say func(string)) (*sandboxAnswer, error) {
	decoder := json.NewDecoder(r)
	for {
		var answer sandboxAnswer
		if err := decoder.Decode(&answer); err != nil {
			return nil, err
		}
		if answer.Say == "" {
			return &answer, nil
		}
		say(answer.Say)
	}
}

// err is the error that an answer tells.
func (a *sandboxAnswer) err() error {
	switch {
	case a.Error == "":
		return nil
	case a.Unsupported != "":
		return &UnsupportedError{What: a.Unsupported, Err: errors.New(a.Error), Remedy: a.Remedy}
	default:
		return errors.New(a.Error)
	}
}
