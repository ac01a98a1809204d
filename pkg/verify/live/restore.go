// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
)

// Restore finishes what an earlier run could not, and returns what it took back, in words. Seed and Garden are needed, the kubeconfig for the
// shoot only where something was changed there.
func Restore(ctx context.Context, journal *Journal, opts Options) ([]string, error) {
	content, err := journal.read()
	if err != nil {
		return nil, err
	}
	var done []string
	for _, one := range slices.Backward(content.Changes) {
		done = append(done, one.describe())
	}
	c := &changes{journal: journal, begun: true, content: content, clusters: map[where]Cluster{inSeed: opts.Seed, inGarden: opts.Garden}}
	if slices.ContainsFunc(content.Changes, func(one change) bool { return one.Where == inShoot }) {
		opened, err := opts.openShoot(ctx, content.Namespace)
		if err != nil {
			return nil, err
		}
		defer opened.close()
		if c.clusters[inShoot], err = opts.Connect(opened.kubeconfig); err != nil {
			return nil, err
		}
	}
	return done, c.restore(ctx, opts.Report)
}

// object names what is changed.
func (c change) object() *unstructured.Unstructured {
	return kube.Reference(c.APIVersion, c.Kind, c.Namespace, c.Name)
}

// describe says what restoring does about a change.
func (c change) describe() string {
	object := kube.Name(c.object())
	switch {
	case c.Created:
		return fmt.Sprintf("%s of the %s is removed", object, c.Where)
	case c.Replicas != nil:
		return fmt.Sprintf("%s of the %s is scaled to %d", object, c.Where, *c.Replicas)
	case c.Before != nil:
		return fmt.Sprintf("annotation %s of %s of the %s is %q", c.Annotation, object, c.Where, *c.Before)
	default:
		return fmt.Sprintf("annotation %s of %s of the %s is removed", c.Annotation, object, c.Where)
	}
}
