// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Runner runs a list of steps.
type Runner struct {
	Steps List
	// Emit receives the events, one after the other. Nil drops them.
	Emit func(Event)
	// Recreate says whether a step may remove what can't be changed in place. Nil means never.
	Recreate func(step string) bool

	emitting sync.Mutex
}

// NeedError says that a step was not run because one that it needs did not succeed.
type NeedError struct{ Step, Need string }

// Error implements error.
func (e *NeedError) Error() string {
	return fmt.Sprintf("%s was not done: it needs %s", e.Step, e.Need)
}

// RecreateError says that a step differs in fields that can't be changed in place.
type RecreateError struct {
	Step        string
	Differences []Difference
}

// Error implements error.
func (e *RecreateError) Error() string {
	var b strings.Builder
	b.WriteString("can't be changed in place:")
	for _, difference := range e.Differences {
		fmt.Fprintf(&b, "\n  %s is %s, wanted %s", difference.Field, difference.Have, difference.Want)
	}
	return b.String() + fmt.Sprintf("\nKeep what there is by taking the change back, or have it removed, and made again where the file wants it, with --recreate=%s", e.Step)
}

// Observe looks at every step and changes nothing. A step whose need is missing is not asked: it can't be there either.
func (r *Runner) Observe(ctx context.Context) []Result {
	return r.each(ctx, r.Steps, func(ctx context.Context, step Step, needs []Result) Result {
		for _, need := range needs {
			switch {
			case need.Observation.State == Missing:
				return Result{Observation: Observation{State: Missing, Text: "needs " + need.Step}}
			case need.Observation.State == Unknown, need.Observation.Blocks:
				return Result{Observation: Observation{State: Unknown, Text: "needs " + need.Step}}
			}
		}
		observation, err := step.Observe(ctx)
		if err != nil {
			return Result{Observation: Observation{State: Unknown, Text: err.Error()}, Err: err}
		}
		return Result{Observation: observation}
	})
}

// Up applies every step that is not as wanted. It goes on with independent steps when one fails, and returns all errors joined.
func (r *Runner) Up(ctx context.Context) ([]Result, error) {
	results := r.each(ctx, r.Steps, r.apply)
	return results, joined(results)
}

// Down undoes every step, last first, and goes on when one fails: each looks for itself whether it can be undone.
func (r *Runner) Down(ctx context.Context) ([]Result, error) {
	results := r.each(ctx, r.Steps.reversed(), func(ctx context.Context, step Step, _ []Result) Result {
		if ctx.Err() != nil {
			return Result{Err: ctx.Err()}
		}
		if step.Undo == nil {
			return Result{Action: ActionSkipped}
		}
		r.emit(Event{Kind: Started, Step: step.Name, Title: step.Title})
		text, err := step.Undo(ctx)
		return Result{Action: ActionUndone, Observation: Observation{Text: text}, Err: err}
	})
	return results, joined(results)
}

func (r *Runner) apply(ctx context.Context, step Step, needs []Result) Result {
	if err := failedNeed(ctx, step, needs); err != nil {
		return Result{Err: err}
	}
	observation, err := step.Observe(ctx)
	if err != nil {
		return Result{Observation: Observation{State: Unknown}, Err: err}
	}
	switch observation.State {
	case AsWanted:
		return Result{Action: ActionUnchanged, Observation: observation}
	case Skipped:
		return Result{Action: ActionSkipped, Observation: observation}
	}
	action := ActionApplied
	if differences := observation.Recreate(); len(differences) > 0 {
		if step.Recreate == nil || r.Recreate == nil || !r.Recreate(step.Name) {
			return Result{Observation: observation, Err: &RecreateError{step.Name, differences}}
		}
		action = ActionRecreated
	}
	r.emit(Event{Kind: Started, Step: step.Name, Title: step.Title})
	if action == ActionRecreated {
		if err := step.Recreate(ctx); err != nil {
			return Result{Observation: observation, Err: err}
		}
	}
	text, err := step.Apply(ctx, func(text string) {
		r.emit(Event{Kind: Progress, Step: step.Name, Title: step.Title, Text: text})
	})
	observation.Text = text
	return Result{Action: action, Observation: observation, Err: err}
}

// failedNeed says why a step is not begun: one that it needs has failed, or the context has ended.
func failedNeed(ctx context.Context, step Step, needs []Result) error {
	for _, need := range needs {
		if need.Err != nil {
			return &NeedError{step.Name, need.Step}
		}
	}
	return ctx.Err()
}

// each runs do for every step as soon as the steps that it needs have ended, and returns the results in the order of the list.
func (r *Runner) each(ctx context.Context, list List, do func(context.Context, Step, []Result) Result) []Result {
	results := make([]Result, len(list))
	ended := make(map[string]chan struct{}, len(list))
	index := make(map[string]int, len(list))
	for i, step := range list {
		ended[step.Name], index[step.Name] = make(chan struct{}), i
	}
	var group sync.WaitGroup
	for i, step := range list {
		group.Go(func() {
			defer close(ended[step.Name])
			var needs []Result
			for _, need := range step.Needs {
				<-ended[need]
				needs = append(needs, results[index[need]])
			}
			results[i] = r.timed(ctx, step, needs, do)
		})
	}
	group.Wait()
	return results
}

func (r *Runner) timed(ctx context.Context, step Step, needs []Result, do func(context.Context, Step, []Result) Result) Result {
	start := time.Now()
	result := do(ctx, step, needs)
	result.Step, result.Title = step.Name, step.Title
	duration := time.Since(start)
	result.Seconds = duration.Seconds()
	event := Event{Kind: Done, Step: step.Name, Title: step.Title, Text: result.Observation.Text, Action: result.Action, Duration: duration}
	if result.Err != nil {
		result.Error, result.Action = result.Err.Error(), ""
		event.Kind, event.Err, event.Action = Failed, result.Err, ""
	}
	r.emit(event)
	return result
}

func (r *Runner) emit(event Event) {
	if r.Emit == nil {
		return
	}
	r.emitting.Lock()
	defer r.emitting.Unlock()
	event.Time = time.Now()
	r.Emit(event)
}

// joined returns the errors of the steps themselves, not those of steps that merely needed them.
func joined(results []Result) error {
	var errs []error
	for _, result := range results {
		var need *NeedError
		if result.Err != nil && !errors.As(result.Err, &need) {
			errs = append(errs, fmt.Errorf("%s: %w", result.Step, result.Err))
		}
	}
	return errors.Join(errs...)
}
