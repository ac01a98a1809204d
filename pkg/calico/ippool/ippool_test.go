// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package ippool

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gardener/kindling/internal/testutil"
)

type vector struct {
	Spec   json.RawMessage `json:"spec"`
	Valid  bool            `json:"valid"`
	Reason string          `json:"reason"`
}

// TestCalicoAnswers holds Validate to what Calico's own validation answers.
func TestCalicoAnswers(t *testing.T) {
	t.Run("sample", func(t *testing.T) { checkVectors(t, "testdata/sample.json", 15) })
	t.Run("all", func(t *testing.T) { checkVectors(t, testutil.Shared(t, "vectors/calico-ippool.json"), 65) })
}

func checkVectors(t *testing.T, path string, atLeast int) {
	var vectors []vector
	if err := json.Unmarshal(testutil.ReadFile(t, path), &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) < atLeast {
		t.Fatalf("%d vectors, want at least %d", len(vectors), atLeast)
	}
	for _, v := range vectors {
		var spec Spec
		if err := json.Unmarshal(v.Spec, &spec); err != nil {
			t.Fatalf("%s: %v", v.Spec, err)
		}
		if errs := Validate(spec, field.NewPath("spec")); (len(errs) == 0) != v.Valid {
			t.Errorf("%s: Calico says valid=%t (%s), Validate says %v", v.Spec, v.Valid, v.Reason, errs)
		}
	}
}

func TestValidateNamesTheField(t *testing.T) {
	broken := Spec{CIDR: "10.0.0.1/16", BlockSize: 33, IPIPMode: "always", NodeSelector: "all(", AllowedUses: []string{"Foo"}}
	want := map[string]bool{"spec.cidr": true, "spec.blockSize": true, "spec.ipipMode": true, "spec.nodeSelector": true, "spec.allowedUses[0]": true}
	for _, err := range Validate(broken, field.NewPath("spec")) {
		if !want[err.Field] {
			t.Errorf("unexpected: %v", err)
		}
		delete(want, err.Field)
	}
	for missing := range want {
		t.Errorf("nothing said about %s", missing)
	}
}

func FuzzValidate(f *testing.F) {
	f.Add("10.0.0.0/16", 26, "Never", "all()")
	f.Add("::/0", 0, "Always", "!all()")
	f.Add("10.0.0.0", -1, "", "")
	f.Fuzz(func(_ *testing.T, cidr string, blockSize int, mode, nodeSelector string) {
		Validate(Spec{CIDR: cidr, BlockSize: blockSize, IPIPMode: mode, NodeSelector: nodeSelector}, field.NewPath("spec"))
	})
}
