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

// ImageError says that a node can't be made because the engine neither has its image nor gets it.
type ImageError struct {
	Image string
	Err   error
}

// Error implements error.
func (e *ImageError) Error() string {
	return fmt.Sprintf("the engine has no node image %s and can't pull it: check its name, or load it into the engine\n%s", e.Image, e.Err)
}

// Unwrap returns the cause.
func (e *ImageError) Unwrap() error { return e.Err }

// explainCreate finds out whether an image was the reason: kind pulls those that the engine lacks, and the engine pulls at docker run.
func explainCreate(doing string, err error) error {
	wrapped := explain(doing, err)
	failed := exec.RunErrorForError(err)
	if failed == nil || len(failed.Command) < 3 {
		return wrapped
	}
	image := failed.Command[len(failed.Command)-1]
	if failed.Command[1] == "pull" || failed.Command[1] == "run" && lacksImage(string(failed.Output)) {
		return &ImageError{image, wrapped}
	}
	return wrapped
}

// lacksImage reads what docker and podman write when a container's image is neither there nor could be pulled.
func lacksImage(output string) bool {
	return strings.Contains(output, "Unable to find image") && !strings.Contains(output, "Status: Downloaded") ||
		strings.Contains(output, "No such image") || strings.Contains(output, "initializing source docker://")
}

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
