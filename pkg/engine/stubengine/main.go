// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Main is the program docker. It ends the process: it is meant for testscript.Main.
func Main() { os.Exit(run(os.Getenv(Variable), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// exitError is a call that fails as docker's would. Its text goes to standard error as it is.
type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }

// fail returns the error of the daemon.
func fail(format string, args ...any) error {
	return &exitError{1, "Error response from daemon: " + fmt.Sprintf(format, args...) + "\n"}
}

// run does a call. Input is read before the state is locked and output is written afterwards: two calls may be the ends of a pipe.
func run(dir string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if dir == "" {
		_, _ = fmt.Fprintf(stderr, "stub engine: $%s does not name a folder\n", Variable)
		return 1
	}
	var input []byte
	if takesInput(args) {
		var err error
		if input, err = io.ReadAll(stdin); err != nil {
			_, _ = fmt.Fprintf(stderr, "stub engine: reading the input: %v\n", err)
			return 1
		}
	}
	done, err := store{dir}.begin()
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "stub engine: %v\n", err)
		return 1
	}
	defer done()
	output, answer, err := call(store{dir}, args, input)
	_, _ = stdout.Write(output)
	if answer.Hang {
		err = errors.Join(err, store{dir}.hang())
		answer.Exit = cmp.Or(answer.Exit, 1)
	}
	if err == nil {
		_, _ = io.WriteString(stderr, answer.Stderr)
		return answer.Exit
	}
	if exit, ok := errors.AsType[*exitError](err); ok {
		_, _ = io.WriteString(stderr, exit.text)
		return exit.code
	}
	_, _ = fmt.Fprintf(stderr, "stub engine: %v\n", err)
	return 1
}

// takesInput says whether a call reads its input: programs in containers do when they are told to, and copying from it does.
func takesInput(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return args[0] == "cp" || (args[0] == "exec" || args[0] == "run") && (slices.Contains(args, "-i") || slices.Contains(args, "--interactive"))
}

// call records a call and gives it its answer, or does it.
func call(s store, args []string, input []byte) ([]byte, Answer, error) {
	var stdout bytes.Buffer
	var given Answer
	var failed *exitError
	err := s.change(func(state *State) error {
		if err := s.record(args); err != nil {
			return err
		}
		var found bool
		if given, found = state.answer(args); found {
			stdout.WriteString(given.Stdout)
			return nil
		}
		err := execute(&docker{state: state, input: input, stdout: &stdout}, args)
		if exit, ok := errors.AsType[*exitError](err); ok {
			failed = exit // what a call had done before it failed stays done
			return nil
		}
		return err
	})
	if err == nil && failed != nil {
		err = failed
	}
	return stdout.Bytes(), given, err
}

// answer returns the first answer for a call, and uses it up.
func (s *State) answer(args []string) (Answer, bool) {
	i := slices.IndexFunc(s.Answers, func(a Answer) bool { return a.fits(args) })
	if i < 0 {
		return Answer{}, false
	}
	answer := s.Answers[i]
	switch answer.Times {
	case 0:
	case 1:
		s.Answers = slices.Delete(s.Answers, i, i+1)
	default:
		s.Answers[i].Times--
	}
	return answer, true
}

func (a Answer) fits(args []string) bool {
	words := strings.Fields(a.Call)
	if len(words) == 0 || len(args) == 0 || args[0] != words[0] {
		return false
	}
	for _, word := range words {
		i := slices.Index(args, word)
		if i < 0 {
			return false
		}
		args = args[i+1:]
	}
	return true
}

// docker is a call that is being done.
type docker struct {
	state  *State
	input  []byte
	stdout *bytes.Buffer
}

// printf writes to standard output.
func (d *docker) printf(format string, args ...any) { _, _ = fmt.Fprintf(d.stdout, format, args...) }

func execute(d *docker, args []string) error {
	root := &cobra.Command{Use: "docker", SilenceErrors: true, SilenceUsage: true, DisableSuggestions: true, Version: "28.2.2, build stub"}
	root.SetVersionTemplate("Docker version {{.Version}}\n")
	root.Flags().BoolP("version", "v", false, "")
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetOut(d.stdout)
	root.SetErr(io.Discard)
	root.AddCommand(d.version(), d.info(), d.contextCommand(), d.networkCommand(), d.imageCommand(), d.inspect(), d.pull(), d.save())
	root.AddCommand(d.runCommand("run"), d.runCommand("create"), d.copyInto(), d.ps(), d.start(), d.stop(), d.remove(), d.logs(), d.exec())
	root.SetArgs(args)
	return root.Execute()
}

// command returns a command that takes options before its arguments only, as programs with arguments need it.
func command(use string, run func(args []string) error) *cobra.Command {
	c := &cobra.Command{Use: use, RunE: func(_ *cobra.Command, args []string) error { return run(args) }}
	c.Flags().SetInterspersed(false)
	return c
}

// group returns a command with commands below it. It fails for others: a call that the stub does not know must not pass unseen.
func group(use string, commands ...*cobra.Command) *cobra.Command {
	c := command(use, func(args []string) error {
		return fmt.Errorf("the stub engine has no %s %s", use, strings.Join(args, " "))
	})
	c.AddCommand(commands...)
	return c
}
