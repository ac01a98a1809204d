// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"fmt"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
)

func checkSplit(s *Subject, r *recorder) {
	for _, c := range s.Clusters {
		r.disjoint(c.SeedPods, c.Machines,
			"cut the pod CIDR so that each address is either a seed pod's or a machine's: leave both fields out to get the two halves")
		r.inside(c.SeedPods, c.Pods, "kube-proxy treats only the pod CIDR as inside: choose seed pods in it, or leave the field out")
		switch s.Layout {
		case v1alpha1.LayoutSplit:
			r.inside(c.Machines, c.Pods,
				"with machines outside the pod CIDR kube-proxy hides their addresses behind the node's: choose machines in it, or leave the field out")
		case v1alpha1.LayoutOutside:
			r.disjoint(c.Machines, c.Pods, "the layout Outside has machines outside the pod CIDR: choose another range, or the layout Split")
		}
	}
}

func checkClusterRanges(s *Subject, r *recorder) {
	for _, c := range s.Clusters {
		r.pairwise("move one of the two", c.Pods, c.Services, c.Container, c.LoadBalancers)
		if s.Layout == v1alpha1.LayoutOutside {
			for _, other := range []Range{c.Services, c.Container, c.LoadBalancers} {
				r.disjoint(c.Machines, other, "move one of the two")
			}
		}
	}
}

// checkPodCIDRSize holds kubeadm's limits: a node gets a /24 or a /64, and there are at most 2^16 of them.
func checkPodCIDRSize(s *Subject, r *recorder) {
	for _, c := range s.Clusters {
		if !c.Pods.Prefix.IsValid() {
			continue
		}
		shortest, longest := 8, 24
		if c.Pods.Prefix.Addr().Is6() {
			shortest, longest = 48, 64
		}
		if bits := c.Pods.Prefix.Bits(); bits < shortest || bits > longest {
			r.violation(c.Pods, fmt.Sprintf("kubeadm refuses a /%d", bits),
				fmt.Sprintf("choose a prefix length from /%d to /%d", shortest, longest))
			continue
		}
		r.ok(c.Pods, fmt.Sprintf("/%d to /%d", shortest, longest))
	}
}

// checkSeedMatchesCluster compares Seed and cluster where both are known from files. A Seed whose pods are not the default
// pool makes gardenlet panic at start and the VPN choose the wrong address mapping.
func checkSeedMatchesCluster(s *Subject, r *recorder) {
	families := map[bool]int{}
	for _, c := range s.Clusters {
		if c.Pods.Prefix.IsValid() {
			families[c.Pods.Prefix.Addr().Is4()]++
		}
	}
	for _, seed := range s.Seeds {
		for _, c := range s.Clusters {
			if c.Pods.Prefix.IsValid() && families[c.Pods.Prefix.Addr().Is4()] > 1 {
				continue // files do not tell which seed is on which cluster
			}
			r.equal(seed.Services, c.Services, "set Seed.spec.networks.services to the cluster's serviceSubnet")
			if c.SeedPods.Prefix.IsValid() {
				r.equal(seed.Pods, c.SeedPods, "set Seed.spec.networks.pods to Calico's default pool, not to the whole pod CIDR")
			} else {
				r.inside(seed.Pods, c.Pods, "set Seed.spec.networks.pods to the part of the cluster's podSubnet that seed pods get")
			}
			r.equal(seed.Nodes, c.Container, "set Seed.spec.networks.nodes to the prefix of the container network")
		}
	}
}

// checkHost compares what the environment takes with what the host has. The engine refuses a second network in the same range.
// Routes are no obstacle by themselves: nodes reach pods by routes of their own, but what lies behind the host's route can't be
// reached from pods, and some VPN clients take the container network away.
func checkHost(s *Subject, r *recorder) {
	for _, c := range s.Clusters {
		for _, planned := range []Range{c.Container, c.Pods, c.Machines, c.Services, c.LoadBalancers} {
			for _, host := range s.Host {
				overlap, shared := Intersection(planned.Prefix, host.Prefix)
				switch {
				case !shared:
					continue
				case host.EngineNetwork && planned == c.Container:
					r.add(LevelViolation, planned, host.Range, overlap, "overlap", "remove the other network, or move the container network")
				default:
					r.add(LevelWarning, planned, host.Range, overlap, "overlap",
						"pods can't reach what lies there, and a VPN client may take the range away: move the planned range if that matters")
				}
			}
			if planned.Prefix.IsValid() && len(s.Host) > 0 {
				r.ok(planned, fmt.Sprintf("compared with %d routes and networks of the host", len(s.Host)))
			}
		}
	}
}

// checkFaultVisible says where an environment can't show that the VPN is broken.
func checkFaultVisible(s *Subject, r *recorder) {
	for _, c := range s.Clusters {
		switch {
		case s.Layout == v1alpha1.LayoutLegacy:
			r.warn(c.SeedPods, "the layout Legacy has no machines range: machines are ordinary seed pods, kube-apiserver reaches their kubelets "+
				"without the VPN, and a broken VPN is not seen", "use the layout Split, unless you want to reproduce exactly this fault")
		case s.NetworkPlugin == v1alpha1.NetworkPluginPlain:
			r.warn(c.Machines, "the network plugin Plain has no pools and no policies: pods labelled app=machine get addresses of seed pods, nothing "+
				"keeps seed pods from reaching their kubelets, and a broken VPN is not seen", "use the network plugin Calico")
		}
	}
}
