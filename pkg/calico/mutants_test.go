// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package calico

import (
	"testing"

	"github.com/gardener/kindling/internal/testutil"
)

// TestMutatedManifests patches manifests that are not as they should be: an error, or objects.
func TestMutatedManifests(t *testing.T) {
	originals := [][]byte{testutil.ReadFile(t, "testdata/manifest.yaml")}
	testutil.Mutants(t, 10_000, 64<<20, originals, func(data []byte) bool {
		m, err := Parse(data)
		if err != nil {
			return false
		}
		m.Images()
		return m.Patch(Options{Families: []string{"IPv4"}, Encapsulation: "VXLAN"}) == nil
	})
}
