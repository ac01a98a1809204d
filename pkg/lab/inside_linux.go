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

	"golang.org/x/sys/unix"
)

// Sandbox is the first process of the laboratory, in namespaces of its own: with it all others end. It takes one request from the
// process that started it, and ends when that one is gone.
func Sandbox(ctx context.Context) error {
	// The first process of a PID namespace, which it has been started in. Anywhere else it would build into the host's network.
	if os.Getpid() != 1 {
		return errors.New("this command is started by kindling lab, and has no use by itself")
	}
	control, answers := os.NewFile(controlFile, "control"), os.NewFile(answerFile, "answers")
	// The components must not hold them: their ends are signs.
	unix.CloseOnExec(controlFile)
	unix.CloseOnExec(answerFile)
	var request sandboxRequest
	decoder := json.NewDecoder(control)
	if err := decoder.Decode(&request); err != nil {
		return fmt.Errorf("reading what the laboratory is for: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, control) // nothing more comes but the end
		cancel()
	}()
	encoder := json.NewEncoder(answers)
	answer := request.answer(ctx, func(line string) { _ = encoder.Encode(sandboxAnswer{Say: line}) })
	return encoder.Encode(answer)
}

func (r sandboxRequest) answer(ctx context.Context, say func(string)) sandboxAnswer {
	say("building network namespaces")
	// What is mounted from here on is nobody else's.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return failed(fmt.Errorf("keeping mounts to itself: %w", err))
	}
	if err := probe(); err != nil {
		return failed(err)
	}
	l, err := build(r.Options, r.Program, say)
	if err != nil {
		return failed(err)
	}
	say("starting kubelet, metrics-server and VPN")
	if err := l.start(ctx); err != nil {
		return failed(err)
	}
	if r.Shell != nil {
		code, err := l.shell(ctx, *r.Shell)
		if err != nil {
			return failed(err)
		}
		return sandboxAnswer{ExitCode: code}
	}
	if err := l.warmUp(ctx); err != nil {
		return failed(err)
	}
	report, err := l.play(ctx, r.Options, say)
	if err != nil {
		return failed(err)
	}
	return sandboxAnswer{Report: report}
}

// failed tells an error. What the machine can't do is told apart.
func failed(err error) sandboxAnswer {
	answer := sandboxAnswer{Error: err.Error()}
	if unsupported, ok := errors.AsType[*UnsupportedError](err); ok {
		answer.Error, answer.Unsupported, answer.Remedy = unsupported.Err.Error(), unsupported.What, unsupported.Remedy
	}
	return answer
}
