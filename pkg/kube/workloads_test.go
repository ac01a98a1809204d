// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const selector = "selector: {matchLabels: {app: a}}"

func daemonSet(status string) string {
	return "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: w, namespace: lab, generation: 2}, spec: {" + selector + "}, status: " + status + "}"
}

func deployment(spec, status string) string {
	return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, namespace: lab, generation: 2}, spec: {" + spec + selector + "}, status: " + status + "}"
}

// podWith returns a pod of the workload whose container has a state.
func podWith(state string) string {
	return "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: lab, labels: {app: a}}, status: {phase: Pending, containerStatuses: [{name: c, image: 'registry.example/c:1', state: {" + state + "}}]}}"
}

func event(name, time, message string) string {
	return "{apiVersion: v1, kind: Event, metadata: {name: " + name + ", namespace: lab}, type: Warning, reason: Failed, lastTimestamp: '" + time + "', message: '" + message + "'}"
}

func TestDaemonSetRolledOut(t *testing.T) {
	tests := []struct {
		name     string
		objects  []string
		expected []Pending
	}{
		{name: "says that there is none", expected: []Pending{{Object: "DaemonSet lab/w", Reason: "does not exist"}}},
		{
			name:    "holds when the newest pods run on all nodes",
			objects: []string{daemonSet("{observedGeneration: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2}")},
		},
		{
			name:     "waits for the newest generation",
			objects:  []string{daemonSet("{observedGeneration: 1, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2}")},
			expected: []Pending{{Object: "DaemonSet lab/w", Reason: "2 of 2 pods are available"}},
		},
		{
			name:     "waits until it knows its nodes",
			objects:  []string{daemonSet("{observedGeneration: 2}")},
			expected: []Pending{{Object: "DaemonSet lab/w", Reason: "0 of 0 pods are available"}},
		},
		{
			name: "names the image and the newest event of a pod",
			objects: []string{
				daemonSet("{observedGeneration: 2, desiredNumberScheduled: 1}"),
				podWith("waiting: {reason: ImagePullBackOff, message: back-off}"),
				event("a", "2026-01-01T00:00:02Z", "newest"), event("b", "2026-01-01T00:00:01Z", "oldest"),
			},
			expected: []Pending{
				{Object: "DaemonSet lab/w", Reason: "0 of 1 pods are available"},
				{Object: "Pod lab/p", Reason: "container c waits: ImagePullBackOff", MissingImage: "registry.example/c:1", LastEvent: "Failed: newest"},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := checkIn(t, func(c *Client) Condition { return c.DaemonSetRolledOut("lab", "w", nil) }, test.objects...)
			if diff := cmp.Diff(test.expected, got); diff != "" {
				t.Errorf("pending (-expected +got):\n%s", diff)
			}
		})
	}
}

// TestPodsOfANodeThatWasStartedAgain holds what the API server knows from before a node was started to be outdated.
func TestPodsOfANodeThatWasStartedAgain(t *testing.T) {
	pod := func(meta, node, phase, state string) string {
		return "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: lab, labels: {app: a}" + meta + "}, spec: {nodeName: " + node + "}, status: {phase: " + phase +
			", conditions: [{type: Ready, status: 'True'}], containerStatuses: [{name: c, ready: true, state: {" + state + "}}]}}"
	}
	const before, same, after = "running: {startedAt: '2026-01-01T00:00:09Z'}", "running: {startedAt: '2026-01-01T00:00:10Z'}", "running: {startedAt: '2026-01-01T00:00:20Z'}"
	outdated := []Pending{{Object: "Pod lab/p", Reason: "has not been started again since node node-a was"}}
	notReady := []Pending{{Object: "Pod lab/p", Reason: "is not ready again since node node-a was started"}}
	nodes := Started{"node-a": time.Date(2026, 1, 1, 0, 0, 10, 700_000_000, time.UTC)}
	for name, test := range map[string]struct {
		pod      string
		expected []Pending
	}{
		"started before its node":         {pod("", "node-a", "Running", before), outdated},
		"started in the second of it":     {pod("", "node-a", "Running", same), nil},
		"started after it":                {pod("", "node-a", "Running", after), nil},
		"started after it, and not ready": {strings.Replace(pod("", "node-a", "Running", after), "'True'", "'False'", 1), notReady},
		"made after it, and not ready":    {strings.Replace(pod(", creationTimestamp: '2026-01-01T00:00:15Z'", "node-a", "Running", after), "'True'", "'False'", 1), nil},
		"ended":                           {pod("", "node-a", "Running", "terminated: {exitCode: 255}"), outdated},
		"on a node that is not known":     {pod("", "node-b", "Running", before), nil},
		"failed, with another in place":   {pod("", "node-a", "Failed", before), nil},
		"going away, with another there":  {pod(", deletionTimestamp: '2026-01-01T00:00:11Z'", "node-a", "Running", before), nil},
	} {
		t.Run(name, func(t *testing.T) {
			ds := daemonSet("{observedGeneration: 2, desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1}")
			got := checkIn(t, func(c *Client) Condition { return c.DaemonSetRolledOut("lab", "w", nodes) }, ds, test.pod)
			if diff := cmp.Diff(test.expected, got); diff != "" {
				t.Errorf("DaemonSet, pending (-expected +got):\n%s", diff)
			}
			available := deployment("", "{observedGeneration: 2, availableReplicas: 1, updatedReplicas: 1}")
			got = checkIn(t, func(c *Client) Condition { return c.DeploymentAvailable("lab", "w", nodes) }, available, test.pod)
			if diff := cmp.Diff(test.expected, got); diff != "" {
				t.Errorf("Deployment, pending (-expected +got):\n%s", diff)
			}
		})
	}
}

