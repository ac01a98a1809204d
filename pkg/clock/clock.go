// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package clock tells of clocks that differ: that of the engine's host, where clusters make their certificates, and that of this machine,
// which judges them.
package clock

import (
	"crypto/x509"
	"errors"
	"time"
)

// Tolerated is by how much two clocks may differ. Time servers keep machines within less than a second; half a minute is a virtual machine
// that slept.
const Tolerated = 30 * time.Second

// Ahead returns by how much another clock is at least ahead of this machine's, negative when it is behind. It was read at some moment
// between start and end, by this machine's clock: what that explains is no difference.
func Ahead(reading, start, end time.Time) time.Duration {
	// Without the monotonic reading, so that a clock that was set meanwhile counts as it is now.
	reading, start, end = reading.Round(0), start.Round(0), end.Round(0)
	switch {
	case reading.Before(start):
		return reading.Sub(start)
	case reading.After(end):
		return reading.Sub(end)
	}
	return 0
}

// Error says that a certificate is not valid at this machine's time.
type Error struct{ Err error }

// Error implements error.
func (e *Error) Error() string {
	return e.Err.Error() + "\nCompare the clocks of this machine (it has " + time.Now().UTC().Format(time.RFC3339) + ") and of the other one: one that slept may be behind. " +
		"kindling doctor compares that of the engine's host (check clock). If they agree, the certificate is too old: make anew what it is of"
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Explain wraps what failed for the dates of a certificate in an *Error, and returns any other error, or nil, as it is.
func Explain(err error) error {
	invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
	if !ok || invalid.Reason != x509.Expired {
		return err
	}
	if _, explained := errors.AsType[*Error](err); explained {
		return err
	}
	return &Error{err}
}
