// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
)

// cidrRule is the rule that ranges in files break when they can't be read.
const cidrRule = "cidr"

// collector gathers the ranges of all documents.
type collector struct {
	subject  *netplan.Subject
	findings []netplan.Finding
}

// named parses a CIDR. An empty one is a range that is not set; a wrong one is a finding, and not compared.
func (c *collector) named(name, where, text string) netplan.Range {
	result := netplan.Range{Name: name, Where: where}
	if text == "" {
		return result
	}
	prefix, err := v1alpha1.Prefix(text)
	if err != nil {
		c.findings = append(c.findings, netplan.Finding{
			Rule: cidrRule, Level: netplan.LevelViolation, A: result, Text: err.Error(), Remedy: "correct the CIDR",
		})
		return result
	}
	result.Prefix = prefix
	return result
}

func (c *collector) addSeed(name, where, base string, networks seedNetworks) {
	c.subject.Seeds = append(c.subject.Seeds, netplan.SeedRanges{
		Name:          name,
		Nodes:         c.named("nodes of seed "+name, where+": "+base+".nodes", networks.Nodes),
		Pods:          c.named("pods of seed "+name, where+": "+base+".pods", networks.Pods),
		Services:      c.named("services of seed "+name, where+": "+base+".services", networks.Services),
		ShootPods:     c.named("shoot pods of seed "+name, where+": "+base+".shootDefaults.pods", networks.ShootDefaults.Pods),
		ShootServices: c.named("shoot services of seed "+name, where+": "+base+".shootDefaults.services", networks.ShootDefaults.Services),
	})
}

// addCluster takes comma-separated subnets as kind has them, one of each family.
func (c *collector) addCluster(name, where string, networking kindNetworking) {
	services := c.list("serviceSubnet of cluster "+name, where+": networking.serviceSubnet", networking.ServiceSubnet)
	for i, pods := range c.list("podSubnet of cluster "+name, where+": networking.podSubnet", networking.PodSubnet) {
		ranges := netplan.ClusterRanges{Pods: pods}
		if i < len(services) {
			ranges.Services = services[i]
		}
		c.subject.Clusters = append(c.subject.Clusters, ranges)
	}
}

func (c *collector) list(name, where, text string) []netplan.Range {
	if text == "" {
		return nil
	}
	var ranges []netplan.Range
	for item := range strings.SplitSeq(text, ",") {
		ranges = append(ranges, c.named(name, where, strings.TrimSpace(item)))
	}
	return ranges
}

// finish connects what came from different documents.
func (c *collector) finish() {
	c.connectPools()
	for i := range c.subject.Shoots {
		c.fillShoot(&c.subject.Shoots[i])
	}
}

// connectPools takes Calico's pools as the clusters' seed pods and machines. With several clusters it is not known which pool
// belongs to which, and each is compared with each seed by its own documents only.
func (c *collector) connectPools() {
	families := map[bool]int{}
	for _, cluster := range c.subject.Clusters {
		families[cluster.Pods.Prefix.Addr().Is4()]++
	}
	if families[true] > 1 || families[false] > 1 {
		return
	}
	for _, pool := range c.subject.Pools {
		prefix, err := netip.ParsePrefix(pool.Spec.CIDR)
		if err != nil {
			continue
		}
		ranges := netplan.Range{Name: "pool " + pool.Name, Where: pool.Where, Prefix: prefix}
		i := slices.IndexFunc(c.subject.Clusters, func(cluster netplan.ClusterRanges) bool {
			return cluster.Pods.Prefix.IsValid() && netplan.FamilyOf(cluster.Pods.Prefix) == netplan.FamilyOf(prefix)
		})
		switch {
		case i < 0:
		case pool.Machines:
			c.subject.Clusters[i].Machines = ranges
		default:
			c.subject.Clusters[i].SeedPods = ranges
		}
	}
}

// fillShoot fills pods and services from the shoot's seed, or from the first one that fits where it names none.
func (c *collector) fillShoot(shoot *netplan.ShootRanges) {
	for _, seed := range c.subject.Seeds {
		if shoot.Seed == "" || shoot.Seed == seed.Name {
			*shoot = shoot.WithDefaults(seed)
		}
	}
}
