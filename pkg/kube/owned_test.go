// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnwantedNamesWhatWasAppliedAndIsNotWantedAnyMore(t *testing.T) {
	live := parse(t, `
apiVersion: crd.projectcalico.org/v1
kind: FelixConfiguration
metadata:
  name: default
  labels: {ours: a, theirs: b}
  managedFields:
  - manager: kindling
    operation: Apply
    fieldsType: FieldsV1
    fieldsV1: {"f:metadata": {"f:labels": {"f:ours": {}}}, "f:spec": {"f:ipip": {}, "f:mtu": {}, "f:ports": {"k:{\"port\":1}": {}}, "f:gone": {}}}
  - manager: felix
    operation: Update
    fieldsType: FieldsV1
    fieldsV1: {"f:spec": {"f:theirs": {}}}
spec: {ipip: true, mtu: 1480, theirs: 1, ports: [{port: 1}]}`)
	want := parse(t, `
apiVersion: crd.projectcalico.org/v1
kind: FelixConfiguration
metadata: {name: default, labels: {ours: a}}
spec: {mtu: 1480, ports: []}`)
	got, err := Unwanted(want, live)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Difference{{Path: "spec.ipip", Have: "true", Want: "not set"}}, got); diff != "" {
		t.Error(diff)
	}
}
