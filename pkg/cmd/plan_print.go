// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"fmt"
	"io"
	"net/netip"
	"strings"

	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/printer"
)

func printPlan(w io.Writer, result planResult, explain bool) error {
	if _, err := fmt.Fprintf(w, "environment %s, Gardener %s, layout %s, network plugin %s\n\n",
		result.Environment, result.Gardener, result.Layout, result.NetworkPlugin); err != nil {
		return err
	}
	for _, section := range []func() error{
		func() error { return printFamilies(w, result.Plan) },
		func() error { return printPools(w, result.Plan) },
		func() error { return printShoots(w, result.Plan) },
		func() error { return printNotices(w, result.Notices) },
		func() error { return printFindings(w, result.Findings, explain) },
	} {
		if err := section(); err != nil {
			return err
		}
	}
	return nil
}

// rangeRows lists the ranges of a family in the order in which packets meet them, with the fields that they become.
func rangeRows(f netplan.Family) [][2]string {
	return [][2]string{
		{"container network", text(f.Container)},
		{"pod CIDR", text(f.Pods)},
		{"seed pods", text(f.SeedPods)},
		{"machines", text(f.Machines)},
		{"seed services", text(f.Services)},
		{"shoot pods", text(f.ShootPods)},
		{"shoot services", text(f.ShootServices)},
		{"load-balancer range", text(f.LoadBalancers)},
	}
}

func printFamilies(w io.Writer, plan *netplan.Plan) error {
	becomes := []string{
		"engine network kind, Seed.spec.networks.nodes", "kind networking.podSubnet", "Calico's default pool, Seed.spec.networks.pods",
		"Calico's machine pool, every Shoot.spec.networking.nodes", "kind networking.serviceSubnet, Seed.spec.networks.services",
		"Seed.spec.networks.shootDefaults.pods", "Seed.spec.networks.shootDefaults.services", "loopback addresses of the engine's host",
	}
	headings := []string{"RANGE"}
	rows := make([][]string, len(becomes))
	for i, family := range plan.Families {
		headings = append(headings, string(family.IPFamily))
		for r, cells := range rangeRows(family) {
			if i == 0 {
				rows[r] = append(rows[r], cells[0])
			}
			rows[r] = append(rows[r], cells[1])
		}
	}
	var set [][]string
	for r, row := range rows {
		if strings.Join(row[1:], "") != "" { // the layout Legacy has no machines
			set = append(set, append(row, becomes[r]))
		}
	}
	return printTable(w, append(headings, "BECOMES"), set)
}

func printPools(w io.Writer, plan *netplan.Plan) error {
	var rows [][]string
	for _, pool := range plan.Pools {
		chosen := "by pods that name none"
		if pool.Machines {
			chosen = "by pods that name it"
		}
		rows = append(rows, []string{pool.Name, pool.CIDR.String(), fmt.Sprintf("/%d", pool.BlockSize), chosen})
	}
	return printTable(w, []string{"POOL", "CIDR", "BLOCKS", "CHOSEN"}, rows)
}

func printShoots(w io.Writer, plan *netplan.Plan) error {
	var rows [][]string
	for _, shoot := range plan.Shoots {
		rows = append(rows, []string{
			shoot.Namespace + "/" + shoot.Name, shoot.Seed, string(shoot.FailureTolerance),
			text(shoot.Nodes), text(shoot.Pods), text(shoot.Services),
		})
	}
	return printTable(w, []string{"SHOOT", "SEED", "TOLERATES LOSS OF", "NODES", "PODS", "SERVICES"}, rows)
}

func printTable(w io.Writer, headings []string, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	if err := printer.Table(w, headings, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

func printNotices(w io.Writer, notices []string) error {
	for _, notice := range notices {
		if _, err := fmt.Fprintf(w, "note: %s\n", notice); err != nil {
			return err
		}
	}
	return nil
}

// text writes a prefix, and nothing for one that is not set.
func text(prefix netip.Prefix) string {
	if !prefix.IsValid() {
		return ""
	}
	return prefix.String()
}
