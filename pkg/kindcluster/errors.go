// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kind/pkg/exec"
)

// shownLines is how much of a failed command's output an error shows: the end tells why.
const shownLines = 20

// CommandError says that kind, or a command in a node, failed, with the end of what the failed command wrote.
type CommandError struct {
	Doing   string
	Command string
	Output  string
	Err     error
}

// Error implements error.
func (e *CommandError) Error() string {
	text := fmt.Sprintf("%s: %s", e.Doing, e.Err)
	if e.Output != "" {
		text += fmt.Sprintf("\n  %s\n    %s", e.Command, strings.ReplaceAll(e.Output, "\n", "\n    "))
	}
	return text
}

// Unwrap returns the cause.
func (e *CommandError) Unwrap() error { return e.Err }

func explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	wrapped := &CommandError{Doing: doing, Err: err}
	if failed := exec.RunErrorForError(err); failed != nil {
		wrapped.Command = shorten(failed.PrettyCommand(), 200)
		wrapped.Output = lastLines(string(failed.Output))
	}
	return wrapped
}

func lastLines(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if len(lines) > shownLines {
		lines = append([]string{"…"}, lines[len(lines)-shownLines:]...)
	}
	return strings.Join(lines, "\n")
}

func shorten(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length-1]) + "…"
	}
	return text
}
