// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package checkout

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
)

// Request is what hack/kind-up.sh is told beside the values.
type Request struct {
	ClusterName string
	// Families is $IPFAMILY: ipv4, ipv6 or dual; empty is what the values say.
	Families []v1alpha1.IPFamily
	// SkipRegistry is --skip-registry.
	SkipRegistry bool
}

// Environment returns the environment of one cluster, named as the cluster, that has what the chart would make of the values. Values that ask
// for what kindling does otherwise are errors with their paths.
func (c Checkout) Environment(values Values, request Request) (*v1alpha1.Environment, error) {
	env := &v1alpha1.Environment{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.Kind, Metadata: v1alpha1.Metadata{Name: request.ClusterName}}
	spec := &env.Spec
	spec.Gardener = v1alpha1.Gardener{Version: c.Version.String(), Dir: c.Dir, Cluster: GardenOf(request.ClusterName)}
	spec.NodeImage = values.Image
	families := request.Families
	if len(families) == 0 {
		var err error
		if families, err = Families(values.Networking.IPFamily, c.Version); err != nil {
			return nil, fmt.Errorf("networking.ipFamily: %w", err)
		}
	}
	spec.IPFamilies = families
	if err := setRanges(&spec.Networks, values.Networking, families); err != nil {
		return nil, err
	}
	parts := c.parts(values)
	if err := c.unheeded(values, parts, families); err != nil {
		return nil, err
	}
	cluster := v1alpha1.Cluster{Name: request.ClusterName, Parts: parts, Nodes: []v1alpha1.Node{{Role: "control-plane"}}}
	for _, worker := range values.Workers {
		cluster.Nodes = append(cluster.Nodes, v1alpha1.Node{Role: "worker", Zone: worker.Zone})
	}
	if onlyIPv4(families) {
		// Those of the other families' files replace the addresses of zones: what is left out here is derived for each family.
		cluster.ListenAddresses = values.Gardener.Seed.Istio.ListenAddresses
	}
	spec.Clusters = []v1alpha1.Cluster{cluster}
	hasGarden := spec.Gardener.Cluster == request.ClusterName
	// A second cluster is skipped for the registry of the first: it is one for all, and the nodes are told of it.
	if hasGarden && (request.SkipRegistry || is(values.Registry.Deployed, false)) {
		spec.Registry.Enabled = new(false)
	}
	spec.Shoots = shoots(hasGarden, values.Workers)
	return env, nil
}

// GardenOf returns the kind cluster of the garden for a seed's cluster: hack/kind-up.sh goes by the names.
func GardenOf(cluster string) string {
	if cluster == "gardener-local-multi-node2" {
		return "gardener-operator-local"
	}
	return strings.Replace(cluster, "local2", "local", 1)
}

// parts of Gardener on the cluster. Without a word on it, the control plane is in the kind cluster itself.
func (c Checkout) parts(values Values) []v1alpha1.Part {
	parts := []v1alpha1.Part{}
	add := func(part v1alpha1.Part, wanted bool) {
		if wanted {
			parts = append(parts, part)
		}
	}
	known := values.Gardener
	add(v1alpha1.PartControlPlane, is(known.ControlPlane.Deployed, true) && !is(known.ControlPlane.KindIsGardenCluster, false))
	add(v1alpha1.PartGarden, is(known.Garden.Deployed, true))
	// With load balancers in containers the chart has no values of seeds any more.
	add(v1alpha1.PartSeed, is(known.Seed.Deployed, true) || known.Seed.Deployed == nil && c.Version.Has(gardener.LoadBalancerContainers))
	add(v1alpha1.PartAPIServerRelay, is(known.APIServerRelay.Deployed, true))
	add(v1alpha1.PartBackupBucket, is(values.BackupBucket.Deployed, true))
	return parts
}

func is(value *bool, want bool) bool { return value != nil && *value == want }

// shoots names one on the garden's own seed, as available as its nodes allow. The seed of a second cluster gets one by migration.
func shoots(hasGarden bool, workers []Worker) []v1alpha1.Shoot {
	if !hasGarden {
		return []v1alpha1.Shoot{}
	}
	shoot := v1alpha1.Shoot{Name: "local", FailureTolerance: v1alpha1.FailureToleranceNone}
	for _, worker := range workers {
		switch {
		case worker.Zone != "" && worker.Zone != "0":
			shoot.FailureTolerance = v1alpha1.FailureToleranceZone
		case shoot.FailureTolerance == v1alpha1.FailureToleranceNone:
			shoot.FailureTolerance = v1alpha1.FailureToleranceNode
		}
	}
	return []v1alpha1.Shoot{shoot}
}

// setRanges sets the ranges of the families that the environment has.
func setRanges(networks *v1alpha1.Networks, networking Networking, families []v1alpha1.IPFamily) error {
	for _, subnet := range []struct {
		field, text string
		set         func(*v1alpha1.FamilyNetworks, string)
	}{
		{"networking.podSubnet", networking.PodSubnet, func(n *v1alpha1.FamilyNetworks, cidr string) { n.Pods = cidr }},
		{"networking.serviceSubnet", networking.ServiceSubnet, func(n *v1alpha1.FamilyNetworks, cidr string) { n.Services = cidr }},
	} {
		for text := range strings.SplitSeq(subnet.text, ",") {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			prefix, err := netip.ParsePrefix(text)
			if err != nil {
				return fmt.Errorf("%s: %q is no CIDR", subnet.field, text)
			}
			for _, family := range families {
				switch {
				case family == v1alpha1.IPv4 && prefix.Addr().Is4():
					subnet.set(&networks.IPv4, text)
				case family == v1alpha1.IPv6 && prefix.Addr().Is6():
					subnet.set(&networks.IPv6, text)
				}
			}
		}
	}
	return nil
}

// Families reads ipv4, ipv6 or dual, the words of $IPFAMILY. Of both, IPv6 comes first from v1.112 on.
func Families(text string, version gardener.Version) ([]v1alpha1.IPFamily, error) {
	switch text {
	case "", "ipv4":
		return []v1alpha1.IPFamily{v1alpha1.IPv4}, nil
	case "ipv6":
		return []v1alpha1.IPFamily{v1alpha1.IPv6}, nil
	case "dual":
		if version.Has(ipv6First) {
			return []v1alpha1.IPFamily{v1alpha1.IPv6, v1alpha1.IPv4}, nil
		}
		return []v1alpha1.IPFamily{v1alpha1.IPv4, v1alpha1.IPv6}, nil
	}
	return nil, fmt.Errorf("%q is no IP family: choose ipv4, ipv6 or dual", text)
}

const ipv6First gardener.Feature = 112
