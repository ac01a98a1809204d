// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// metricsServer serves what pods and nodes use. Nothing of an environment needs it, so nobody waits for it.
func (c *cluster) metricsServer() steps.Step {
	return steps.Step{
		Name:  c.step("metrics-server"),
		Title: "metrics-server in " + c.spec.Name,
		// Settings may restart containerd, which takes no images meanwhile.
		Needs:   c.env.withRegistry(c.steps("cluster", "settings")...),
		Observe: c.observeMetricsServer,
		Apply: func(ctx context.Context, report func(string)) (string, error) {
			objects, err := c.metricsServerObjects()
			if err != nil {
				return "", err
			}
			if err := c.loadLacking(ctx, c.metricsServerImages(), report); err != nil {
				return "", err
			}
			return c.applyObjects(ctx, objects)
		},
	}
}

func (c *cluster) observeMetricsServer(ctx context.Context) (steps.Observation, error) {
	objects, err := c.metricsServerObjects()
	if err != nil {
		return steps.Observation{}, err
	}
	observation, err := c.observeObjects(ctx, objects, nil)
	if err != nil || observation.State != steps.AsWanted {
		return observation, err
	}
	lacking, err := c.lackingImages(ctx, c.metricsServerImages())
	if err != nil {
		return steps.Observation{}, err
	}
	if len(lacking) > 0 {
		return steps.Observation{State: steps.Differs, Text: "its image is in the engine, and not in all nodes"}, nil
	}
	observation.Text, err = c.metricsServerText(ctx)
	return observation, err
}

// metricsServerText says whether it is available, or why it is not.
func (c *cluster) metricsServerText(ctx context.Context) (string, error) {
	client, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	containers, err := c.knownContainers(ctx)
	if err != nil {
		return "", err
	}
	nodes := kube.Started{}
	for _, container := range containers {
		if isNode(container) {
			nodes[container.Name] = container.Started
		}
	}
	pending, err := client.DeploymentAvailable("kube-system", "metrics-server", nodes).Check(ctx)
	if err != nil {
		return "", fmt.Errorf("asking for metrics-server: %w", err)
	}
	if len(pending) == 0 {
		return "available", nil
	}
	last := pending[len(pending)-1] // a pod says more than its Deployment
	return "not available yet: " + last.Object + ": " + last.Reason, nil
}

func (c *cluster) metricsServerObjects() ([]*unstructured.Unstructured, error) {
	content, err := render.MetricsServer(c.env.spec, c.env.plan)
	if err != nil {
		return nil, err
	}
	return decodeObjects(content)
}

func (c *cluster) metricsServerImages() []string {
	return []string{c.env.spec.Spec.MetricsServer.Image}
}
