// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Pending is something that is not ready, and why.
type Pending struct {
	Object string `json:"object"`
	Reason string `json:"reason"`
	// LastEvent is the newest warning about the object.
	LastEvent string `json:"lastEvent,omitempty"`
	// MissingImage could not be pulled.
	MissingImage string `json:"missingImage,omitempty"`
}

// Condition is something to wait for.
type Condition struct {
	Name string
	// Check returns what is not ready; nothing means that the condition holds. An error does not end the wait: it is kept and
	// shown when time is up.
	Check func(ctx context.Context) ([]Pending, error)
}

// TimeoutError says what was not ready when time was up.
type TimeoutError struct{ Pending []Pending }

// Error implements error.
func (e *TimeoutError) Error() string {
	var b strings.Builder
	b.WriteString("time is up (see --timeout); not ready:")
	imageMissing := false
	for _, pending := range e.Pending {
		imageMissing = imageMissing || pending.MissingImage != ""
		fmt.Fprintf(&b, "\n  %s: %s", pending.Object, pending.Reason)
		if pending.MissingImage != "" {
			fmt.Fprintf(&b, "\n    image that can't be pulled: %s", pending.MissingImage)
		}
		if pending.LastEvent != "" {
			fmt.Fprintf(&b, "\n    last event: %s", pending.LastEvent)
		}
	}
	if imageMissing {
		b.WriteString("\nThe nodes can't pull these images: pull or load them into the container engine, and they are taken from there")
	}
	return b.String()
}

// pollInterval is how often conditions are checked. They span nodes, pods and events; a watch for each of them would notice a change
// some tenths of a second earlier, of waits that take tens of seconds.
const pollInterval = 500 * time.Millisecond

// checkTimeout bounds one check, so that a hanging API server is seen as such.
const checkTimeout = 20 * time.Second

// Wait returns when all conditions hold. It tells report what is not ready whenever that changes. When the context's time is up, the
// error is a *TimeoutError; when it is cancelled, the context's own.
func Wait(ctx context.Context, conditions []Condition, report func([]Pending)) error {
	var pending []Pending
	last := ""
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		now := check(ctx, conditions)
		if ctx.Err() != nil && len(now) > 0 && pending != nil {
			return false, nil // the check was cut short: what was known before says more
		}
		pending = now
		if text := fmt.Sprint(pending); report != nil && text != last {
			last = text
			report(pending)
		}
		return len(pending) == 0, nil
	})
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil {
		return &TimeoutError{pending}
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// check returns what is not ready, of all conditions in their order.
func check(ctx context.Context, conditions []Condition) []Pending {
	var all []Pending
	for _, condition := range conditions {
		checkCtx, cancel := context.WithTimeout(ctx, checkTimeout)
		pending, err := condition.Check(checkCtx)
		cancel()
		if err != nil {
			pending = append(pending, Pending{Object: condition.Name, Reason: err.Error()})
		}
		all = append(all, pending...)
	}
	return all
}
