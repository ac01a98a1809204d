// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestUntilAnsweredGoesOnAfterTheDelayHasReachedItsCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		err := untilAnswered(t.Context(), func(context.Context) error {
			if requests++; requests < 50 {
				return apierrors.NewTooManyRequestsError("busy")
			}
			return nil
		})
		if err != nil || requests != 50 {
			t.Errorf("expected success at request 50, got %v at request %d", err, requests)
		}
	})
}

func TestUntilAnsweredShowsTheLastAnswerWhenTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		first := true
		err := untilAnswered(ctx, func(ctx context.Context) error {
			if first {
				first = false
				return apierrors.NewServiceUnavailable("starting")
			}
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, context.DeadlineExceeded) || !apierrors.IsServiceUnavailable(err) {
			t.Errorf("expected the end of time and the last answer, got %v", err)
		}
	})
}

func TestUntilAnsweredEndsAtARefusal(t *testing.T) {
	refusal := apierrors.NewBadRequest("no")
	if err := untilAnswered(t.Context(), func(context.Context) error { return refusal }); !errors.Is(err, refusal) {
		t.Errorf("expected the refusal, got %v", err)
	}
}

func TestTransient(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	dial := &url.Error{Op: "Get", URL: "https://localhost", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
	tests := []struct {
		name      string
		err       error
		transient bool
		refused   bool
	}{
		{name: "connection refused", err: dial, transient: true},
		{name: "connection closed in an answer", err: &url.Error{Op: "Get", URL: "https://localhost", Err: io.EOF}, transient: true},
		{name: "kind not served", err: &meta.NoKindMatchError{GroupKind: schema.GroupKind{Kind: "IPPool"}}, transient: true},
		{name: "path not served", err: apierrors.NewGenericServerResponse(http.StatusNotFound, "patch", pods, "a", "404 page not found", 0, true), transient: true},
		{name: "namespace missing", err: apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "a")},
		{name: "too many requests", err: apierrors.NewTooManyRequestsError("busy"), transient: true},
		{name: "etcd elects a leader", err: unknown500("etcdserver: leader changed"), transient: true},
		{name: "webhook not there", err: apierrors.NewInternalError(errors.New("failed calling webhook")), transient: true},
		{name: "unknown field", err: unknown500("failed to create typed patch object (a; v1, Kind=Pod): .spec.x: field not declared in schema"), refused: true},
		{name: "invalid field", err: apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "a", nil), refused: true},
		{name: "service account missing", err: apierrors.NewForbidden(pods, "a", errors.New("error looking up service account a/default: not found")), transient: true},
		{name: "forbidden", err: apierrors.NewForbidden(pods, "a", errors.New("no"))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := transient(test.err); got != test.transient {
				t.Errorf("transient: expected %v, got %v", test.transient, got)
			}
			if got := refused(test.err); got != test.refused {
				t.Errorf("refused: expected %v, got %v", test.refused, got)
			}
		})
	}
}

// unknown500 is the API server's answer to an error that has no reason.
func unknown500(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: message}}
}
