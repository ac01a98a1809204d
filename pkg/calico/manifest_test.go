// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package calico

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/internal/testutil"
)

func TestParse(t *testing.T) {
	for name, test := range map[string]struct {
		data    string
		problem string
	}{
		"refuses an empty file":            {"", "lacks the DaemonSet"},
		"refuses what is no YAML":          {"{[", "no YAML object"},
		"refuses a web page":               {"<html><body>404</body></html>", "no YAML object"},
		"refuses objects without a name":   {"kind: Foo\napiVersion: v1\n", "no apiVersion, kind or name"},
		"refuses one without calico-node":  {"kind: ConfigMap\napiVersion: v1\nmetadata: {name: calico-config, namespace: kube-system}\n", "lacks the DaemonSet kube-system/calico-node"},
		"refuses one in another namespace": {"kind: DaemonSet\napiVersion: apps/v1\nmetadata: {name: calico-node, namespace: calico-system}\n", "lacks the DaemonSet"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(test.data))
			problem, ok := errors.AsType[*ManifestError](err)
			if !ok || !strings.Contains(problem.Problem, test.problem) {
				t.Fatalf("error %v, want one about %q", err, test.problem)
			}
		})
	}
}

func TestImages(t *testing.T) {
	want := []string{"example.com/calico/cni:v0", "example.com/calico/kube-controllers:v0", "example.com/calico/node:v0"}
	if diff := cmp.Diff(want, parse(t, "testdata/manifest.yaml").Images()); diff != "" {
		t.Error(diff)
	}
}

func TestRealManifests(t *testing.T) {
	for _, version := range PinnedVersions() {
		t.Run(version, func(t *testing.T) {
			m := parse(t, testutil.Shared(t, "calico/calico-"+version+".yaml"))
			if len(m.CRDs) < 20 || len(m.Images()) != 3 {
				t.Errorf("%d CRDs, images %v", len(m.CRDs), m.Images())
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(testutil.ReadFile(f, "testdata/manifest.yaml"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if m, err := Parse(data); err == nil {
			m.Images()
			_ = m.Patch(Options{Families: []string{"IPv6"}, Encapsulation: "VXLAN"})
		}
	})
}
