// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kindcluster

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/kind/pkg/log"
)

// StepState says how far a step of kind's is.
type StepState string

// The states.
const (
	StepStarted StepState = "started"
	StepDone    StepState = "done"
	StepFailed  StepState = "failed"
	// StepWarning is something that kind warns of.
	StepWarning StepState = "warning"
)

// Event is what kind says while it makes a cluster.
type Event struct {
	Step  string
	State StepState
}

// logger turns the lines that kind writes for people into events.
type logger struct{ emit func(Event) }

// newLogger keeps silent when the context is done: kind goes on in the background then, and nobody waits for it any more.
func newLogger(ctx context.Context, emit func(Event)) log.Logger {
	if emit == nil {
		return quiet()
	}
	return logger{func(event Event) {
		if ctx.Err() == nil {
			emit(event)
		}
	}}
}

func quiet() log.Logger { return log.NoopLogger{} }

func (l logger) Warn(message string)          { l.emit(Event{strings.TrimSpace(message), StepWarning}) }
func (l logger) Warnf(f string, args ...any)  { l.Warn(fmt.Sprintf(f, args...)) }
func (l logger) Error(message string)         { l.emit(Event{strings.TrimSpace(message), StepFailed}) }
func (l logger) Errorf(f string, args ...any) { l.Error(fmt.Sprintf(f, args...)) }

// V returns a logger for messages of level 0, which tell of steps; the others are for kind's own developers.
func (l logger) V(level log.Level) log.InfoLogger {
	if level > 0 {
		return log.NoopInfoLogger{}
	}
	return infoLogger(l)
}

type infoLogger struct{ emit func(Event) }

func (infoLogger) Enabled() bool { return true }

func (l infoLogger) Infof(f string, args ...any) { l.Info(fmt.Sprintf(f, args...)) }

// Info reads " • step ...", " ✓ step" and " ✗ step", with the pictures that kind puts behind.
func (l infoLogger) Info(message string) {
	message = strings.TrimSpace(message)
	for mark, state := range map[string]StepState{"•": StepStarted, "✓": StepDone, "✗": StepFailed} {
		if rest, found := strings.CutPrefix(message, mark); found {
			l.emit(Event{stepName(rest), state})
			return
		}
	}
}

// stepName keeps the plain words of a line.
func stepName(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r > 0x2000 })
	return strings.TrimSuffix(strings.Join(words, " "), " ...")
}
