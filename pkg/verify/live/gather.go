// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/podroutes"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/verify"
	"github.com/gardener/kindling/pkg/vpn"
)

// calicoVersion is the group that Calico's own programs read in its usual mode.
const calicoVersion = "crd.projectcalico.org/v1"

// gather reads what the static part judges.
func (r *run) gather(ctx context.Context) (*verify.Facts, error) {
	f := &verify.Facts{Now: r.Now(), Seed: r.target.seed, Shoot: r.target.shoot}
	for _, read := range []func(context.Context, *verify.Facts) error{r.readPods, r.readPolicies, r.readPools, r.readClasses, r.readShoot} {
		if err := read(ctx, f); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (r *run) readPods(ctx context.Context, f *verify.Facts) error {
	namespace := f.Shoot.TechnicalID
	f.ControlPlaneLabels = r.labels
	for _, in := range []string{namespace, podroutes.Infrastructure(namespace)} {
		pods, err := r.Seed.Pods(ctx, in, nil)
		if err != nil {
			return err
		}
		for i := range pods {
			switch {
			case podroutes.IsMachine(&pods[i]) && pods[i].DeletionTimestamp == nil:
				f.Machines = append(f.Machines, pods[i])
			case in == namespace:
				f.ControlPlane = append(f.ControlPlane, pods[i])
			}
		}
	}
	if len(f.Machines) == 0 {
		return targetError("shoot %s has no machine: no pod with label app=machine in the namespaces %s and %s", f.Shoot, namespace, podroutes.Infrastructure(namespace))
	}
	return nil
}

func (r *run) readPolicies(ctx context.Context, f *verify.Facts) error {
	for _, namespace := range []string{f.Shoot.TechnicalID, podroutes.Infrastructure(f.Shoot.TechnicalID)} {
		policies, err := list[networkingv1.NetworkPolicy](r.Seed.List(ctx, kube.Reference("networking.k8s.io/v1", "NetworkPolicy", namespace, "")))
		if err != nil {
			return err
		}
		services, err := list[corev1.Service](r.Seed.List(ctx, kube.Reference("v1", "Service", namespace, "")))
		if err != nil {
			return err
		}
		f.Policies, f.Services = append(f.Policies, policies...), append(f.Services, services...)
	}
	return nil
}

func (r *run) readPools(ctx context.Context, f *verify.Facts) error {
	pools, known, err := served(ctx, r.Seed, kube.Reference(calicoVersion, "IPPool", "", ""))
	if err != nil || !known {
		return err
	}
	f.PoolsServed = true
	for i := range pools {
		cidr, err := netip.ParsePrefix(text(pools[i].Object, "spec", "cidr"))
		if err != nil {
			return fmt.Errorf("reading IPPool %s: %w", pools[i].GetName(), err)
		}
		if disabled, _, _ := unstructured.NestedBool(pools[i].Object, "spec", "disabled"); disabled {
			continue
		}
		f.Pools = append(f.Pools, verify.Pool{
			Name: pools[i].GetName(), CIDR: cidr.Masked(), NodeSelector: text(pools[i].Object, "spec", "nodeSelector"),
			Manual: text(pools[i].Object, "spec", "assignmentMode") == "Manual", Created: pools[i].GetCreationTimestamp().Time,
		})
	}
	guard, err := r.Seed.Get(ctx, kube.Reference(calicoVersion, "GlobalNetworkPolicy", "", render.GuardPolicy))
	f.Guard = guard != nil
	return err
}

func (r *run) readClasses(ctx context.Context, f *verify.Facts) error {
	classes, known, err := served(ctx, r.Seed, kube.Reference(machineVersion, "MachineClass", f.Shoot.TechnicalID, ""))
	f.ClassesServed = known
	for i := range classes {
		class := verify.Class{Name: classes[i].GetName()}
		for _, key := range []string{"ipPoolNameV4", "ipPoolNameV6"} {
			if name := text(classes[i].Object, "providerSpec", key); name != "" {
				class.Pools = append(class.Pools, name)
			}
		}
		f.Classes = append(f.Classes, class)
	}
	return err
}

func (r *run) readShoot(ctx context.Context, f *verify.Facts) error {
	var err error
	if f.Nodes, err = list[corev1.Node](r.shoot.List(ctx, kube.Reference("v1", "Node", "", ""))); err != nil {
		return err
	}
	f.Tunnels, err = r.shoot.Pods(ctx, metav1.NamespaceSystem, &metav1.LabelSelector{MatchLabels: map[string]string{"app": vpn.VPNShoot}})
	return err
}

// together says whether the nodes of a shoot are the machines of its control plane's seed: one must have the name or the address of one.
func together(f *verify.Facts) error {
	if len(f.Nodes) == 0 {
		return nil // the static part says so
	}
	for i := range f.Machines {
		machine := &f.Machines[i]
		for j := range f.Nodes {
			node := &f.Nodes[j]
			if node.Name == machine.Name || node.Name == machine.Labels["machine"] || slices.ContainsFunc(node.Status.Addresses, func(address corev1.NodeAddress) bool {
				parsed, err := netip.ParseAddr(address.Address)
				return err == nil && slices.Contains(verify.Addresses(machine), parsed)
			}) {
				return nil
			}
		}
	}
	return targetError("the kubeconfigs don't belong together: the shoot's has node %s, the seed's has machine %s in namespace %s, and no node is a machine",
		f.Nodes[0].Name, f.Machines[0].Name, f.Machines[0].Namespace)
}
