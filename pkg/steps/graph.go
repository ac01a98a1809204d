// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package steps

import (
	"fmt"
	"slices"
)

// List is the steps of an environment, in the order in which people read them. A step stands after everything it needs.
type List []Step

// Validate says whether every need is the name of an earlier step.
func (l List) Validate() error {
	seen := map[string]bool{}
	for _, step := range l {
		if seen[step.Name] {
			return fmt.Errorf("two steps are called %s", step.Name)
		}
		for _, need := range step.Needs {
			if !seen[need] {
				return fmt.Errorf("step %s needs %s, which is no earlier step", step.Name, need)
			}
		}
		seen[step.Name] = true
	}
	return nil
}

// reversed returns the list for undoing: last first, and every need turned round.
func (l List) reversed() List {
	result := make(List, 0, len(l))
	for _, step := range slices.Backward(l) {
		undo := step
		undo.Needs = nil
		for _, other := range l {
			if slices.Contains(other.Needs, step.Name) {
				undo.Needs = append(undo.Needs, other.Name)
			}
		}
		result = append(result, undo)
	}
	return result
}
