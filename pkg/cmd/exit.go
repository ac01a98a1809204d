// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/checkout"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/lab"
	"github.com/gardener/kindling/pkg/loopback"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/privileged"
	"github.com/gardener/kindling/pkg/profiles"
	"github.com/gardener/kindling/pkg/registry"
	"github.com/gardener/kindling/pkg/verify/live"
	"github.com/gardener/kindling/pkg/vpn"
)

// Exit codes, as documented in the README.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitDifferences = 3
	ExitHost        = 4
	ExitTimeout     = 5
	ExitInterrupted = 130
)

// UsageError says that the command line is wrong.
type UsageError struct{ Err error }

// Error implements error.
func (e *UsageError) Error() string {
	return fmt.Sprintf("%s\nSee kindling --help, or --help of the command.", e.Err)
}

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// RulesError says that an environment breaks rules of the address plan.
type RulesError struct {
	What       string
	Violations []netplan.Finding
}

// Error implements error.
func (e *RulesError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s breaks rules of the address plan (%d violations):", e.What, len(e.Violations))
	for _, violation := range e.Violations {
		b.WriteString("\n" + describe(violation))
	}
	return b.String()
}

// RoutesError says that a routing table can't be read.
type RoutesError struct {
	// Name of the file.
	Name string
	Err  error
}

// Error implements error.
func (e *RoutesError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *RoutesError) Unwrap() error { return e.Err }

// differencesFound ends a command with exit code 3; what differs has been printed.
type differencesFound struct{ text string }

func (e *differencesFound) Error() string { return e.text }

// refused ends a command with exit code 1; why has been printed.
type refused struct{}

func (refused) Error() string { return "" }

// told is an error that has been shown with the progress.
type told struct{ err error }

func (e *told) Error() string { return e.err.Error() }
func (e *told) Unwrap() error { return e.err }

// hostNotFit ends a command with exit code 4.
type hostNotFit struct{ err error }

func (e *hostNotFit) Error() string { return e.err.Error() }
func (e *hostNotFit) Unwrap() error { return e.err }

// commandFailed ends a command with the exit code of a command of the user's, which has said why.
type commandFailed struct{ code int }

func (*commandFailed) Error() string { return "" }

// hiddenFailed ends a hidden command that ran with the rights of root, so that whoever called it can tell that it had them.
type hiddenFailed struct{ err error }

func (e *hiddenFailed) Error() string { return e.err.Error() }
func (e *hiddenFailed) Unwrap() error { return e.err }

// hidden wraps the error of a hidden command; nil stays nil.
func hidden(err error) error {
	if err == nil {
		return nil
	}
	return &hiddenFailed{err}
}

// labInterrupted says that a laboratory was interrupted, which can't go on from anywhere.
type labInterrupted struct{ err error }

func (*labInterrupted) Error() string   { return "interrupted; nothing of the laboratory is left" }
func (e *labInterrupted) Unwrap() error { return e.err }

// verifyInterrupted says that a verification was interrupted, and whether something is left to restore.
type verifyInterrupted struct {
	err        error
	unrestored bool
}

func (e *verifyInterrupted) Error() string {
	if e.unrestored {
		return "interrupted; not all could be restored: run kindling verify --restore"
	}
	return "interrupted; all is as it was"
}
func (e *verifyInterrupted) Unwrap() error { return e.err }

// ExitCode returns the exit code of an error. Where several errors are joined, the one that says most about what to do wins:
// interrupted, wrong file, host not fit, time is up.
func ExitCode(err error) int {
	if failed, ok := errors.AsType[*commandFailed](err); ok {
		return failed.code
	}
	if is[*hiddenFailed](err) {
		return privileged.FailedExit
	}
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case is[*UsageError](err), is[*v1alpha1.FileError](err), is[*profiles.UnknownError](err), is[*netplan.ExhaustedError](err), is[*RulesError](err),
		is[*RoutesError](err), is[*vpn.UnsupportedError](err), is[*profiles.FamilyError](err), is[*checkout.Error](err),
		is[*registry.UnknownError](err), is[*environment.NoRegistryError](err), is[*live.TargetError](err):
		return ExitUsage
	case is[*differencesFound](err):
		return ExitDifferences
	case is[*hostNotFit](err), is[*engine.UnavailableError](err), is[*lab.UnsupportedError](err), is[*privileged.NeededError](err),
		is[*loopback.TakenError](err), is[*loopback.NoIPv6Error](err):
		return ExitHost
	case is[*kube.TimeoutError](err), errors.Is(err, context.DeadlineExceeded):
		return ExitTimeout
	default:
		return ExitFailed
	}
}

// Message returns what is printed about an error.
func Message(err error) string {
	switch {
	case err == nil, is[*told](err):
		return ""
	case is[*labInterrupted](err), is[*verifyInterrupted](err):
		return err.Error()
	case errors.Is(err, context.Canceled):
		return "interrupted; run the same command again to go on from here"
	case errors.Is(err, context.DeadlineExceeded) && !strings.Contains(err.Error(), "time is up"):
		return "time is up (see --timeout): " + err.Error()
	default:
		return err.Error()
	}
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
