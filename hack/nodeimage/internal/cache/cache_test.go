// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRunMakesOnlyWhatIsLeft(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name   string
		first  []Step
		second []Step
		want   []string
	}{
		{
			name:   "keeps everything when nothing changed",
			first:  []Step{file("a", "1"), file("b", "1", "a")},
			second: []Step{file("a", "1"), file("b", "1", "a")},
			want:   []string{"a kept", "b kept"},
		},
		{
			name:   "makes what needs a changed step anew",
			first:  []Step{file("a", "1"), file("b", "1", "a"), file("c", "1")},
			second: []Step{file("a", "2"), file("b", "1", "a"), file("c", "1")},
			want:   []string{"a started", "b started", "c kept"},
		},
		{
			name:   "goes on behind a step that failed",
			first:  []Step{file("a", "1"), failing("b", broken)},
			second: []Step{file("a", "1"), file("b", "")},
			want:   []string{"a kept", "b started"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			if _, err := record(t, folder, test.first, nil); err != nil && !errors.Is(err, broken) {
				t.Fatal(err)
			}
			var events []string
			if _, err := record(t, folder, test.second, &events); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, events); diff != "" {
				t.Errorf("events differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunHandsArtefactsOn(t *testing.T) {
	copying := Step{Name: "b", Needs: []string{"a"}, Make: func(_ context.Context, done Artefacts, target string) error {
		text, err := os.ReadFile(done["a"])
		if err != nil {
			return err
		}
		return os.WriteFile(target, append(text, '!'), 0o600)
	}}
	done, err := record(t, t.TempDir(), []Step{file("a", "1"), copying}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(done["b"]); err != nil || string(text) != "1!" {
		t.Errorf("got %q, error %v", text, err)
	}
}

func TestRunRefuses(t *testing.T) {
	tests := []struct {
		name  string
		steps []Step
	}{
		{name: "refuses a need that comes later", steps: []Step{file("b", "1", "a"), file("a", "1")}},
		{name: "refuses a step that makes nothing", steps: []Step{{Name: "a", Make: func(context.Context, Artefacts, string) error { return nil }}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := record(t, t.TempDir(), test.steps, nil); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func file(name, input string, needs ...string) Step {
	return Step{Name: name, Inputs: []string{input}, Needs: needs, Make: func(_ context.Context, _ Artefacts, target string) error {
		return os.WriteFile(target, []byte(input), 0o600)
	}}
}

// failing leaves half an artefact, as an interrupted program does.
func failing(name string, err error) Step {
	return Step{Name: name, Inputs: []string{""}, Make: func(_ context.Context, _ Artefacts, target string) error {
		return errors.Join(os.MkdirAll(filepath.Join(target, "half"), 0o700), err)
	}}
}

// record collects what happens, without how long it took.
func record(t *testing.T, folder string, steps []Step, events *[]string) (Artefacts, error) {
	t.Helper()
	runner := Runner{Folder: folder, Report: func(step, event string) {
		if events != nil && (event == "kept" || event == "started") {
			*events = append(*events, step+" "+event)
		}
	}}
	return runner.Run(t.Context(), steps)
}
