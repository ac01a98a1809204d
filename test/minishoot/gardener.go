// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package minishoot

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/pkg/kube"
)

// kind is one of Gardener's, or of machine-controller-manager's, that objects of a shoot are of.
type kind struct{ Kind, Plural, Group, Version, Scope string }

func kinds() []kind {
	const core, machine = "core.gardener.cloud", "machine.sapcloud.io"
	return []kind{
		{"Seed", "seeds", core, "v1beta1", "Cluster"},
		{"Shoot", "shoots", core, "v1beta1", "Namespaced"},
		{"Cluster", "clusters", "extensions.gardener.cloud", "v1alpha1", "Cluster"},
		{"MachineClass", "machineclasses", machine, "v1alpha1", "Namespaced"},
		{"Machine", "machines", machine, "v1alpha1", "Namespaced"},
	}
}

// applyKinds makes the kind cluster serve them. They stay when the shoot goes: others may look at them.
func (f *Fixture) applyKinds(ctx context.Context) error {
	crds, err := objects("kinds.yaml.tmpl", values{Kinds: kinds()})
	if err != nil {
		return err
	}
	if _, err := f.seed.Apply(ctx, crds); err != nil {
		return err
	}
	return kube.Wait(ctx, []kube.Condition{f.seed.CRDsEstablished(crds)}, func([]kube.Pending) {})
}

// seedObjects are all objects in the seed.
func (f *Fixture) seedObjects(v values) ([]*unstructured.Unstructured, error) {
	var err error
	for _, one := range []struct {
		part string
		into *map[string]any
	}{{"seed", &v.SeedCopy}, {"shoot", &v.ShootCopy}} {
		var data []byte
		if data, err = fill("gardener.yaml.tmpl", one.part, v); err != nil {
			return nil, err
		}
		if err := yaml.Unmarshal(data, one.into); err != nil {
			return nil, err
		}
	}
	all := []*unstructured.Unstructured{}
	owned, err := f.secrets(v)
	if err != nil {
		return nil, err
	}
	first := []runtime.Object{
		namespace(Project, map[string]string{"gardener.cloud/role": "project", "project.gardener.cloud/name": "local"}),
		namespace("istio-ingress", map[string]string{"gardener.cloud/role": "istio-ingress"}),
		namespace(TechnicalID, map[string]string{
			"gardener.cloud/role": "shoot", "seed.gardener.cloud/provider": "local", "shoot.gardener.cloud/provider": "local", "networking.shoot.gardener.cloud/provider": "calico",
		}),
	}
	for _, object := range append(first, owned...) {
		one, err := typed(object)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	for _, name := range []string{"controlplane.yaml.tmpl", "vpn.yaml.tmpl", "machine.yaml.tmpl", "gardener.yaml.tmpl"} {
		some, err := objects(name, v)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// shootObjects are all objects in the shoot.
func shootObjects(v values) ([]*unstructured.Unstructured, error) {
	return objects("shoot.yaml.tmpl", v)
}
