// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"slices"
	"testing"
)

func TestCurrentHoldsTogether(t *testing.T) {
	r := Current()
	built := map[string][]string{PauseModule: {"pause"}}
	for _, module := range r.Modules {
		if built[module.Name] != nil {
			t.Errorf("two modules are called %s", module.Name)
		}
		for _, program := range module.Programs {
			built[module.Name] = append(built[module.Name], program.Name)
		}
	}
	names := map[string]bool{}
	for _, image := range r.Images {
		if names[image.Name] {
			t.Errorf("two images are called %s", image.Name)
		}
		names[image.Name] = true
		if image.Program != "" && !slices.Contains(built[image.Module], image.Program) {
			t.Errorf("image %s wants %s, which %s does not build", image.Name, image.Program, image.Module)
		}
		if image.Program == "" && !image.OnTools {
			t.Errorf("image %s is empty", image.Name)
		}
	}
	if !names[r.Pause] {
		t.Errorf("no image is called %s, which every pod starts with", r.Pause)
	}
}
