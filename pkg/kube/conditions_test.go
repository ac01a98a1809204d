// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubetesting "k8s.io/client-go/testing"
)

const (
	podText = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: lab, uid: u, labels: {app: a}}}"

	unschedulablePodText = `
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: lab, labels: {app: a}}
status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", message: 0/1 nodes are available}]}`
)

// checkIn checks a condition in a cluster of these objects.
func checkIn(t *testing.T, condition func(*Client) Condition, texts ...string) []Pending {
	t.Helper()
	var objects []*unstructured.Unstructured
	for _, text := range texts {
		objects = append(objects, parse(t, text))
	}
	client, _ := fakeClient(t, objects...)
	pending, err := condition(client).Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return pending
}

func TestNodesReady(t *testing.T) {
	const readyText = "{apiVersion: v1, kind: Node, metadata: {name: a}, status: {conditions: [{type: Ready, status: 'True'}]}}"
	reported := func(at string) string {
		return "{apiVersion: v1, kind: Node, metadata: {name: a}, status: {conditions: [{type: Ready, status: 'True', lastHeartbeatTime: '" + at + "'}]}}"
	}
	started := map[string]time.Time{"a": time.Date(2026, 1, 2, 10, 0, 0, 500_000_000, time.UTC)}
	tests := []struct {
		name     string
		wanted   map[string]time.Time
		live     []string
		expected []Pending
	}{
		{
			name: "waits for every wanted node", wanted: map[string]time.Time{"a": {}, "b": {}}, live: []string{readyText},
			expected: []Pending{{Object: "Node b", Reason: "has not registered"}},
		},
		{name: "holds when all are ready", wanted: map[string]time.Time{"a": {}}, live: []string{readyText}},
		{
			name:     "does not trust what was reported before the node was started",
			wanted:   started,
			live:     []string{reported("2026-01-02T09:59:59Z")},
			expected: []Pending{{Object: "Node a", Reason: "its kubelet has not reported since the node was started"}},
		},
		{name: "holds when the kubelet has reported since", wanted: started, live: []string{reported("2026-01-02T10:00:00Z")}},
		{
			name: "says why a node is not ready",
			live: []string{
				readyText,
				"{apiVersion: v1, kind: Node, metadata: {name: b}, status: {conditions: [{type: Ready, status: 'False', reason: KubeletNotReady, message: cni plugin not initialized}]}}",
				"{apiVersion: v1, kind: Node, metadata: {name: c}}",
			},
			expected: []Pending{
				{Object: "Node b", Reason: "not ready: KubeletNotReady: cni plugin not initialized"},
				{Object: "Node c", Reason: "has not reported yet"},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := checkIn(t, func(c *Client) Condition { return c.NodesReady(test.wanted) }, test.live...)
			if diff := cmp.Diff(test.expected, got); diff != "" {
				t.Errorf("pending (-expected +got):\n%s", diff)
			}
		})
	}
}

func TestCRDsEstablished(t *testing.T) {
	tests := []struct {
		name     string
		live     []string
		expected []Pending
	}{
		{name: "waits for a kind that does not exist", expected: []Pending{{Object: "CustomResourceDefinition pools.example.org", Reason: "does not exist"}}},
		{name: "waits for a kind that is new", live: []string{crdText}, expected: []Pending{{Object: "CustomResourceDefinition pools.example.org", Reason: "is not established"}}},
		{
			name:     "says which name another kind has",
			live:     []string{"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: pools.example.org}, status: {conditions: [{type: NamesAccepted, status: 'False', message: pools is in use}]}}"},
			expected: []Pending{{Object: "CustomResourceDefinition pools.example.org", Reason: "is not established: pools is in use"}},
		},
		{name: "holds when the kind is served", live: []string{"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: pools.example.org}, status: {conditions: [{type: Established, status: 'True'}]}}"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := checkIn(t, func(c *Client) Condition {
				return c.CRDsEstablished([]*unstructured.Unstructured{parse(t, crdText), parse(t, namespaceText)})
			}, test.live...)
			if diff := cmp.Diff(test.expected, got); diff != "" {
				t.Errorf("pending (-expected +got):\n%s", diff)
			}
		})
	}
}

func TestWarningsAreAskedForByThePodsUID(t *testing.T) {
	client, cluster := fakeClient(t)
	pod, err := as[corev1.Pod](parse(t, podText))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.lastWarning(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	list, ok := cluster.Actions()[0].(kubetesting.ListActionImpl)
	expected := "involvedObject.kind=Pod,involvedObject.name=p,involvedObject.uid=u,type=Warning"
	if !ok || list.GetListRestrictions().Fields.String() != expected {
		t.Errorf("expected the fields %s, got %v", expected, cluster.Actions())
	}
}
