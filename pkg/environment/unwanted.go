// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

func reference(apiVersion, kind, name string) *unstructured.Unstructured {
	return kube.Reference(apiVersion, kind, "", name)
}

// unwantedPools are the objects that kindling makes in some environments and not in others: where they are not wanted, those
// of an earlier file are removed, the policy before its tier.
func unwantedPools() []*unstructured.Unstructured {
	const v1 = "crd.projectcalico.org/v1"
	return []*unstructured.Unstructured{
		reference(v1, "GlobalNetworkPolicy", render.GuardPolicy), reference(v1, "Tier", render.GuardTier),
		reference(v1, "IPPool", netplan.MachinePoolIPv4), reference(v1, "IPPool", netplan.MachinePoolIPv6),
		reference(v1, "IPPool", netplan.DefaultPoolIPv4), reference(v1, "IPPool", netplan.DefaultPoolIPv6),
	}
}

// unwantedAdmission is the same for the admission policies.
func unwantedAdmission() []*unstructured.Unstructured {
	const v1 = "admissionregistration.k8s.io/v1"
	var references []*unstructured.Unstructured
	for _, name := range []string{render.AdmissionPolicyIPv4, render.AdmissionPolicyIPv6} {
		references = append(references, reference(v1, "MutatingAdmissionPolicyBinding", name), reference(v1, "MutatingAdmissionPolicy", name))
	}
	return references
}

// unwantedCapacity is the same for the policy about nodes.
func unwantedCapacity() []*unstructured.Unstructured {
	const v1 = "admissionregistration.k8s.io/v1"
	return []*unstructured.Unstructured{
		reference(v1, "MutatingAdmissionPolicyBinding", render.NodeCapacityPolicy), reference(v1, "MutatingAdmissionPolicy", render.NodeCapacityPolicy),
	}
}

// leftovers returns the candidates that are in the cluster with the environment's label and are not wanted.
func (c *cluster) leftovers(ctx context.Context, wanted, candidates []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	client, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	var found []*unstructured.Unstructured
	for _, candidate := range candidates {
		isWanted := slices.ContainsFunc(wanted, func(object *unstructured.Unstructured) bool {
			return object.GetKind() == candidate.GetKind() && object.GetName() == candidate.GetName()
		})
		if isWanted {
			continue
		}
		live, err := client.Get(ctx, candidate)
		if err != nil {
			return nil, err
		}
		if live == nil {
			continue
		}
		labels := live.GetLabels()
		if labels[render.EnvironmentLabel] == c.env.name() || labels[render.CalicoEnvironmentLabel] == c.env.name() {
			found = append(found, candidate)
		}
	}
	return found, nil
}

// observeWithout is observeObjects for objects beside which others must not be. A pool that is there and not wanted may have
// given addresses to pods: it goes only with the cluster.
func (c *cluster) observeWithout(ctx context.Context, wanted, candidates []*unstructured.Unstructured, recreateOnly func(object, path string) bool) (steps.Observation, error) {
	observation, err := c.observeObjects(ctx, wanted, recreateOnly)
	if err != nil {
		return observation, err
	}
	found, err := c.leftovers(ctx, wanted, candidates)
	if err != nil {
		return steps.Observation{}, err
	}
	for _, object := range found {
		observation.State = steps.Differs
		observation.Differences = append(observation.Differences, steps.Difference{
			Field: object.GetKind() + " " + object.GetName(), Have: "there", Want: "missing", Recreate: object.GetKind() == "IPPool",
		})
	}
	return observation, nil
}

func (c *cluster) removeUnwanted(ctx context.Context, wanted, candidates []*unstructured.Unstructured) error {
	found, err := c.leftovers(ctx, wanted, candidates)
	if err != nil {
		return err
	}
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	for _, object := range found {
		if err := client.Delete(ctx, object); err != nil {
			return err
		}
	}
	return nil
}
