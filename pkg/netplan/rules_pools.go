// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"fmt"
	"net/netip"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gardener/kindling/pkg/calico/ippool"
)

// checkPools holds what nothing in the cluster checks when pools are written into Calico's v1 objects.
func checkPools(s *Subject, r *recorder) {
	ranges := make([]Range, len(s.Pools))
	for i, pool := range s.Pools {
		ranges[i] = Range{Name: "pool " + pool.Name, Where: pool.Where}
		errs := ippool.Validate(pool.Spec, field.NewPath("spec"))
		for _, err := range errs {
			r.violation(ranges[i], err.Error(), "correct the field")
		}
		if prefix, err := netip.ParsePrefix(pool.Spec.CIDR); err == nil {
			ranges[i].Prefix = prefix.Masked()
		}
		if len(errs) == 0 {
			r.ok(ranges[i], "accepted by Calico")
		}
		if pool.Machines && (pool.Spec.NodeSelector != "!all()" || !slices.Equal(pool.Spec.AllowedUses, []string{"Workload"})) {
			r.violation(ranges[i], "ordinary pods or tunnel devices can get addresses of machines",
				`set nodeSelector: "!all()" and allowedUses: [Workload]`)
		}
	}
	for i := range s.Pools {
		for j := i + 1; j < len(s.Pools); j++ {
			checkPoolPair(s.Pools[i], s.Pools[j], ranges[i], ranges[j], r)
		}
	}
}

func checkPoolPair(a, b PoolSettings, rangeA, rangeB Range, r *recorder) {
	if !rangeA.Prefix.IsValid() || !rangeB.Prefix.IsValid() || rangeA.Prefix.Addr().Is4() != rangeB.Prefix.Addr().Is4() {
		return
	}
	same := a.Spec.IPIPMode == b.Spec.IPIPMode && a.Spec.VXLANMode == b.Spec.VXLANMode && a.Spec.NATOutgoing == b.Spec.NATOutgoing
	if !same {
		r.add(LevelViolation, rangeA, rangeB, netip.Prefix{}, fmt.Sprintf("different settings: IPIP %s and %s, VXLAN %s and %s, NAT %t and %t",
			a.Spec.IPIPMode, b.Spec.IPIPMode, a.Spec.VXLANMode, b.Spec.VXLANMode, a.Spec.NATOutgoing, b.Spec.NATOutgoing),
			"give all pools of a family the same encapsulation and NAT")
	}
	if rangeA.Prefix != rangeB.Prefix || !same {
		// Two pools of the same range and settings, as provider-local makes for two shoots, are one pool to Calico.
		r.disjoint(rangeA, rangeB, "an address in both belongs to either pool: make the ranges the same or disjoint")
	}
}
