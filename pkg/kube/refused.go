// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RefusedError says that the API server does not take an object: a field is immutable, unknown, or wrong.
type RefusedError struct {
	Object string
	// Fields that the API server names, each with its reason; none when it only says so in the text of Err.
	Fields []string
	Err    error
}

// Error implements error.
func (e *RefusedError) Error() string {
	if len(e.Fields) == 0 {
		return fmt.Sprintf("the API server refuses %s: %s", e.Object, e.Err)
	}
	text := fmt.Sprintf("the API server refuses %s:\n  %s", e.Object, strings.Join(e.Fields, "\n  "))
	if slices.ContainsFunc(e.Fields, func(field string) bool { return strings.Contains(field, "immutable") }) {
		text += "\nAn immutable field needs the object, or the cluster, to be made again"
	}
	return text
}

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// refused says whether the object itself is what the API server does not like.
func refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || unknownField(err)
}

// unknownField finds the answer to a field that the schema of the kind does not have. The API server fails to merge such an object
// before it validates it, and gives error 500 without a reason; only the text tells it from a fault of the server.
func unknownField(err error) bool {
	return err != nil && strings.Contains(err.Error(), "failed to create typed patch object")
}

// causes returns the fields that an answer names.
func causes(err error) []string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	var fields []string
	for _, cause := range status.Status().Details.Causes {
		// Neither the client's own note of an answer that is none of the API's, nor the server's note that it left rules out, is a field.
		if cause.Type == metav1.CauseTypeUnexpectedServerResponse || cause.Field == "<nil>" {
			continue
		}
		fields = append(fields, strings.TrimPrefix(cause.Field+": "+cause.Message, ": "))
	}
	return fields
}
