// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package ippool

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
	namespaces := "global()"
	for name, test := range map[string]struct {
		spec Spec
		want []string
	}{
		"says everything at once": {
			Spec{CIDR: "10.0.0.1/16", BlockSize: 33, IPIPMode: "always", NodeSelector: "all(", AllowedUses: []string{"Foo"}},
			[]string{"spec.cidr", "spec.blockSize", "spec.ipipMode", "spec.nodeSelector", "spec.allowedUses[0]"},
		},
		"refuses a pool smaller than its block":    {Spec{CIDR: "10.0.0.0/27"}, []string{"spec.cidr"}},
		"accepts a small pool that is disabled":    {Spec{CIDR: "10.0.0.0/27", Disabled: true}, nil},
		"refuses an address with a zone":           {Spec{CIDR: "fd00::1%eth0", BlockSize: 128}, []string{"spec.cidr"}},
		"refuses IPv4 written as IPv6":             {Spec{CIDR: "::ffff:10.0.0.0/112"}, []string{"spec.cidr"}},
		"refuses no CIDR at all":                   {Spec{}, []string{"spec.cidr"}},
		"refuses global() in both selectors":       {Spec{CIDR: "10.0.0.0/16", NodeSelector: "global()", NamespaceSelector: &namespaces}, []string{"spec.nodeSelector", "spec.namespaceSelector"}},
		"refuses a negative block size":            {Spec{CIDR: "10.0.0.0/16", BlockSize: -1}, []string{"spec.blockSize"}},
		"refuses IPIP and VXLAN on an IPv6 pool":   {Spec{CIDR: "fd00::/64", IPIPMode: "Always", VXLANMode: "Always"}, []string{"spec.ipipMode", "spec.ipipMode"}},
		"refuses hidden routes of load balancers":  {Spec{CIDR: "10.0.0.0/16", NodeSelector: "all()", AllowedUses: []string{"LoadBalancer"}, DisableBGPExport: true}, []string{"spec.disableBGPExport"}},
		"refuses load balancers on selected nodes": {Spec{CIDR: "10.0.0.0/16", NodeSelector: "!all()", AllowedUses: []string{"LoadBalancer"}}, []string{"spec.nodeSelector"}},
	} {
		t.Run(name, func(t *testing.T) {
			var have []string
			for _, err := range Validate(test.spec, field.NewPath("spec")) {
				have = append(have, err.Field)
			}
			if diff := cmp.Diff(test.want, have, cmpopts.SortSlices(strings.Compare)); diff != "" {
				t.Error(diff)
			}
		})
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
