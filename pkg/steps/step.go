// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package steps runs a list of steps: it looks what is as wanted, applies what differs, in parallel where needs allow, and
// undoes in reverse. It knows nothing of what the steps do.
package steps

import "context"

// State is what a step found.
type State string

// The states.
const (
	// AsWanted needs nothing.
	AsWanted State = "as wanted"
	// Missing is not there at all.
	Missing State = "missing"
	// Differs is there, and not as wanted.
	Differs State = "differs"
	// Unknown could not be looked at.
	Unknown State = "unknown"
	// Skipped does not apply here.
	Skipped State = "skipped"
)

// Difference is one thing that is not as wanted.
type Difference struct {
	// Field is the path of a field, or a word for what is compared.
	Field string `json:"field"`
	Have  string `json:"have"`
	Want  string `json:"want"`
	// Recreate says that it can't be changed in place.
	Recreate bool `json:"recreate,omitempty"`
}

// Observation is what a step found, in words.
type Observation struct {
	State State `json:"state"`
	// Text says in one line what was found, such as "3 nodes, Kubernetes v1.37.2".
	Text        string       `json:"text,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
	// Blocks says that what needs the step can't be looked at before the step is applied.
	Blocks bool `json:"-"`
}

// Recreate returns the differences that can't be changed in place.
func (o Observation) Recreate() []Difference {
	var selected []Difference
	for _, difference := range o.Differences {
		if difference.Recreate {
			selected = append(selected, difference)
		}
	}
	return selected
}

// Step is one thing that an environment consists of.
type Step struct {
	// Name is stable: --recreate, --progress json and documentation refer to it.
	Name string
	// Title is shown while the step is applied, such as "Creating cluster gardener-local".
	Title string
	// Needs are the names of the steps that come first.
	Needs []string
	// Observe says whether all is as wanted. It changes nothing.
	Observe func(ctx context.Context) (Observation, error)
	// Apply makes it as wanted, whatever was found: nothing, all, or something half-made.
	Apply func(ctx context.Context, report func(text string)) (string, error)
	// Undo removes what the step made; it succeeds when nothing is there. Nil when there is nothing to undo.
	Undo func(ctx context.Context) (string, error)
	// Recreate removes what can't be changed in place, before Apply. Nil when everything can.
	Recreate func(ctx context.Context) error
}
