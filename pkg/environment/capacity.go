// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// capacity lets nodes report more than they have: the requests of a Gardener exceed what a laptop has, and their use does not.
func (c *cluster) capacity() steps.Step {
	return steps.Step{
		Name:  c.step("capacity"),
		Title: "Node capacity in " + c.spec.Name,
		Needs: c.steps("cluster"),
		Observe: func(ctx context.Context) (steps.Observation, error) {
			objects, err := c.capacityObjects(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			if len(objects) > 0 {
				return c.observeWithout(ctx, objects, unwantedCapacity(), nil)
			}
			found, err := c.leftovers(ctx, nil, unwantedCapacity())
			if err != nil || len(found) > 0 {
				return steps.Observation{State: steps.Differs, Text: "a policy of an earlier file"}, err
			}
			return steps.Observation{State: steps.Skipped, Text: "Kubernetes or Gardener too old: provider-local may do it"}, nil
		},
		Apply: func(ctx context.Context, _ func(string)) (string, error) {
			objects, err := c.capacityObjects(ctx)
			if err != nil {
				return "", err
			}
			if err := c.removeUnwanted(ctx, objects, unwantedCapacity()); err != nil {
				return "", err
			}
			return c.applyObjects(ctx, objects)
		},
	}
}

// capacityObjects are the policy and its binding; none where they are not wanted or not served.
func (c *cluster) capacityObjects(ctx context.Context) ([]*unstructured.Unstructured, error) {
	if !render.HasNodeCapacity(c.env.plan, c.spec) {
		return nil, nil
	}
	if served, err := c.servesAdmission(ctx); err != nil || !served {
		return nil, err
	}
	content, err := render.NodeCapacity(c.env.plan)
	if err != nil {
		return nil, err
	}
	return decodeObjects(content)
}
