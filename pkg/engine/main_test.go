// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/engine/stubengine"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"docker": stubengine.Main}) }

// answer is what a call of the recorded engine gets.
type answer struct {
	stdout string
	// stderr makes the call fail.
	stderr string
}

// recorder answers calls by the words that they begin with and remembers them.
type recorder struct {
	answers map[string]answer
	calls   []string
}

func (r *recorder) Run(_ context.Context, command engine.Command) error {
	call := strings.Join(command.Args, " ")
	r.calls = append(r.calls, call)
	for words, answer := range r.answers {
		if !strings.HasPrefix(call, words) {
			continue
		}
		if command.Stdout != nil {
			if _, err := io.WriteString(command.Stdout, answer.stdout); err != nil {
				return err
			}
		}
		if answer.stderr != "" {
			return &engine.CommandError{Args: append([]string{"engine"}, command.Args...), Output: answer.stderr, Err: errors.New("exit status 1")}
		}
		return nil
	}
	return nil
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
