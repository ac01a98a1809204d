// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gardener/kindling/pkg/engine/stubengine"
)

// watched is a program that goes on until it is interrupted, with the lines that it prints.
type watched struct {
	program *exec.Cmd
	lines   chan string
}

// start starts a program whose output is waited for by expect, line after line: start kindling status --watch.
func start(ts *testscript.TestScript, _ bool, args []string) {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	program := exec.Command(path, args[1:]...)
	program.Dir = ts.Getenv("WORK")
	program.Env = scriptEnvironment(ts)
	reader, writer := io.Pipe()
	program.Stdout, program.Stderr = writer, writer
	ts.Check(program.Start())
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(reader); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	ts.Defer(func() { _ = program.Process.Kill(); _ = writer.Close() })
	*ts.Value(watchedKey).(*watched) = watched{program, lines}
}

// expect waits until the program of start prints a line that matches: expect 'ready/c +as wanted'.
func expect(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile(args[0])
	var passed strings.Builder
	deadline := time.After(time.Minute)
	for {
		select {
		case line, ok := <-ts.Value(watchedKey).(*watched).lines:
			if !ok {
				ts.Fatalf("the program ended before %q:\n%s", args[0], passed.String())
			}
			if pattern.MatchString(line) {
				return
			}
			passed.WriteString(line + "\n")
		case <-deadline:
			ts.Fatalf("no line like %q, but:\n%s", args[0], passed.String())
		}
	}
}

// end interrupts the program of start, which must end with 130.
func end(ts *testscript.TestScript, _ bool, _ []string) {
	program := ts.Value(watchedKey).(*watched).program
	ts.Check(program.Process.Signal(os.Interrupt))
	err := program.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 130 {
		ts.Fatalf("%v, want exit code 130", err)
	}
}

// scriptEnvironment has what kindling reads of a script's environment.
func scriptEnvironment(ts *testscript.TestScript) []string {
	var list []string
	for _, name := range []string{"PATH", "HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "KUBECONFIG", "TMPDIR", stubengine.Variable} {
		list = append(list, name+"="+ts.Getenv(name))
	}
	return list
}
