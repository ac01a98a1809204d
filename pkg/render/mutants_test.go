// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/render"
)

// TestMutatedEnvironments goes from files that are not as they should be to what is rendered: an error, or files.
func TestMutatedEnvironments(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testutil.Root(t), "example", "*", "environment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var originals [][]byte
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		originals = append(originals, data)
	}
	testutil.Mutants(t, 10_000, 64<<20, originals, func(data []byte) bool {
		env, err := v1alpha1.Load(data, "mutant")
		if err != nil {
			return false
		}
		plan, err := netplan.New(env)
		if err != nil {
			return false
		}
		netplan.Check(plan.Subject(v1alpha1.EncapsulationAuto), netplan.ModeStrict)
		_, err = render.Files(env, plan, render.Options{Encapsulation: render.Resolve(env.Spec.Calico.Encapsulation)})
		return err == nil
	})
}
