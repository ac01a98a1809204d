// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Static judges what objects say, in the order of Checks.
func Static(f *Facts) []Result {
	judges := []func(*Facts) Result{
		shootNodes, shootSeed, machinePool, machineClass, machinePods, machineAge, nodeAddress, policies, oldBypass, vpnWorkloads,
	}
	var results []Result
	for _, judge := range judges {
		result := judge(f)
		result.Part = PartStatic
		results = append(results, result)
	}
	return results
}

// finding collects what speaks against something.
type finding struct {
	f *Facts
	Result
}

func (f *Facts) finding(check, text string) *finding {
	return &finding{f, Result{Check: check, Status: Passed, Text: text}}
}

// see adds evidence that fails nothing.
func (f *finding) see(object, format string, args ...any) {
	f.Evidence = append(f.Evidence, Evidence{Object: object, Text: fmt.Sprintf(format, args...), Time: f.f.Now})
}

// against adds evidence and makes the result as bad as status.
func (f *finding) against(status Status, cure Cure, object, format string, args ...any) {
	f.see(object, format, args...)
	if f.Status != Failed {
		f.Status = status
	}
	if cure != "" && status == Failed && !slices.Contains(f.Missing, cure) {
		f.Missing = append(f.Missing, cure)
	}
}

func skipped(check, why string) Result { return Result{Check: check, Status: Skipped, Text: why} }

func shootNodes(f *Facts) Result {
	nodes := f.Shoot.Networks.Nodes
	if len(nodes) == 0 {
		r := f.finding(ShootNodes, "Shoot.spec.networking.nodes is empty: the VPN has no route for nodes")
		r.against(Failed, CureNodes, "Shoot "+f.Shoot.String(), "spec.networking.nodes is not set")
		return r.Result
	}
	r := f.finding(ShootNodes, "nodes "+list(nodes))
	r.see("Shoot "+f.Shoot.String(), "nodes %s", list(nodes))
	return r.Result
}

// shootSeed fails for nodes that overlap with the seed's pods. Other overlaps are what newer versions of Gardener map addresses for.
func shootSeed(f *Facts) Result {
	r := f.finding(ShootSeed, "disjoint")
	shoot, seed := f.Shoot.Networks, f.Seed.Networks
	if len(seed.Pods) == 0 {
		return skipped(ShootSeed, "the Seed "+f.Seed.Name+" can't be read, or has no networks")
	}
	for _, a := range []named{{"nodes", shoot.Nodes}, {"pods", shoot.Pods}, {"services", shoot.Services}} {
		for _, b := range []named{{"nodes", seed.Nodes}, {"pods", seed.Pods}, {"services", seed.Services}} {
			for _, overlap := range overlaps(a.prefixes, b.prefixes) {
				if a.name == "nodes" && b.name == "pods" {
					r.against(Failed, CureSplit, "Shoot "+f.Shoot.String(), "%s overlap with %s of Seed %s in %s", a.name, b.name, f.Seed.Name, overlap)
				} else {
					r.against(Warning, "", "Shoot "+f.Shoot.String(), "%s overlap with %s of Seed %s in %s: a VPN before Gardener v1.117 loses answers",
						a.name, b.name, f.Seed.Name, overlap)
				}
			}
		}
	}
	if r.Status != Passed {
		r.Text = "networks of Shoot and Seed overlap"
	}
	return r.Result
}

type named struct {
	name     string
	prefixes []netip.Prefix
}

func overlaps(as, bs []netip.Prefix) []netip.Prefix {
	var found []netip.Prefix
	for _, a := range as {
		for _, b := range bs {
			switch {
			case !a.Overlaps(b):
			case a.Bits() > b.Bits():
				found = append(found, a)
			default:
				found = append(found, b)
			}
		}
	}
	return found
}

// machinePool looks for pools that hold addresses of machines.
func machinePool(f *Facts) Result {
	if !f.PoolsServed {
		return skipped(MachinePool, "the seed has no Calico, and so no pools")
	}
	r := f.finding(MachinePool, "")
	pools := f.machinePools()
	if len(pools) == 0 {
		r.Text = "no pool lies inside nodes"
		r.against(Failed, CureSplit, "IPPool", "none of %d pools holds the shoot's nodes", len(f.Pools))
		return r.Result
	}
	for _, pool := range pools {
		r.see("IPPool "+pool.Name, "%s", pool.CIDR)
		if !pool.hidden() {
			r.against(Failed, CureSplit, "IPPool "+pool.Name, "any pod may get an address of it: nodeSelector is %q", pool.NodeSelector)
		}
		for _, overlap := range overlaps([]netip.Prefix{pool.CIDR}, f.Seed.Networks.Pods) {
			r.against(Failed, CureSplit, "IPPool "+pool.Name, "overlaps with pods of Seed %s in %s", f.Seed.Name, overlap)
		}
		r.Text = strings.TrimPrefix(r.Text+", "+pool.Name+" "+pool.CIDR.String(), ", ")
	}
	return r.Result
}

// machinePools are the pools that hold nodes of the shoot: one of the shoot's own has the same range, one of kindling's holds several.
func (f *Facts) machinePools() []Pool {
	var pools []Pool
	for _, pool := range f.Pools {
		if slices.ContainsFunc(f.Shoot.Networks.Nodes, pool.CIDR.Overlaps) {
			pools = append(pools, pool)
		}
	}
	return pools
}

func machineClass(f *Facts) Result {
	switch {
	case !f.PoolsServed:
		return skipped(MachineClass, "the seed has no Calico, and so no pools to name")
	case !f.ClassesServed || len(f.Classes) == 0:
		return skipped(MachineClass, "there are no machine classes in "+f.Shoot.TechnicalID)
	}
	r := f.finding(MachineClass, "")
	for _, class := range f.Classes {
		object := "MachineClass " + f.Shoot.TechnicalID + "/" + class.Name
		if len(class.Pools) == 0 {
			// Gardener before v1.96 names none; then an admission policy can still do it, which the pods show.
			r.against(Warning, "", object, "names no pool: see check %s", MachinePods)
			continue
		}
		r.see(object, "names %s", strings.Join(class.Pools, ", "))
		for _, name := range class.Pools {
			if !slices.ContainsFunc(f.Pools, func(pool Pool) bool { return pool.Name == name }) {
				r.against(Failed, CureSplit, object, "names pool %s, which is not there", name)
			}
		}
	}
	r.Text = fmt.Sprintf("%d machine classes", len(f.Classes))
	return r.Result
}
