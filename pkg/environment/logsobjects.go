// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"io"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener/kindling/pkg/logs"
	"github.com/gardener/kindling/pkg/render"
)

// logKinds are the kinds of objects that are collected. Secrets are never asked for.
func logKinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		{Version: "v1", Kind: "Event"}, {Version: "v1", Kind: "Node"}, {Version: "v1", Kind: "Namespace"}, {Version: "v1", Kind: "Pod"},
		{Version: "v1", Kind: "Service"}, {Version: "v1", Kind: "ConfigMap"}, {Version: "v1", Kind: "PersistentVolumeClaim"},
		{Group: "apps", Version: "v1", Kind: "DaemonSet"}, {Group: "apps", Version: "v1", Kind: "Deployment"},
		{Group: "apps", Version: "v1", Kind: "StatefulSet"}, {Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"},
		{Group: "crd.projectcalico.org", Version: "v1", Kind: "IPPool"}, {Group: "crd.projectcalico.org", Version: "v1", Kind: "IPAMBlock"},
		{Group: "crd.projectcalico.org", Version: "v1", Kind: "FelixConfiguration"},
		{Group: "crd.projectcalico.org", Version: "v1", Kind: "GlobalNetworkPolicy"},
	}
}

func (c *cluster) logObjects(ctx context.Context, add logs.Add) error {
	nodes, err := c.knownContainers(ctx)
	if err != nil {
		return err
	}
	if err := c.mayStop(ctx, nodes); err != nil {
		return err
	}
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	version, err := client.ServerVersion(ctx)
	if err != nil {
		return err
	}
	add(path.Join(c.spec.Name, "version.json"), "the API server", asJSON(version))
	for _, kind := range logKinds() {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(kind)
		objects, err := client.ListPaged(ctx, object)
		for i := range objects {
			objects[i].SetManagedFields(nil)
		}
		name := path.Join(c.spec.Name, "objects", strings.ToLower(kind.Kind)+".json")
		if err != nil {
			add(name, "the API server", func(io.Writer) error { return err })
			continue
		}
		add(name, "the API server", asJSON(objects))
	}
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
		folder := path.Join("shared", container.Name)
		add(folder+"/container.json", "inspect of the container", func(w io.Writer) error { return e.Engine.Inspect(ctx, w, container.Name) })
		add(folder+"/log", "log of the container", func(w io.Writer) error {
			text, err := e.Engine.Logs(ctx, container.Name, sharedLogLines)
			if err == nil {
				_, err = io.WriteString(w, text)
			}
			return err
		})
	}
	return nil
}
