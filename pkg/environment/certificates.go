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

// certificates approves what kubelets ask for to serve with. A kubelet asks again when its address has changed or its certificate
// runs out; the next up approves that.
func (c *cluster) certificates() steps.Step {
	return steps.Step{
		Name:  c.step("certificates"),
		Title: "Serving certificates of kubelets in " + c.spec.Name,
		Needs: c.steps("cluster"),
		Observe: func(ctx context.Context) (steps.Observation, error) {
			client, err := c.connect(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			nodes, err := c.knownContainers(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			return observeConditions(ctx, "", client.ServingCertificates(false, nodeAddresses(nodes)))
		},
		Apply: func(ctx context.Context, report func(string)) (string, error) {
			nodes, err := c.knownContainers(ctx)
			if err != nil {
				return "", err
			}
			err = c.wait(ctx, report, func(client *kube.Client) []kube.Condition {
				return []kube.Condition{client.ServingCertificates(true, nodeAddresses(nodes))}
			})
			if timeout, ok := errors.AsType[*kube.TimeoutError](err); ok {
				return "", fmt.Errorf("kubelets of cluster %s have no serving certificates: %w", c.spec.Name, timeout)
			}
			return "", err
		},
	}
}
