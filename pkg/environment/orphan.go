// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"maps"
	"slices"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/steps"
)

// orphans are the clusters that were made for the environment and that its file names no more: it was changed since.
func (e *Environment) orphans() ([]*cluster, error) {
	recorded, err := e.record.read()
	if err != nil {
		return nil, err
	}
	var orphans []*cluster
	for _, name := range slices.Sorted(maps.Keys(recorded.Clusters)) {
		if !slices.ContainsFunc(e.clusters, func(c *cluster) bool { return c.spec.Name == name }) {
			orphans = append(orphans, &cluster{env: e, spec: v1alpha1.Cluster{Name: name}})
		}
	}
	return orphans, nil
}

// orphanStep removes a cluster when the user names the step. The clusters of the file come after it: they want its ports.
func (c *cluster) orphanStep() steps.Step {
	remove := func(ctx context.Context) (string, error) {
		text, err := c.undo(ctx)
		if err == nil {
			err = c.removeKubeconfig(ctx)
		}
		return text, err
	}
	return steps.Step{
		Name:  c.step("cluster"),
		Title: "Cluster " + c.spec.Name + " of an earlier file",
		Needs: []string{stepNetwork},
		Observe: func(ctx context.Context) (steps.Observation, error) {
			nodes, err := c.knownContainers(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			if len(nodes) == 0 {
				return steps.Observation{State: steps.Differs, Text: "gone, but its kubeconfig or entry is left"}, nil
			}
			return steps.Observation{State: steps.Differs, Text: "the file does not name it any more", Differences: []steps.Difference{
				{Field: "cluster " + c.spec.Name, Have: "there", Want: "not in the file", Recreate: true},
			}}, nil
		},
		Recreate: func(ctx context.Context) error { _, err := remove(ctx); return err },
		Apply: func(ctx context.Context, _ func(string)) (string, error) {
			_, err := remove(ctx)
			return "removed", err
		},
		Undo: remove,
	}
}
