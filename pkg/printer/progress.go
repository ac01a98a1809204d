// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gardener/kindling/pkg/steps"
)

// ProgressMode says how progress is shown.
type ProgressMode string

// The modes.
const (
	// ProgressAuto is a spinner in a terminal and plain lines elsewhere.
	ProgressAuto  ProgressMode = "auto"
	ProgressPlain ProgressMode = "plain"
	// ProgressJSON writes one JSON object a line.
	ProgressJSON ProgressMode = "json"
)

// ProgressModes lists all modes.
func ProgressModes() []string {
	return []string{string(ProgressAuto), string(ProgressPlain), string(ProgressJSON)}
}

// Progress shows the events of a run.
type Progress interface {
	Emit(steps.Event)
	// Note shows something that is no step's.
	Note(text string)
	// Fail shows the error of the whole run, and says whether it did: otherwise it is told as every error is.
	Fail(text string) bool
	// Pause leaves the terminal to somebody else, until what it returns is called.
	Pause() (resume func())
	// Close ends what is still moving; it can be called again.
	Close()
}

// NewProgress returns progress in a mode; terminal says whether w is one.
func NewProgress(mode ProgressMode, w io.Writer, terminal bool) Progress {
	switch {
	case mode == ProgressJSON:
		return jsonProgress{json.NewEncoder(w)}
	case mode == ProgressAuto && terminal:
		return newSpinner(w)
	default:
		return plainProgress{w}
	}
}

// plainProgress writes a line when a step starts, says something new, and ends.
type plainProgress struct{ w io.Writer }

func (p plainProgress) Emit(event steps.Event) {
	switch event.Kind {
	case steps.Started:
		_, _ = fmt.Fprintf(p.w, " • %s ...\n", event.Title)
	case steps.Progress:
		_, _ = fmt.Fprintf(p.w, "   %s: %s\n", event.Step, event.Text)
	case steps.Done, steps.Failed:
		if line := ended(event); line != "" {
			_, _ = fmt.Fprintln(p.w, line)
		}
	}
}

func (p plainProgress) Note(text string) { _, _ = fmt.Fprintf(p.w, "note: %s\n", text) }

func (plainProgress) Fail(string) bool { return false }

func (plainProgress) Pause() (resume func()) { return func() {} }

func (plainProgress) Close() {}

// ended returns the line of a step that ended; empty for steps that there was nothing to do for. What failed is told by the
// command's error, not here.
func ended(event steps.Event) string {
	switch {
	case event.Kind == steps.Failed && isNeed(event.Err):
		return "" // the step that failed has its line
	case event.Kind == steps.Failed:
		return fmt.Sprintf(" ✗ %s (%s)", event.Title, seconds(event.Duration))
	case event.Action == steps.ActionApplied, event.Action == steps.ActionRecreated, event.Action == steps.ActionUndone:
		line := fmt.Sprintf(" ✓ %s (%s)", event.Title, seconds(event.Duration))
		if event.Text != "" {
			line += ": " + event.Text
		}
		return line
	default:
		return ""
	}
}

func isNeed(err error) bool {
	_, ok := errors.AsType[*steps.NeedError](err)
	return ok
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

// jsonProgress writes an object for each event.
type jsonProgress struct{ encoder *json.Encoder }

type jsonEvent struct {
	Time    time.Time    `json:"time"`
	Event   steps.Kind   `json:"event"`
	Step    string       `json:"step,omitempty"`
	Title   string       `json:"title,omitempty"`
	Action  steps.Action `json:"action,omitempty"`
	Text    string       `json:"text,omitempty"`
	Seconds float64      `json:"seconds,omitempty"`
	Error   string       `json:"error,omitempty"`
}

func (p jsonProgress) Emit(event steps.Event) {
	out := jsonEvent{
		Time: event.Time, Event: event.Kind, Step: event.Step, Title: event.Title,
		Action: event.Action, Text: event.Text, Seconds: event.Duration.Seconds(),
	}
	if event.Err != nil {
		out.Error = event.Err.Error()
	}
	_ = p.encoder.Encode(out)
}

// The kinds of events that are no step's.
const (
	noteEvent  steps.Kind = "note"
	errorEvent steps.Kind = "error"
)

func (p jsonProgress) Note(text string) {
	_ = p.encoder.Encode(jsonEvent{Time: time.Now(), Event: noteEvent, Text: text})
}

func (p jsonProgress) Fail(text string) bool {
	_ = p.encoder.Encode(jsonEvent{Time: time.Now(), Event: errorEvent, Error: text})
	return true
}

func (jsonProgress) Pause() (resume func()) { return func() {} }

func (jsonProgress) Close() {}
