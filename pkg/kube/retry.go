// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
)

// retryDelay grows from 200 ms to 2 s and stays there. It has to be used through its delay function: the package's loops over a
// backoff end when the cap is reached.
func retryDelay() wait.DelayFunc {
	return wait.Backoff{Duration: 200 * time.Millisecond, Factor: 1.5, Cap: 2 * time.Second, Steps: 100}.DelayFunc()
}

// untilAnswered repeats a request while the API server can't take it. When the context ends, the error is the context's, with the
// last answer.
func untilAnswered(ctx context.Context, request func(ctx context.Context) error) error {
	var last error
	err := retryDelay().Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		err := request(ctx)
		switch {
		case err == nil:
			return true, nil
		case ctx.Err() != nil:
			return false, ctx.Err() // the request was cut short: the answer before says more
		case transient(err):
			last = err
			return false, nil
		default:
			return true, err
		}
	})
	if err != nil && ctx.Err() != nil && last != nil {
		return fmt.Errorf("%w; the last answer was: %w", ctx.Err(), last)
	}
	return err
}

// transient says whether the same request can succeed a moment later.
func transient(err error) bool {
	return meta.IsNoMatchError(err) || notServedYet(err) || noServiceAccountYet(err) || connectionLost(err) ||
		apierrors.IsTooManyRequests(err) || apierrors.IsServiceUnavailable(err) || apierrors.IsTimeout(err) ||
		apierrors.IsServerTimeout(err) || apierrors.IsInternalError(err) && !unknownField(err)
}

func connectionLost(err error) bool {
	return utilnet.IsConnectionRefused(err) || utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) ||
		utilnet.IsHTTP2ConnectionLost(err) || utilnet.IsTimeout(err)
}

// notServedYet finds the answer for a path that has no handler. A new kind can be listed before it has one.
func notServedYet(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// noServiceAccountYet finds the refusal of a pod in a namespace so new that its service account is not there. The API server has no
// reason of its own for it.
func noServiceAccountYet(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "error looking up service account")
}
