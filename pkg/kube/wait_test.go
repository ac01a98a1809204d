// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWaitReturnsWhenAllConditionsHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := 3
		counts := Condition{"countdown", func(context.Context) ([]Pending, error) {
			if left == 0 {
				return nil, nil
			}
			left--
			return []Pending{{Object: "countdown", Reason: "goes on"}}, nil
		}}
		var reports [][]Pending
		err := Wait(t.Context(), []Condition{counts}, func(pending []Pending) { reports = append(reports, pending) })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][]Pending{{{Object: "countdown", Reason: "goes on"}}, nil}, reports); diff != "" {
			t.Errorf("reports, each once (-expected +got):\n%s", diff)
		}
	})
}

func TestWaitNamesWhatIsNotReadyWhenTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := Wait(ctx, []Condition{
			{"holds", func(context.Context) ([]Pending, error) { return nil, nil }},
			{"image", func(context.Context) ([]Pending, error) {
				return []Pending{{Object: "Pod a/b", Reason: "container c waits: ErrImagePull", MissingImage: "registry.example/c:1", LastEvent: "Failed: not found"}}, nil
			}},
			{"broken", func(context.Context) ([]Pending, error) { return nil, errors.New("no route to host") }},
		}, nil)
		timeout, ok := errors.AsType[*TimeoutError](err)
		if !ok {
			t.Fatalf("expected a *TimeoutError, got %v", err)
		}
		expected := `time is up (see --timeout); not ready:
  Pod a/b: container c waits: ErrImagePull
    image that can't be pulled: registry.example/c:1
    last event: Failed: not found
  broken: no route to host
The nodes can't pull these images: pull or load them into the container engine, and they are taken from there`
		if diff := cmp.Diff(expected, timeout.Error()); diff != "" {
			t.Errorf("text (-expected +got):\n%s", diff)
		}
	})
}

func TestWaitKeepsWhatItKnewWhenACheckIsCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), checkTimeout/2)
		defer cancel()
		first := true
		err := Wait(ctx, []Condition{{"node", func(ctx context.Context) ([]Pending, error) {
			if first {
				first = false
				return []Pending{{Object: "Node a", Reason: "not ready"}}, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}}}, nil)
		timeout, ok := errors.AsType[*TimeoutError](err)
		if !ok || len(timeout.Pending) != 1 || timeout.Pending[0].Object != "Node a" {
			t.Errorf("expected what the first check said, got %v", err)
		}
	})
}

func TestWaitBoundsOneCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		err := Wait(t.Context(), []Condition{{"hangs once", func(ctx context.Context) ([]Pending, error) {
			if !first {
				return nil, nil
			}
			first = false
			<-ctx.Done()
			return nil, ctx.Err()
		}}}, nil)
		if err != nil {
			t.Errorf("expected the second check to be asked, got %v", err)
		}
	})
}

func TestWaitReturnsTheContextsErrorWhenCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		err := Wait(ctx, []Condition{{"never", func(context.Context) ([]Pending, error) {
			cancel()
			return []Pending{{Object: "x", Reason: "never"}}, nil
		}}}, nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("expected the context's error, got %v", err)
		}
	})
}
