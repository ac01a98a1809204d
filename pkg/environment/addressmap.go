// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/addressmap"
	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/steps"
)

// addressMapTime is what looking at the addresses of a cluster may take: status has more to tell than that.
const addressMapTime = 5 * time.Second

// AddressMaps says which addresses each cluster really uses, and what is not as planned. Results of steps that were looked at before say
// which clusters need not be asked. What could not be found out is told in the map of the cluster.
func (e *Environment) AddressMaps(ctx context.Context, results []steps.Result) []*addressmap.Map {
	maps := make([]*addressmap.Map, len(e.clusters))
	var group sync.WaitGroup
	for i, c := range e.clusters {
		group.Go(func() {
			maps[i] = &addressmap.Map{Cluster: c.spec.Name}
			if maps[i].Unknown = c.notAsked(results); maps[i].Unknown != "" {
				return
			}
			objects, err := c.addressObjects(ctx)
			if err != nil {
				maps[i].Unknown = err.Error()
				return
			}
			maps[i] = addressmap.Read(c.spec.Name, objects)
			maps[i].Compare(e.plan)
		})
	}
	group.Wait()
	return maps
}

// notAsked says why a cluster need not be asked; empty when it has to be. A cluster that is somebody else's is not looked at.
func (c *cluster) notAsked(results []steps.Result) string {
	for _, result := range results {
		if result.Step != c.step("cluster") {
			continue
		}
		switch {
		case result.Err != nil:
			return "see step " + result.Step
		case result.Observation.State == steps.Missing:
			return "the cluster is not there"
		}
	}
	return ""
}

// addressObjects lists every kind that has to do with addresses, side by side.
func (c *cluster) addressObjects(ctx context.Context) (addressmap.Objects, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, addressMapTime, fmt.Errorf("no answer within %s", addressMapTime))
	defer cancel()
	client, err := c.connect(ctx)
	if err != nil {
		return addressmap.Objects{}, err
	}
	var objects addressmap.Objects
	lists := []struct {
		kind *unstructured.Unstructured
		into *[]unstructured.Unstructured
	}{
		{kube.Reference("v1", "Node", "", ""), &objects.Nodes},
		{kube.Reference("v1", "Pod", "", ""), &objects.Pods},
		{kube.Reference("crd.projectcalico.org/v1", "IPPool", "", ""), &objects.Pools},
		{kube.Reference("crd.projectcalico.org/v1", "IPAMBlock", "", ""), &objects.Blocks},
		{kube.Reference("core.gardener.cloud/v1beta1", "Shoot", "", ""), &objects.Shoots},
		{kube.Reference("extensions.gardener.cloud/v1alpha1", "Cluster", "", ""), &objects.Copies},
	}
	errs := make([]error, len(lists))
	var group sync.WaitGroup
	for i, list := range lists {
		group.Go(func() {
			*list.into, errs[i] = client.List(ctx, list.kind, func(options *metav1.ListOptions) {
				if list.kind.GetKind() == "Pod" {
					options.LabelSelector = addressmap.MachineSelector
				}
			})
			if meta.IsNoMatchError(errs[i]) { // Gardener, or Calico, is not there
				errs[i] = nil
			}
		})
	}
	group.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return addressmap.Objects{}, fmt.Errorf("listing nodes, pools, machines and shoots: %w", cause)
	}
	return objects, errors.Join(errs...)
}
