// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/calico/ippool"
	"github.com/gardener/kindling/pkg/netplan"
)

// Names of the admission policies, one for each family, and of the guard's objects.
const (
	AdmissionPolicyIPv4 = "kindling-machine-pool-ipv4"
	AdmissionPolicyIPv6 = "kindling-machine-pool-ipv6"
	GuardTier           = "kindling"
	GuardPolicy         = "kindling.forbid-seed-to-machines"
)

// Labels that say to which environment an object belongs. Calico's v1 objects need a key of Calico's domain: its programs drop
// all others when they write the object.
const (
	EnvironmentLabel       = "kindling.gardener.cloud/environment"
	CalicoEnvironmentLabel = "kindling.projectcalico.org/environment"
)

type poolData struct {
	Name      string
	Spec      ippool.Spec
	Machines  bool
	IPv6Plain bool
}

type admissionData struct{ Name, Annotation, Pool string }

// CalicoPools renders Calico's objects for a cluster: pools, Felix, admission policies and guard.
func CalicoPools(env *v1alpha1.Environment, plan *netplan.Plan, cluster v1alpha1.Cluster, opts Options) ([]byte, error) {
	ipip := opts.Encapsulation == v1alpha1.EncapsulationIPIP
	var pools []poolData
	for _, pool := range plan.Pools {
		pools = append(pools, poolData{pool.Name, pool.Spec(opts.Encapsulation), pool.Machines, ipip && len(plan.Families) > 1})
	}
	var admission []admissionData
	if HasAdmission(plan, cluster) {
		admission = admissionPolicies(plan)
	}
	return execute("calico-pools.yaml.tmpl", "calico-pools.yaml.tmpl", plan.Gardener, map[string]any{
		"Plan": plan, "Pools": pools, "IPIP": ipip, "Admission": admission, "Guard": HasGuard(env),
	})
}

func admissionPolicies(plan *netplan.Plan) []admissionData {
	var policies []admissionData
	for _, pool := range plan.Pools {
		switch {
		case !pool.Machines:
		case pool.IPFamily == v1alpha1.IPv4:
			policies = append(policies, admissionData{AdmissionPolicyIPv4, netplan.PoolAnnotation(pool.IPFamily), pool.Name})
		default:
			policies = append(policies, admissionData{AdmissionPolicyIPv6, netplan.PoolAnnotation(pool.IPFamily), pool.Name})
		}
	}
	return policies
}
