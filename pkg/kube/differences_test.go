// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestDifferences(t *testing.T) {
	tests := []struct {
		name       string
		want, live string
		expected   []Difference
	}{
		{name: "ignores fields that only live has", want: "{spec: {a: x}}", live: "{spec: {a: x, b: z}, status: {c: z}}"},
		{name: "ignores status and what the server owns", want: "{status: {a: 1}, metadata: {uid: x, generation: 1, creationTimestamp: null}}", live: "{}"},
		{name: "finds another value", want: "{spec: {a: x}}", live: "{spec: {a: z}}", expected: []Difference{{"spec.a", "z", "x"}}},
		{name: "finds a missing field", want: "{spec: {a: x}}", live: "{}", expected: []Difference{{"spec.a", "not set", "x"}}},
		{name: "tells the words not set from a missing field", want: "{spec: {a: not set}}", live: "{}", expected: []Difference{{"spec.a", "not set", "not set"}}},
		{name: "takes empty, false and zero for left out", want: "{spec: {a: '', b: {}, c: [], d: false, e: 0, f: {g: {}}}}", live: "{}"},
		{name: "finds a false that should not be true", want: "{spec: {a: false}}", live: "{spec: {a: true}}", expected: []Difference{{"spec.a", "true", "false"}}},
		{name: "takes null for no wish", want: "{spec: {a: null}}", live: "{spec: {a: x}}"},
		{name: "tells a number from its text", want: "{spec: {a: 80}}", live: "{spec: {a: '80'}}", expected: []Difference{{"spec.a", "80", "80"}}},
		{name: "compares quantities below resources by amount", want: "{spec: {resources: {cpu: '0.25', memory: 1Gi, n: 2}}}", live: "{spec: {resources: {cpu: 250m, memory: 1024Mi, n: '2'}}}"},
		{name: "finds another amount", want: "{spec: {resources: {cpu: '0.25'}}}", live: "{spec: {resources: {cpu: 300m}}}", expected: []Difference{{"spec.resources.cpu", "300m", "0.25"}}},
		{name: "compares text elsewhere as text", want: "{spec: {cpu: '0.25'}}", live: "{spec: {cpu: 250m}}", expected: []Difference{{"spec.cpu", "250m", "0.25"}}},
		{name: "finds items by name, in any order, and ignores others", want: "{l: [{name: a, v: 1}, {name: b, v: 2}]}", live: "{l: [{name: c}, {name: b, v: 3}, {name: a, v: 1}]}", expected: []Difference{{"l[b].v", "3", "2"}}},
		{name: "finds a missing named item", want: "{l: [{name: a}, {name: b}]}", live: "{l: [{name: a}]}", expected: []Difference{{"l[b]", "not set", `{"name":"b"}`}}},
		{name: "finds ports by port and protocol", want: "{ports: [{port: 53, protocol: UDP}, {port: 53}]}", live: "{ports: [{port: 53, protocol: TCP, targetPort: 53}, {port: 53, protocol: UDP}]}"},
		{name: "finds other items by position", want: "{l: [a, b]}", live: "{l: [a, c]}", expected: []Difference{{"l[1]", "c", "b"}}},
		{name: "finds lists of another length", want: "{l: [a, b]}", live: "{l: [a]}", expected: []Difference{{"l", `["a"]`, `["a","b"]`}}},
		{name: "finds a list that should be empty", want: "{l: []}", live: "{l: [{name: a}]}", expected: []Difference{{"l", `[{"name":"a"}]`, "[]"}}},
		{name: "compares items whose names come twice by position", want: "{l: [{name: a, v: 1}, {name: a, v: 2}]}", live: "{l: [{name: a, v: 2}, {name: a, v: 2}]}", expected: []Difference{{"l[0].v", "2", "1"}}},
		{name: "finds a value of another shape", want: "{a: {b: c}, d: [e]}", live: "{a: x, d: z}", expected: []Difference{{"a", "x", `{"b":"c"}`}, {"d", "z", `["e"]`}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Differences(fragment(t, test.want), fragment(t, test.live))
			if diff := cmp.Diff(test.expected, got); diff != "" {
				t.Errorf("differences (-expected +got):\n%s", diff)
			}
		})
	}
}

func TestDifferencesTakesWholeNumbersOfAnyDecoderAsEqual(t *testing.T) {
	want := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"order": float64(100)}}}
	live := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"order": int64(100)}}}
	if got := Differences(want, live); len(got) > 0 {
		t.Errorf("unexpected differences: %v", got)
	}
}

func FuzzDifferences(f *testing.F) {
	f.Add([]byte("{spec: {a: [1, x, {name: b}], resources: {cpu: '1'}}}"), []byte("{spec: {a: [{name: b}], resources: {cpu: 1k}}}"))
	f.Add([]byte("{ports: [{port: {}}, {port: 1, protocol: 2}]}"), []byte("{ports: 3}"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		one, other := map[string]any{}, map[string]any{}
		if yaml.Unmarshal(first, &one) != nil || yaml.Unmarshal(second, &other) != nil {
			t.Skip("no YAML objects")
		}
		want, live := &unstructured.Unstructured{Object: one}, &unstructured.Unstructured{Object: other}
		if got := Differences(want, want); len(got) > 0 {
			t.Errorf("an object differs from itself: %v", got)
		}
		Differences(want, live) // must not panic
	})
}

// fragment decodes an object that need not be whole.
func fragment(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict([]byte(text), &object.Object); err != nil {
		t.Fatal(err)
	}
	return object
}
