// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	configMapText = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: lab}, data: {a: one}}"
	namespaceText = "{apiVersion: v1, kind: Namespace, metadata: {name: lab}}"
	crdText       = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: pools.example.org}}"
	poolText      = "{apiVersion: example.org/v1, kind: Pool, metadata: {name: p}, spec: {cidr: 10.0.0.0/16}}"

	configMapPath = "/api/v1/namespaces/lab/configmaps/c"
)

func TestApplySaysWhatItDidToEachObject(t *testing.T) {
	_, client := newAPIServer(t)
	config, namespace := parse(t, configMapText), parse(t, namespaceText)
	apply := func() []Entry {
		changes, err := client.Apply(t.Context(), []*unstructured.Unstructured{config, namespace})
		if err != nil {
			t.Fatal(err)
		}
		return changes.Entries
	}
	first := apply()
	if err := unstructured.SetNestedField(config.Object, "two", "data", "a"); err != nil {
		t.Fatal(err)
	}
	got := [][]Entry{first, apply(), apply()}
	expected := [][]Entry{
		{{"ConfigMap lab/c", Created}, {"Namespace lab", Created}},
		{{"ConfigMap lab/c", Configured}, {"Namespace lab", Unchanged}},
		{{"ConfigMap lab/c", Unchanged}, {"Namespace lab", Unchanged}},
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("change sets (-expected +got):\n%s", diff)
	}
}

func TestApplyOwnsItsFieldsStrictly(t *testing.T) {
	server, client := newAPIServer(t)
	if _, err := client.Apply(t.Context(), []*unstructured.Unstructured{parse(t, configMapText)}); err != nil {
		t.Fatal(err)
	}
	_, query, _ := strings.Cut(server.patches()[0], "?")
	got, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	expected := url.Values{"fieldManager": {"kindling"}, "fieldValidation": {"Strict"}, "force": {"true"}, "timeout": {"30s"}}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("parameters (-expected +got):\n%s", diff)
	}
}

func TestApplyBeginsWithNamespacesAndKinds(t *testing.T) {
	server, client := newAPIServer(t)
	objects := []*unstructured.Unstructured{parse(t, configMapText), parse(t, namespaceText), parse(t, crdText)}
	if _, err := client.Apply(t.Context(), objects); err != nil {
		t.Fatal(err)
	}
	if patches := server.patches(); !strings.Contains(patches[len(patches)-1], configMapPath) {
		t.Errorf("expected the ConfigMap last, got %v", patches)
	}
}

func TestApplyTriesAgain(t *testing.T) {
	tests := []struct {
		name    string
		answers map[string][]error
	}{
		{name: "when the API server is busy", answers: map[string][]error{"PATCH " + configMapPath: {apierrors.NewTooManyRequestsError("busy")}}},
		{name: "when the API server is starting", answers: map[string][]error{"GET " + configMapPath: {apierrors.NewServiceUnavailable("starting")}}},
		{name: "when a webhook is not there yet", answers: map[string][]error{"PATCH " + configMapPath: {apierrors.NewInternalError(errors.New("failed calling webhook"))}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server, client := newAPIServer(t)
			server.answers = test.answers
			changes, err := client.Apply(t.Context(), []*unstructured.Unstructured{parse(t, configMapText)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]Entry{{"ConfigMap lab/c", Created}}, changes.Entries); diff != "" {
				t.Errorf("entries (-expected +got):\n%s", diff)
			}
		})
	}
}

func TestApplyWaitsUntilAKindIsServed(t *testing.T) {
	server, client := newAPIServer(t)
	lookups := 0
	pool := parse(t, poolText)
	client.mapper = mapperFunc{client.mapper, func() {
		server.mutex.Lock()
		defer server.mutex.Unlock()
		if lookups++; lookups == 2 {
			server.serve("/apis/example.org/v1", metav1.APIResource{Name: "pools", Kind: "Pool"})
		}
	}}
	changes, err := client.Apply(t.Context(), []*unstructured.Unstructured{pool})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Entry{{"Pool p", Created}}, changes.Entries); diff != "" {
		t.Errorf("entries (-expected +got):\n%s", diff)
	}
}

// mapperFunc calls a function before each reset.
type mapperFunc struct {
	Mapper
	reset func()
}

// ResetWithContext implements Mapper.
func (m mapperFunc) ResetWithContext(ctx context.Context) {
	m.reset()
	m.Mapper.ResetWithContext(ctx)
}

func TestApplyReturnsRefusalsWithTheirFields(t *testing.T) {
	server, client := newAPIServer(t)
	invalid := apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, "c", field.ErrorList{
		field.Invalid(field.NewPath("data"), "x", "field is immutable when immutable is set"),
	})
	server.answers["PATCH "+configMapPath] = []error{invalid}
	changes, err := client.Apply(t.Context(), []*unstructured.Unstructured{parse(t, namespaceText), parse(t, configMapText)})
	refusal, ok := errors.AsType[*RefusedError](err)
	if !ok {
		t.Fatalf("expected a *RefusedError, got %v", err)
	}
	expected := []string{`data: Invalid value: "x": field is immutable when immutable is set`}
	if diff := cmp.Diff(expected, refusal.Fields); diff != "" {
		t.Errorf("fields (-expected +got):\n%s", diff)
	}
	if !strings.Contains(refusal.Error(), "to be made again") || !apierrors.IsInvalid(err) {
		t.Errorf("expected a remedy and the cause, got %v", err)
	}
	if diff := cmp.Diff([]Entry{{"Namespace lab", Created}}, changes.Entries); diff != "" {
		t.Errorf("entries of what was applied (-expected +got):\n%s", diff)
	}
}

func TestApplyDoesNotTryAgainWithAFieldThatTheKindLacks(t *testing.T) {
	server, client := newAPIServer(t)
	server.answers["PATCH "+configMapPath] = []error{unknown500("failed to create typed patch object (lab/c; v1, Kind=ConfigMap): .dta: field not declared in schema")}
	_, err := client.Apply(t.Context(), []*unstructured.Unstructured{parse(t, configMapText)})
	refusal, ok := errors.AsType[*RefusedError](err)
	if !ok || !strings.Contains(refusal.Error(), ".dta: field not declared in schema") {
		t.Errorf("expected a *RefusedError that names the field, got %v", err)
	}
}

func TestApplySaysWhyWhenTimeIsUp(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	client := clientFor(t, server.URL)
	server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	_, err := client.Apply(ctx, []*unstructured.Unstructured{parse(t, configMapText)})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "applying ConfigMap lab/c") {
		t.Errorf("expected the end of time and the object, got %v", err)
	}
}

func TestServerVersion(t *testing.T) {
	_, client := newAPIServer(t)
	info, err := client.ServerVersion(t.Context())
	if err != nil || info.GitVersion != "v1.37.2" {
		t.Errorf("expected v1.37.2, got %v, %v", info, err)
	}
}

func TestNewClientRefusesWhatIsNoKubeconfig(t *testing.T) {
	if _, err := NewClient([]byte("{")); err == nil {
		t.Error("expected an error")
	}
}
