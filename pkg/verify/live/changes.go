// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/gardener/kindling/pkg/kube"
)

// restoreTimeout is how long restoring tries, whatever has ended the run.
const restoreTimeout = 3 * time.Minute

// changes makes changes, each written down before it is made, and takes them back in reverse.
type changes struct {
	journal  *Journal
	begun    bool
	content  journalContent
	clusters map[where]Cluster
}

func (c *changes) note(one change) error {
	if !c.begun {
		if err := c.journal.begin(c.content); err != nil {
			return err
		}
		c.begun = true
	}
	c.content.Changes = append(c.content.Changes, one)
	return c.journal.write(c.content)
}

// create makes an object that restoring removes. It may be tried again: it is written down once.
func (c *changes) create(ctx context.Context, in where, object *unstructured.Unstructured) error {
	one := changeOf(in, object, change{Created: true})
	if !slices.Contains(c.content.Changes, one) {
		if err := c.note(one); err != nil {
			return err
		}
	}
	_, err := c.clusters[in].Create(ctx, object)
	return err
}

// annotate sets an annotation to "true".
func (c *changes) annotate(ctx context.Context, in where, object *unstructured.Unstructured, key string) error {
	one := change{Annotation: key}
	if before, set := object.GetAnnotations()[key]; set {
		one.Before = &before
	}
	if err := c.note(changeOf(in, object, one)); err != nil {
		return err
	}
	return c.clusters[in].MergePatch(ctx, object, annotation(key, "true"))
}

func annotation(key string, value any) map[string]any {
	return map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: value}}}
}

// scaleToNone takes all pods of a workload away.
func (c *changes) scaleToNone(ctx context.Context, in where, workload *unstructured.Unstructured) error {
	before := replicas(workload)
	if before == 0 {
		return fmt.Errorf("%s has no replicas already", kube.Name(workload))
	}
	if err := c.note(changeOf(in, workload, change{Replicas: &before})); err != nil {
		return err
	}
	return c.clusters[in].MergePatch(ctx, workload, scaled(0))
}

func scaled(replicas int64) map[string]any {
	return map[string]any{"spec": map[string]any{"replicas": replicas}}
}

// replicas are one where nothing is set.
func replicas(workload *unstructured.Unstructured) int64 {
	count, set, err := unstructured.NestedInt64(workload.Object, "spec", "replicas")
	if err != nil || !set {
		return 1
	}
	return count
}

func changeOf(in where, object *unstructured.Unstructured, one change) change {
	one.Where, one.APIVersion, one.Kind = in, object.GetAPIVersion(), object.GetKind()
	one.Namespace, one.Name = object.GetNamespace(), object.GetName()
	return one
}

// restore takes back all that is written down, newest first, and tries again while a cluster does not answer. It goes on when the
// context is cancelled: that is when it is needed most. What could not be restored stays written down.
func (c *changes) restore(ctx context.Context, report func(string)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreTimeout)
	defer cancel()
	var last error
	err := wait.PollUntilContextCancel(ctx, pause, true, func(ctx context.Context) (bool, error) {
		for len(c.content.Changes) > 0 {
			one := c.content.Changes[len(c.content.Changes)-1]
			if err := c.undo(ctx, one); err != nil {
				if last == nil || last.Error() != err.Error() {
					report("restoring: " + err.Error() + "; trying again")
				}
				last = err
				return false, nil
			}
			c.content.Changes = c.content.Changes[:len(c.content.Changes)-1]
			if err := c.journal.write(c.content); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("%s is not restored: %w: run kindling verify --restore; %s says what is left", c.content.Shoot, errors.Join(last, err), c.journal.Path)
	}
	c.begun = false
	return c.journal.end()
}

// undo takes one change back, unless somebody else has changed the same thing meanwhile.
func (c *changes) undo(ctx context.Context, one change) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cluster := c.clusters[one.Where]
	if cluster == nil {
		return fmt.Errorf("there is no kubeconfig for the %s", one.Where)
	}
	ref := one.object()
	if one.Created {
		return remove(ctx, cluster, ref)
	}
	live, err := cluster.Get(ctx, ref)
	if err != nil || live == nil {
		return err
	}
	switch {
	case one.Replicas != nil && replicas(live) == 0:
		return cluster.MergePatch(ctx, ref, scaled(*one.Replicas))
	case one.Annotation != "" && live.GetAnnotations()[one.Annotation] == "true" && one.Before == nil:
		return cluster.MergePatch(ctx, ref, annotation(one.Annotation, nil))
	case one.Annotation != "" && live.GetAnnotations()[one.Annotation] == "true":
		return cluster.MergePatch(ctx, ref, annotation(one.Annotation, *one.Before))
	}
	return nil
}

// remove deletes an object. That it is being deleted is enough: a namespace goes only once every API of the cluster answers, and a
// metrics API that does not can hold it for hours.
func remove(ctx context.Context, cluster Cluster, ref *unstructured.Unstructured) error {
	patient, cancel := context.WithTimeout(ctx, 5*time.Second)
	err := cluster.Delete(patient, ref)
	cancel()
	if err == nil {
		return nil
	}
	live, getErr := cluster.Get(ctx, ref)
	if getErr == nil && (live == nil || live.GetDeletionTimestamp() != nil) {
		return nil
	}
	return err
}
