// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
)

// MetricsServer renders metrics-server for the clusters of an environment.
func MetricsServer(env *v1alpha1.Environment, plan *netplan.Plan) ([]byte, error) {
	return execute("metrics-server.yaml.tmpl", "metrics-server.yaml.tmpl", plan.Gardener, map[string]any{
		"Plan": plan, "Image": env.Spec.MetricsServer.Image,
		"Aggregated": []string{
			"rbac.authorization.k8s.io/aggregate-to-admin", "rbac.authorization.k8s.io/aggregate-to-edit", "rbac.authorization.k8s.io/aggregate-to-view",
		},
	})
}

// dict makes a map of keys and values, for templates inside of templates.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict has a key without a value")
	}
	values := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		key, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict has the key %v, which is no text", pairs[i])
		}
		values[key] = pairs[i+1]
	}
	return values, nil
}
