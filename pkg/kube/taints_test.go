// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestOneTaintIsRemovedAndOthersStay(t *testing.T) {
	node := func(name, taints string) *unstructured.Unstructured {
		return parse(t, "{apiVersion: v1, kind: Node, metadata: {name: "+name+"}, spec: {taints: ["+taints+"]}}")
	}
	client, _ := fakeClient(t,
		node("both", "{key: a, effect: NoSchedule}, {key: b, effect: NoExecute}, {key: a, effect: NoExecute}"),
		node("other", "{key: b, effect: NoSchedule}"), node("none", ""))
	if tainted, err := client.TaintedNodes(t.Context(), "a"); err != nil || !cmp.Equal(tainted, []string{"both"}) {
		t.Errorf("tainted %v, %v; want [both]", tainted, err)
	}
	if err := client.RemoveTaint(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	want := map[string][]corev1.Taint{
		"both": {{Key: "b", Effect: corev1.TaintEffectNoExecute}}, "other": {{Key: "b", Effect: corev1.TaintEffectNoSchedule}}, "none": {},
	}
	nodes, err := client.nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes {
		if diff := cmp.Diff(want[node.Name], node.Spec.Taints); diff != "" {
			t.Errorf("taints of %s (-want +have):\n%s", node.Name, diff)
		}
	}
}
