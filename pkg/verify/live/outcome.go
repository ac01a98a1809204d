// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/exec"
)

// outcome of an attempt to go through the shoot's API server.
type outcome string

const (
	// reached: what lies behind the API server answered, be it with an error of its own.
	reached outcome = "reached"
	// unreached: the API server says that it does not get there, or never answers.
	unreached outcome = "unreached"
	// undecided: the attempt says nothing about the way, as when the API server refuses or can't be asked.
	undecided outcome = "undecided"
)

// classify tells what an error of an attempt says about the way from the API server to the kubelet, or to a service.
func classify(err error) outcome {
	switch {
	case err == nil:
		return reached
	case answered(err):
		return reached
	case errors.Is(err, context.Canceled):
		return undecided
	case errors.Is(err, context.DeadlineExceeded):
		return unreached
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err), apierrors.IsNotFound(err), apierrors.IsTooManyRequests(err):
		return undecided
	case saidByAPIServer(err):
		return unreached
	default:
		return undecided
	}
}

// answered finds errors of the kubelet and of what runs containers, which come back over a connection that was made.
func answered(err error) bool {
	if _, ok := errors.AsType[exec.CodeExitError](err); ok {
		return true
	}
	text := err.Error()
	for _, said := range []string{
		"Forbidden (user=",                     // a kubelet does not let the API server in
		"error executing command in container", // there is no such program
		"error stream protocol error",
	} {
		if strings.Contains(text, said) {
			return true
		}
	}
	// The API server connected, and did not like the kubelet's certificate or the other way around. Only a part of its own message is
	// meant: this client's own trouble with the API server is no answer.
	return saidByAPIServer(err) && (strings.Contains(text, "x509: ") || strings.Contains(text, "remote error: tls"))
}

// saidByAPIServer says whether the error is an answer of the API server. Streams are refused with its text, and no more.
func saidByAPIServer(err error) bool {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return true
	}
	text := err.Error()
	for _, said := range []string{"error dialing backend", "error sending request", "unable to upgrade connection", "bad handshake"} {
		if strings.Contains(text, said) {
			return true
		}
	}
	return false
}
