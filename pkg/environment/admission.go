// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/podroutes"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// admission makes the policies that put machines into their pool, and waits until they act: the API server takes a moment to
// notice them, and a machine made meanwhile would keep the address of a seed pod.
func (c *cluster) admission() steps.Step {
	return steps.Step{
		Name:    c.step("admission"),
		Title:   "Admission of machines in " + c.spec.Name,
		Needs:   c.steps("cluster"),
		Observe: c.observeAdmission,
		Apply: func(ctx context.Context, report func(string)) (string, error) {
			objects, err := c.admissionObjects(ctx)
			if err != nil {
				return "", err
			}
			if err := c.removeUnwanted(ctx, objects, unwantedAdmission()); err != nil {
				return "", err
			}
			text, err := c.applyObjects(ctx, objects)
			if err != nil || len(objects) == 0 {
				return text, err
			}
			report("waiting until they act")
			return text, c.wait(ctx, report, func(client *kube.Client) []kube.Condition {
				return []kube.Condition{{Name: "admission policy acts", Check: func(ctx context.Context) ([]kube.Pending, error) {
					return c.pendingAdmission(ctx, client)
				}}}
			})
		},
	}
}

func (c *cluster) admissionObjects(ctx context.Context) ([]*unstructured.Unstructured, error) {
	if served, err := c.servesAdmission(ctx); err != nil || !served {
		return nil, err
	}
	return c.rendered(ctx, "admissionregistration.k8s.io")
}

// servesAdmission asks the API server: the image of its node may have no version in its tag.
func (c *cluster) servesAdmission(ctx context.Context) (bool, error) {
	client, err := c.connect(ctx)
	if err != nil {
		return false, err
	}
	served, err := client.ServerVersion(ctx)
	if err != nil {
		return false, err
	}
	return render.ServesAdmission(served.GitVersion), nil
}

func (c *cluster) observeAdmission(ctx context.Context) (steps.Observation, error) {
	objects, err := c.admissionObjects(ctx)
	if err != nil {
		return steps.Observation{}, err
	}
	if len(objects) == 0 {
		found, err := c.leftovers(ctx, nil, unwantedAdmission())
		if err != nil || len(found) > 0 {
			return steps.Observation{State: steps.Differs, Text: "policies of an earlier file"}, err
		}
		return steps.Observation{State: steps.Skipped, Text: "no machine pool of kindling's, or Kubernetes too old"}, nil
	}
	observation, err := c.observeWithout(ctx, objects, unwantedAdmission(), nil)
	if err != nil || observation.State != steps.AsWanted {
		return observation, err
	}
	client, err := c.connect(ctx)
	if err != nil {
		return steps.Observation{}, err
	}
	pending, err := c.pendingAdmission(ctx, client)
	if err != nil {
		return steps.Observation{}, err
	}
	if len(pending) > 0 {
		return steps.Observation{State: steps.Differs, Text: pending[0].Reason}, nil
	}
	return observation, nil
}

// pendingAdmission creates a machine in a dry run and looks whether it got the annotation of every machine pool.
func (c *cluster) pendingAdmission(ctx context.Context, client *kube.Client) ([]kube.Pending, error) {
	created, err := client.DryRunCreate(ctx, c.probePod("dry-run", "kindling.invalid/none", map[string]any{podroutes.MachineLabel: podroutes.MachineValue}))
	if err != nil {
		return []kube.Pending{{Object: "Pod in a dry run", Reason: err.Error()}}, nil //nolint:nilerr // the service account of the namespace may not be there yet
	}
	annotations := created.GetAnnotations()
	for _, pool := range c.env.plan.Pools {
		key := netplan.PoolAnnotation(pool.IPFamily)
		if pool.Machines && annotations[key] != fmt.Sprintf("[%q]", pool.Name) {
			return []kube.Pending{{
				Object: "MutatingAdmissionPolicy for " + pool.Name,
				Reason: fmt.Sprintf("a pod labelled app=machine gets annotation %s=%q", key, annotations[key]),
			}}, nil
		}
	}
	return nil, nil
}

// probePod is a pod that does nothing; it is for its address.
func (c *cluster) probePod(name, image string, labels map[string]any) *unstructured.Unstructured {
	all := map[string]any{render.EnvironmentLabel: c.env.name()}
	maps.Copy(all, labels)
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"namespace": "default", "name": "kindling-probe-" + name, "labels": all},
		"spec": map[string]any{
			"automountServiceAccountToken":  false,
			"terminationGracePeriodSeconds": int64(0),
			"tolerations":                   []any{map[string]any{"operator": "Exists"}},
			"containers":                    []any{map[string]any{"name": "probe", "image": image, "imagePullPolicy": "Never"}},
		},
	}}
}
