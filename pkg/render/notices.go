// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
)

// Notices says what the rendered environment does not cover, and what was decided without being asked.
func Notices(env *v1alpha1.Environment, plan *netplan.Plan, opts Options) []string {
	var notices []string
	add := func(format string, args ...any) { notices = append(notices, fmt.Sprintf(format, args...)) }
	if plan.Layout == v1alpha1.LayoutLegacy {
		add("layout Legacy: machines are ordinary seed pods, and a broken VPN is not seen")
	}
	if plan.NetworkPlugin == v1alpha1.NetworkPluginPlain {
		add("network plugin Plain: no pools, no policies; machines get addresses of seed pods, and a broken VPN is not seen")
		return notices
	}
	for _, cluster := range env.Spec.Clusters {
		if hasMachinePool(plan) && !HasAdmission(plan, cluster) {
			add("cluster %s: its Kubernetes is older than %s, so there is no admission policy: a machine that names no pool gets the address of a seed pod",
				cluster.Name, admissionKubernetes)
		}
	}
	if *env.Spec.Calico.MachinePool.Guard && !hasTiers(env.Spec.Calico) {
		add("Calico %s is older than v%s, so there is no guard: a NetworkPolicy can let seed pods reach the kubelets of machines directly",
			env.Spec.Calico.Version, tierCalico)
	}
	if !*env.Spec.Calico.MachinePool.Guard {
		add("the guard is switched off: a NetworkPolicy can let seed pods reach the kubelets of machines directly")
	}
	if env.Spec.Calico.MachinePool.Owner == v1alpha1.OwnerProviderLocal && !plan.Gardener.Has(gardener.MachinePools) {
		add("provider-local of Gardener %s makes no pools: machines get addresses of seed pods; set spec.calico.machinePool.owner to Kindling", plan.Gardener)
	}
	if env.Spec.Calico.Encapsulation == v1alpha1.EncapsulationAuto && opts.Encapsulation != v1alpha1.EncapsulationAuto {
		add("encapsulation Auto: rendered as %s", opts.Encapsulation)
	}
	if Resolve(opts.Encapsulation) != v1alpha1.EncapsulationIPIP && plan.Gardener.Has(gardener.MachinePools) {
		add("encapsulation %s: provider-local gives the pools of its shoots IPIP, which differs from it", opts.Encapsulation)
	}
	for _, cluster := range env.Spec.Clusters {
		if NeedsCgroupV1Patch(cluster, opts.CgroupV1) {
			add("cluster %s: the engine's host has cgroup v1, which Kubernetes gives up: the kubelet is told to accept it (failCgroupV1: false)", cluster.Name)
		}
	}
	return notices
}
