// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/logs"
	"github.com/gardener/kindling/pkg/render"
)

// logKinds are the kinds of objects that are collected, of those that the API server has. Secrets are never asked for.
func logKinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		{Version: "v1", Kind: "Node"},
		{Version: "v1", Kind: "Namespace"},
		{Version: "v1", Kind: "Pod"},
		{Version: "v1", Kind: "Service"},
		{Version: "v1", Kind: "ConfigMap"},
		{Version: "v1", Kind: "PersistentVolumeClaim"},
		{Group: "apps", Version: "v1", Kind: "DaemonSet"},
		{Group: "apps", Version: "v1", Kind: "Deployment"},
		{Group: "apps", Version: "v1", Kind: "StatefulSet"},
		{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"},
		{Group: "crd.projectcalico.org", Version: "v1", Kind: "IPPool"},
		{Group: "crd.projectcalico.org", Version: "v1", Kind: "IPAMBlock"},
		{Group: "crd.projectcalico.org", Version: "v1", Kind: "FelixConfiguration"},
		{Group: "crd.projectcalico.org", Version: "v1", Kind: "GlobalNetworkPolicy"},
		{Group: "core.gardener.cloud", Version: "v1beta1", Kind: "Seed"},
		{Group: "core.gardener.cloud", Version: "v1beta1", Kind: "Shoot"},
		{Group: "extensions.gardener.cloud", Version: "v1alpha1", Kind: "Network"},
		{Group: "extensions.gardener.cloud", Version: "v1alpha1", Kind: "Worker"},
		{Group: "machine.sapcloud.io", Version: "v1alpha1", Kind: "Machine"},
	}
}

func (c *cluster) logObjects(ctx context.Context, add logs.Add) error {
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	version, err := client.ServerVersion(ctx)
	if err != nil {
		return err
	}
	add(path.Join(c.spec.Name, "version.json"), "the API server", asJSON(version))
	errs := []error{c.logEvents(ctx, client, add)}
	for _, kind := range logKinds() {
		objects, err := listKind(ctx, client, kind)
		if err != nil && !meta.IsNoMatchError(err) {
			errs = append(errs, err)
		}
		for i := range objects {
			objects[i].SetManagedFields(nil)
			name := path.Join(c.spec.Name, "objects", strings.ToLower(kind.Kind), objects[i].GetNamespace(), objects[i].GetName()+".yaml")
			add(name, "the API server", asYAML(objects[i].Object))
		}
	}
	return errors.Join(errs...)
}

func listKind(ctx context.Context, client *kube.Client, kind schema.GroupVersionKind) ([]unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return client.ListPaged(ctx, object)
}

// logEvents adds a line for each Event, the newest last: of a long file the end is kept.
func (c *cluster) logEvents(ctx context.Context, client *kube.Client, add logs.Add) error {
	events, err := client.Events(ctx)
	if err != nil {
		return err
	}
	add(path.Join(c.spec.Name, "events.txt"), "the API server", func(w io.Writer) error {
		for _, event := range events {
			object := path.Join(strings.ToLower(event.InvolvedObject.Kind), event.InvolvedObject.Namespace, event.InvolvedObject.Name)
			if _, err := fmt.Fprintf(w, "%s %s %s %s (%d times): %s\n", kube.EventTime(event).UTC().Format(time.RFC3339), event.Type, event.Reason, object,
				max(event.Count, 1), strings.ReplaceAll(event.Message, "\n", " ")); err != nil {
				return err
			}
		}
		return nil
	})
	return nil
}

// logShared tells of what environments share: only containers that kindling made.
func (e *Environment) logShared(ctx context.Context, name string, add logs.Add) error {
	made, err := e.madeShared(name)
	if err != nil {
		return err
	}
	containers, err := e.Engine.ContainersNamed(ctx, made...)
	if err != nil {
		return err
	}
	for _, container := range containers {
		if _, ours := container.Labels[render.EnvironmentLabel]; !ours {
			continue
		}
		e.logContainer(ctx, path.Join("shared", container.Name), container.Name, add)
	}
	return nil
}
