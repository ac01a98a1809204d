// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// decodeObjects decodes rendered YAML documents.
func decodeObjects(data []byte) ([]*unstructured.Unstructured, error) {
	objects, err := kube.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("decoding rendered objects: %w", err)
	}
	return objects, nil
}

// label marks objects as the environment's.
func (e *Environment) label(objects []*unstructured.Unstructured) {
	for _, object := range objects {
		labels := object.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		key := render.EnvironmentLabel
		if strings.HasPrefix(object.GetAPIVersion(), "crd.projectcalico.org/") {
			key = render.CalicoEnvironmentLabel
		}
		labels[key] = e.name()
		object.SetLabels(labels)
	}
}

// observeObjects compares objects with what is in the cluster. recreateOnly says which fields can't be changed in place.
func (c *cluster) observeObjects(ctx context.Context, objects []*unstructured.Unstructured, recreateOnly func(object, path string) bool) (steps.Observation, error) {
	client, err := c.connect(ctx)
	if err != nil {
		return steps.Observation{}, err
	}
	compared, err := client.Compare(ctx, objects)
	if err != nil {
		return steps.Observation{}, err
	}
	missing := 0
	var differences []steps.Difference
	for _, object := range compared {
		if object.Missing {
			missing++
			differences = append(differences, steps.Difference{Field: object.Object, Have: "missing", Want: "there"})
			continue
		}
		if err := foreignObject(object); err != nil {
			return steps.Observation{}, err
		}
		for _, d := range object.Differences {
			differences = append(differences, steps.Difference{
				Field: object.Object + " " + d.Path, Have: d.Have, Want: d.Want,
				Recreate: recreateOnly != nil && recreateOnly(object.Object, d.Path),
			})
		}
	}
	switch {
	case missing == len(objects):
		return steps.Observation{State: steps.Missing}, nil
	case len(differences) > 0:
		return steps.Observation{State: steps.Differs, Text: fmt.Sprintf("%d differences", len(differences)), Differences: differences}, nil
	}
	return steps.Observation{State: steps.AsWanted, Text: fmt.Sprintf("%d objects", len(objects))}, nil
}

// foreignObject says that an object of that name is there without the environment's label.
func foreignObject(object kube.ObjectDifference) error {
	i := slices.IndexFunc(object.Differences, func(d kube.Difference) bool {
		return strings.Contains(d.Path, render.EnvironmentLabel) || strings.Contains(d.Path, render.CalicoEnvironmentLabel)
	})
	if i < 0 {
		return nil
	}
	difference := object.Differences[i]
	return &ForeignError{
		What: object.Object, Have: "label " + orNone(difference.Have), Want: "label " + difference.Want,
		Remedy: "remove it when nobody needs it, or give it the label when it is the environment's",
	}
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// applyObjects applies objects and says how many changed.
func (c *cluster) applyObjects(ctx context.Context, objects []*unstructured.Unstructured) (string, error) {
	client, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	changes, err := client.Apply(ctx, objects)
	if err != nil {
		return "", deadline(ctx, err, "applying objects to cluster "+c.spec.Name)
	}
	counts := map[kube.Action]int{}
	for _, entry := range changes.Entries {
		counts[entry.Action]++
	}
	return fmt.Sprintf("%d created, %d configured, %d unchanged", counts[kube.Created], counts[kube.Configured], counts[kube.Unchanged]), nil
}
