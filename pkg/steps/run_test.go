// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package steps_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/steps"
)

// world is what fake steps act on.
type world struct {
	mutex sync.Mutex
	log   []string
	made  map[string]bool
	fails map[string]error
	// recreate are steps that can't be changed in place.
	recreate map[string]bool
}

func (w *world) note(text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.log = append(w.log, text)
}

func (w *world) has(name string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.made[name]
}

func (w *world) set(name string, made bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.made[name] = made
}

func (w *world) step(name string, needs ...string) steps.Step {
	return steps.Step{
		Name: name, Title: strings.ToUpper(name), Needs: needs,
		Observe: func(context.Context) (steps.Observation, error) {
			switch {
			case w.recreate[name]:
				return steps.Observation{State: steps.Differs, Differences: []steps.Difference{{Field: "f", Have: "a", Want: "b", Recreate: true}}}, nil
			case w.has(name):
				return steps.Observation{State: steps.AsWanted}, nil
			}
			return steps.Observation{State: steps.Missing}, nil
		},
		Apply: func(ctx context.Context, _ func(string)) (string, error) {
			w.note("apply " + name)
			if err := w.fails[name]; err != nil {
				return "", err
			}
			w.set(name, true)
			return "", ctx.Err()
		},
		Undo: func(context.Context) (string, error) {
			w.note("undo " + name)
			w.set(name, false)
			return "", w.fails[name]
		},
		Recreate: func(context.Context) error {
			w.note("recreate " + name)
			return nil
		},
	}
}

// list is a diamond: b and c need a, d needs both.
func newWorld() (*world, steps.List) {
	w := &world{made: map[string]bool{}, fails: map[string]error{}, recreate: map[string]bool{}}
	return w, steps.List{w.step("a"), w.step("b", "a"), w.step("c", "a"), w.step("d", "b", "c")}
}

func TestUpAppliesInOrderAndOnlyOnce(t *testing.T) {
	w, list := newWorld()
	if err := list.Validate(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := (&steps.Runner{Steps: list}).Up(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.log) != 4 || w.log[0] != "apply a" || w.log[3] != "apply d" {
		t.Errorf("log %v", w.log)
	}
}

func TestUpGoesOnAfterAFailure(t *testing.T) {
	w, list := newWorld()
	cause := errors.New("disk full")
	w.fails["b"] = cause
	results, err := (&steps.Runner{Steps: list}).Up(t.Context())
	if !errors.Is(err, cause) || strings.Contains(err.Error(), "d was not done") {
		t.Errorf("error %v", err)
	}
	if need, ok := errors.AsType[*steps.NeedError](results[3].Err); !ok || need.Need != "b" {
		t.Errorf("d: %v", results[3].Err)
	}
	if !w.has("c") || w.has("d") {
		t.Errorf("made %v", w.made)
	}
	delete(w.fails, "b")
	w.log = nil
	if _, err := (&steps.Runner{Steps: list}).Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"apply b", "apply d"}, w.log); diff != "" {
		t.Error(diff)
	}
}

func TestUpStopsWhenInterrupted(t *testing.T) {
	w, list := newWorld()
	ctx, cancel := context.WithCancel(t.Context())
	apply := list[0].Apply
	list[0].Apply = func(ctx context.Context, report func(string)) (string, error) {
		cancel()
		return apply(ctx, report)
	}
	_, err := (&steps.Runner{Steps: list}).Up(ctx)
	if !errors.Is(err, context.Canceled) || len(w.log) != 1 {
		t.Errorf("%v, %v", err, w.log)
	}
}

func TestWhatCantBeChangedInPlaceIsNamed(t *testing.T) {
	w, list := newWorld()
	w.recreate["b"] = true
	_, err := (&steps.Runner{Steps: list}).Up(t.Context())
	recreate, ok := errors.AsType[*steps.RecreateError](err)
	if !ok || recreate.Step != "b" || !strings.Contains(err.Error(), "--recreate=b") || !strings.Contains(err.Error(), "f is a, wanted b") {
		t.Fatalf("error %v", err)
	}
	if slices.Contains(w.log, "recreate b") {
		t.Fatal("recreated without being asked")
	}
	results, err := (&steps.Runner{Steps: list, Recreate: func(step string) bool { return step == "b" }}).Up(t.Context())
	if err != nil || results[1].Action != steps.ActionRecreated || !slices.Contains(w.log, "recreate b") {
		t.Errorf("%v, %v, %v", err, results[1].Action, w.log)
	}
}

func TestObserveDoesNotAskWhatCantBeThere(t *testing.T) {
	w, list := newWorld()
	w.set("a", true)
	list[1].Observe = func(context.Context) (steps.Observation, error) { return steps.Observation{}, errors.New("no answer") }
	results := (&steps.Runner{Steps: list}).Observe(t.Context())
	var states []string
	for _, result := range results {
		states = append(states, fmt.Sprintf("%s %s", result.Step, result.Observation.State))
	}
	if diff := cmp.Diff([]string{"a as wanted", "b unknown", "c missing", "d unknown"}, states); diff != "" {
		t.Error(diff)
	}
	list[0].Observe = func(context.Context) (steps.Observation, error) {
		return steps.Observation{State: steps.Differs, Text: "stopped", Blocks: true}, nil
	}
	for _, result := range (&steps.Runner{Steps: list}).Observe(t.Context())[1:] {
		if result.Err != nil || result.Observation.State != steps.Unknown {
			t.Errorf("%s needs a step that must be applied first, and is %v, %v", result.Step, result.Observation.State, result.Err)
		}
	}
	if len(w.log) > 0 {
		t.Errorf("observing did %v", w.log)
	}
}

func TestDownUndoesInReverse(t *testing.T) {
	w, list := newWorld()
	w.fails["d"] = errors.New("busy")
	if _, err := (&steps.Runner{Steps: list}).Down(t.Context()); !errors.Is(err, w.fails["d"]) {
		t.Errorf("error %v", err)
	}
	if len(w.log) != 4 || w.log[0] != "undo d" || w.log[3] != "undo a" {
		t.Errorf("log %v", w.log)
	}
}

func TestEventsComeOneAfterTheOther(t *testing.T) {
	_, list := newWorld()
	var kinds []string
	emit := func(event steps.Event) { kinds = append(kinds, event.Step+" "+string(event.Kind)) } // a race when two come at once
	if _, err := (&steps.Runner{Steps: list, Emit: emit}).Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(kinds) != 8 || kinds[0] != "a started" || kinds[7] != "d done" {
		t.Errorf("events %v", kinds)
	}
}

func TestValidateList(t *testing.T) {
	w, list := newWorld()
	for name, bad := range map[string]steps.List{
		"a need that is no step":  {w.step("a", "b")},
		"a need that comes later": {list[1], list[0]},
		"a name given twice":      {list[0], list[0]},
	} {
		if bad.Validate() == nil {
			t.Errorf("accepts %s", name)
		}
	}
}