func TestDeploymentAvailable(t *testing.T) {
	tests := []struct {
		name     string
		object   string
		expected []Pending
	}{
		{name: "holds when the newest pods are available", object: deployment("replicas: 2, ", "{observedGeneration: 2, updatedReplicas: 2, availableReplicas: 2}")},
		{name: "holds when no pods are wanted", object: deployment("replicas: 0, ", "{observedGeneration: 2}")},
		{
			name:     "wants one pod by default",
			object:   deployment("", "{observedGeneration: 2}"),
			expected: []Pending{{Object: "Deployment lab/w", Reason: "0 of 1 pods are available"}},
		},
		{
			name:     "waits for pods of the newest template",
			object:   deployment("replicas: 2, ", "{observedGeneration: 2, updatedReplicas: 1, availableReplicas: 2}"),
			expected: []Pending{{Object: "Deployment lab/w", Reason: "1 of 2 pods are of the newest template"}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := checkIn(t, func(c *Client) Condition { return c.DeploymentAvailable("lab", "w", nil) }, test.object)
			if diff := cmp.Diff(test.expected, got); diff != "" {
				t.Errorf("pending (-expected +got):\n%s", diff)
			}
		})
	}
}

func TestPodsOfAWorkloadSayWhyTheyAreNotReady(t *testing.T) {
	tests := []struct {
		name     string
		pod      string
		expected string
	}{
		{name: "no node takes it", pod: unschedulablePodText, expected: "not scheduled: 0/1 nodes are available"},
		{name: "nothing is known yet", pod: podText, expected: "phase unknown"},
		{name: "its configuration is missing", pod: podWith("waiting: {reason: CreateContainerConfigError, message: configmap c not found}"), expected: "container c waits: CreateContainerConfigError: configmap c not found"},
		{name: "its container ended", pod: podWith("terminated: {reason: Error, exitCode: 2}"), expected: "container c ended: Error, exit code 2"},
		{name: "its probe fails", pod: podWith("running: {}"), expected: "container c runs, but is not ready"},
		{
			name:     "its init container fails",
			pod:      "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: lab, labels: {app: a}}, status: {initContainerStatuses: [{name: done, state: {terminated: {exitCode: 0}}}, {name: i, state: {waiting: {reason: CrashLoopBackOff}}}], containerStatuses: [{name: c, state: {waiting: {reason: PodInitializing}}}]}}",
			expected: "container i waits: CrashLoopBackOff",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := checkIn(t, func(c *Client) Condition { return c.DeploymentAvailable("lab", "w", nil) }, deployment("", "{}"), test.pod)
			if len(got) != 2 || got[1].Reason != test.expected {
				t.Errorf("expected %q, got %v", test.expected, got)
			}
		})
	}
}

func TestReadyPodsAreNotNamed(t *testing.T) {
	ready := "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: lab, labels: {app: a}}, status: {conditions: [{type: Ready, status: 'True'}]}}"
	got := checkIn(t, func(c *Client) Condition { return c.DeploymentAvailable("lab", "w", nil) }, deployment("", "{}"), ready)
	if len(got) != 1 {
		t.Errorf("expected only the Deployment, got %v", got)
	}
}
