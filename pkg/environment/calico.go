// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/calico"
	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// calicoManifest fetches Calico's manifest before anything is made: without network or with a wrong checksum nothing is left
// behind.
func (e *Environment) calicoManifest() steps.Step {
	return steps.Step{
		Name:  stepManifest,
		Title: "Calico manifest",
		Observe: func(ctx context.Context) (steps.Observation, error) {
			source, err := e.calicoSource()
			if err != nil {
				return steps.Observation{}, err
			}
			if _, err := e.manifest(ctx); err != nil {
				return steps.Observation{}, err
			}
			return steps.Observation{State: steps.AsWanted, Text: describeSource(source)}, nil
		},
		Apply: func(context.Context, func(string)) (string, error) { return "", nil },
	}
}

func describeSource(source calico.Source) string {
	if source.Path != "" {
		return source.Path
	}
	return "Calico " + source.Version
}

// calicoCRDs comes before everything that is made of them.
func (c *cluster) calicoCRDs() steps.Step {
	crds := func(ctx context.Context) ([]*unstructured.Unstructured, error) {
		manifest, err := c.env.manifest(ctx)
		if err != nil {
			return nil, err
		}
		c.env.label(manifest.CRDs)
		return manifest.CRDs, nil
	}
	return steps.Step{
		Name:  c.step("calico-crds"),
		Title: "Calico's kinds in " + c.spec.Name,
		Needs: []string{c.step("cluster"), stepManifest},
		Observe: func(ctx context.Context) (steps.Observation, error) {
			objects, err := crds(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			return c.observeObjects(ctx, objects, nil)
		},
		Apply: func(ctx context.Context, report func(string)) (string, error) {
			objects, err := crds(ctx)
			if err != nil {
				return "", err
			}
			text, err := c.applyObjects(ctx, objects)
			if err != nil {
				return "", err
			}
			report("waiting until they are served")
			return text, c.wait(ctx, report, func(client *kube.Client) []kube.Condition {
				return []kube.Condition{client.CRDsEstablished(objects)}
			})
		},
	}
}

// calicoPools makes pools, Felix and guard before the DaemonSet exists, which would otherwise make a pool of its own.
func (c *cluster) calicoPools() steps.Step {
	return steps.Step{
		Name:    c.step("calico-pools"),
		Title:   "Pools and guard in " + c.spec.Name,
		Needs:   c.steps("calico-crds"),
		Observe: c.observePools,
		Apply: func(ctx context.Context, _ func(string)) (string, error) {
			objects, err := c.poolObjects(ctx)
			if err != nil {
				return "", err
			}
			if err := c.removeUnwanted(ctx, objects, unwantedPools()); err != nil {
				return "", err
			}
			return c.applyObjects(ctx, objects)
		},
		Recreate: c.removeChangedPools,
	}
}

func (c *cluster) observePools(ctx context.Context) (steps.Observation, error) {
	objects, err := c.poolObjects(ctx)
	if err != nil {
		return steps.Observation{}, err
	}
	observation, err := c.observeWithout(ctx, objects, unwantedPools(), immutableInPool)
	if err != nil || observation.State != steps.AsWanted {
		return observation, err
	}
	nested, err := c.nestedPools(ctx)
	if len(nested) > 0 {
		observation.Text += "; which pool an address belongs to is ambiguous: " + strings.Join(nested, ", ")
	}
	return observation, err
}

// nestedPools names the pools of others that overlap one of the plan's. One with the same range is told apart by its name.
func (c *cluster) nestedPools(ctx context.Context) ([]string, error) {
	client, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	live, err := client.List(ctx, reference("crd.projectcalico.org/v1", "IPPool", ""))
	if err != nil {
		return nil, err
	}
	var nested []string
	for _, pool := range live {
		text, _, _ := unstructured.NestedString(pool.Object, "spec", "cidr")
		cidr, err := netip.ParsePrefix(text)
		if err != nil {
			continue // Calico takes no notice of it either
		}
		for _, planned := range c.env.plan.Pools {
			if pool.GetName() != planned.Name && cidr != planned.CIDR && cidr.Overlaps(planned.CIDR) {
				nested = append(nested, fmt.Sprintf("%s %s overlaps %s %s", pool.GetName(), cidr, planned.Name, planned.CIDR))
			}
		}
	}
	return nested, nil
}

// immutableInPool finds what Calico forbids to change in a pool: addresses may have been given from its blocks.
func immutableInPool(object, path string) bool {
	return strings.HasPrefix(object, "IPPool ") && (path == "spec.cidr" || path == "spec.blockSize")
}

// removeChangedPools removes the pools whose range or block size is another one. Pods that have addresses of them keep these until
// they are made again.
func (c *cluster) removeChangedPools(ctx context.Context) error {
	objects, err := c.poolObjects(ctx)
	if err != nil {
		return err
	}
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	for _, object := range objects {
		observation, err := c.observeObjects(ctx, []*unstructured.Unstructured{object}, immutableInPool)
		if err != nil {
			return err
		}
		if len(observation.Recreate()) == 0 {
			continue
		}
		if err := client.Delete(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// rendered returns the objects of calico-pools.yaml of an API group.
func (c *cluster) rendered(ctx context.Context, group string) ([]*unstructured.Unstructured, error) {
	opts, err := c.renderOptions(ctx)
	if err != nil {
		return nil, err
	}
	data, err := render.CalicoPools(c.env.spec, c.env.plan, c.spec, opts)
	if err != nil {
		return nil, err
	}
	objects, err := decodeObjects(data)
	if err != nil {
		return nil, err
	}
	var selected []*unstructured.Unstructured
	for _, object := range objects {
		if strings.HasPrefix(object.GetAPIVersion(), group+"/") {
			selected = append(selected, object)
		}
	}
	return selected, nil
}

func (c *cluster) poolObjects(ctx context.Context) ([]*unstructured.Unstructured, error) {
	return c.rendered(ctx, "crd.projectcalico.org")
}

// calico applies what else is in the manifest.
func (c *cluster) calico() steps.Step {
	objects := func(ctx context.Context) ([]*unstructured.Unstructured, error) {
		manifest, err := c.env.manifest(ctx)
		if err != nil {
			return nil, err
		}
		opts, err := c.renderOptions(ctx)
		if err != nil {
			return nil, err
		}
		var families []string
		for _, family := range c.env.plan.Families {
			families = append(families, string(family.IPFamily))
		}
		if err := manifest.Patch(calico.Options{Families: families, Encapsulation: string(opts.Encapsulation)}); err != nil {
			return nil, fmt.Errorf("adapting Calico's manifest: %w", err)
		}
		c.env.label(manifest.Objects)
		return manifest.Objects, nil
	}
	return steps.Step{
		Name:  c.step("calico"),
		Title: "Calico in " + c.spec.Name,
		Needs: c.env.withRegistry(append(c.beforePods(), c.steps("calico-pools", "images")...)...),
		Observe: func(ctx context.Context) (steps.Observation, error) {
			wanted, err := objects(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			return c.observeObjects(ctx, wanted, nil)
		},
		Apply: func(ctx context.Context, _ func(string)) (string, error) {
			wanted, err := objects(ctx)
			if err != nil {
				return "", err
			}
			return c.applyObjects(ctx, wanted)
		},
	}
}

// wait waits for conditions and reports what is not ready.
func (c *cluster) wait(ctx context.Context, report func(string), conditions func(*kube.Client) []kube.Condition) error {
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	said := ""
	return kube.Wait(ctx, conditions(client), func(pending []kube.Pending) {
		if len(pending) == 0 {
			return
		}
		if text := fmt.Sprintf("waiting for %s: %s", pending[0].Object, pending[0].Reason); text != said {
			said = text
			report(text)
		}
	})
}
