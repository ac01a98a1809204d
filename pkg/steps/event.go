// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package steps

import "time"

// Kind of an event.
type Kind string

// The kinds, in the order in which a step has them.
const (
	Started  Kind = "started"
	Progress Kind = "progress"
	Done     Kind = "done"
	Failed   Kind = "failed"
)

// Action says what was done to a step.
type Action string

// The actions.
const (
	ActionUnchanged Action = "unchanged"
	ActionApplied   Action = "applied"
	ActionSkipped   Action = "skipped"
	ActionUndone    Action = "undone"
	ActionRecreated Action = "recreated"
)

// Event tells of a step. A run emits events one after the other, never two at once.
type Event struct {
	Time  time.Time
	Kind  Kind
	Step  string
	Title string
	// Text is what a step is doing (Progress) or what came of it (Done).
	Text   string
	Action Action
	// Duration since the step started; set when it ended.
	Duration time.Duration
	Err      error
}

// Result is what came of one step.
type Result struct {
	Step        string      `json:"step"`
	Title       string      `json:"title"`
	Action      Action      `json:"action,omitempty"`
	Observation Observation `json:"observation"`
	// Seconds that the step took.
	Seconds float64 `json:"seconds"`
	Error   string  `json:"error,omitempty"`
	Err     error   `json:"-"`
}

// IsAsWanted says whether nothing has to be done for the step.
func (r Result) IsAsWanted() bool {
	return r.Err == nil && (r.Observation.State == AsWanted || r.Observation.State == Skipped)
}
