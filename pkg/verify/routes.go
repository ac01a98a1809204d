// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/gardener/kindling/pkg/route"
	"github.com/gardener/kindling/pkg/vpn"
)

// Table is the routing table of a pod that decides about the VPN.
type Table struct {
	// Object is the pod.
	Object    string
	Namespace route.Namespace
}

// Generation is how the VPN routes, as a table shows it.
func (t Table) Generation() vpn.Generation {
	if len(t.Namespace.Maps) > 0 {
		return vpn.GenerationMapped
	}
	return vpn.GenerationPlain
}

// Routes judges the tables: machines, then pods and services of the shoot, must be routed into the VPN, in each of them.
func Routes(f *Facts, tables []Table) []Result {
	var machines []netip.Prefix
	for i := range f.Machines {
		for _, address := range Addresses(&f.Machines[i]) {
			machines = append(machines, netip.PrefixFrom(address, address.BitLen()))
		}
	}
	others := slices.Concat(f.Shoot.Networks.Pods, f.Shoot.Networks.Services)
	nodes := f.routed(RoutesNodes, tables, machines)
	if nodes.Status == Failed {
		nodes.Missing = append(nodes.Missing, CureNodes)
		if slices.ContainsFunc(machines, func(machine netip.Prefix) bool {
			return len(overlaps([]netip.Prefix{machine}, f.Seed.Networks.Pods)) > 0
		}) {
			nodes.Missing = append(nodes.Missing, CureSplit)
		}
	}
	return []Result{nodes, f.routed(RoutesShoot, tables, others)}
}

func (f *Facts) routed(check string, tables []Table, targets []netip.Prefix) Result {
	if len(targets) == 0 {
		return Result{Check: check, Part: PartRoutes, Status: Skipped, Text: "there are no addresses to look up"}
	}
	r := f.finding(check, "into the VPN")
	r.Part = PartRoutes
	for i := range tables {
		namespace := &tables[i].Namespace
		for _, target := range targets {
			for _, piece := range namespace.Partition(target) {
				decision := piece.Decision
				text := fmt.Sprintf("%s: %s (%s)", vpn.Text(piece.Prefix), decision.Class, decision.Reason)
				if decision.Route != nil {
					text = fmt.Sprintf("%s: %s, by route %s", vpn.Text(piece.Prefix), decision.Class, decision.Route)
				}
				if decision.Class == route.ClassVPN {
					r.see(tables[i].Object, "%s", text)
					continue
				}
				r.Text = "not, or not all of it, into the VPN"
				r.against(Failed, "", tables[i].Object, "%s", text)
			}
		}
	}
	return r.Result
}
