// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/steps"
)

// ready waits until the cluster can be used: the nodes, the network plugin, and CoreDNS as the first pods that need both.
func (c *cluster) ready(needs ...string) steps.Step {
	return steps.Step{
		Name:  c.step("ready"),
		Title: "Readiness of " + c.spec.Name,
		Needs: c.steps(needs...),
		Observe: func(ctx context.Context) (steps.Observation, error) {
			client, err := c.connect(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			conditions, err := c.conditions(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			return observeConditions(ctx, "nodes, network plugin and CoreDNS", conditions(client)...)
		},
		Apply: func(ctx context.Context, report func(string)) (string, error) {
			conditions, err := c.conditions(ctx)
			if err != nil {
				return "", err
			}
			err = c.wait(ctx, report, conditions)
			if timeout, ok := errors.AsType[*kube.TimeoutError](err); ok {
				return "", fmt.Errorf("cluster %s is not ready: %w", c.spec.Name, timeout)
			}
			return "", err
		},
	}
}

// observeConditions tells the first thing that does not hold; found describes all that does.
func observeConditions(ctx context.Context, found string, conditions ...kube.Condition) (steps.Observation, error) {
	for _, condition := range conditions {
		pending, err := condition.Check(ctx)
		if err != nil {
			return steps.Observation{}, err
		}
		if len(pending) > 0 {
			return steps.Observation{State: steps.Differs, Text: pending[0].Object + ": " + pending[0].Reason}, nil
		}
	}
	return steps.Observation{State: steps.AsWanted, Text: found}, nil
}

// conditions are what "ready" means.
func (c *cluster) conditions(ctx context.Context) (func(*kube.Client) []kube.Condition, error) {
	containers, err := c.knownContainers(ctx)
	if err != nil {
		return nil, err
	}
	nodes := kube.Started{}
	for _, container := range containers {
		if isNode(container) {
			nodes[container.Name] = container.Started
		}
	}
	return func(client *kube.Client) []kube.Condition {
		conditions := []kube.Condition{client.NodesReady(nodes)}
		if c.env.calicoWanted() {
			conditions = append(conditions,
				client.DaemonSetRolledOut("kube-system", "calico-node", nodes),
				client.DeploymentAvailable("kube-system", "calico-kube-controllers", nodes))
		}
		return append(conditions, client.DeploymentAvailable("kube-system", "coredns", nodes))
	}, nil
}
