// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	t.Run("returns what a program writes", func(t *testing.T) {
		output, err := Command{Name: "go", Args: []string{"env", "GOOS"}}.Output(t.Context())
		if err != nil || strings.TrimSpace(string(output)) == "" {
			t.Errorf("got %q, error %v", output, err)
		}
	})
	t.Run("puts the program's words into the error", func(t *testing.T) {
		err := Command{Name: "go", Args: []string{"no-such-command"}}.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), "no-such-command") {
			t.Errorf("got error %v", err)
		}
	})
	t.Run("says which program is missing", func(t *testing.T) {
		err := Command{Name: "no-such-program"}.Run(t.Context())
		if !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("got error %v", err)
		}
	})
	t.Run("says that it was interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := (Command{Name: "go", Args: []string{"version"}}).Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v", err)
		}
	})
}

func TestTail(t *testing.T) {
	long := strings.Repeat("x\n", tailLines) + "last\n"
	if got := tail(long); strings.Count(got, "\n") != tailLines-1 || !strings.HasSuffix(got, "last") {
		t.Errorf("got %q", got)
	}
}
