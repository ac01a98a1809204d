// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"sigs.k8s.io/kind/pkg/cluster/constants"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/netplan"
)

// nodeRecord is a node as it was when its certificates were made.
type nodeRecord struct {
	// ID of the container.
	ID string `json:"id"`
	// Addresses in the container network.
	Addresses []netip.Addr `json:"addresses"`
}

// placed notes nodes with their addresses. Those on record keep what they have there, unless the container is another one.
func (r *record) placed(name string, containers []engine.Container) error {
	return r.changeCluster(name, func(cluster *clusterRecord) {
		if cluster.Nodes == nil {
			cluster.Nodes = map[string]nodeRecord{}
		}
		for _, c := range containers {
			if addresses := c.Addresses[netplan.ContainerNetwork]; len(addresses) > 0 && cluster.Nodes[c.Name].ID != c.ID {
				cluster.Nodes[c.Name] = nodeRecord{c.ID, addresses}
			}
		}
	})
}

// knows says whether all containers are on record.
func (r clusterRecord) knows(containers []engine.Container) bool {
	return !slices.ContainsFunc(containers, func(c engine.Container) bool { return r.Nodes[c.Name].ID != c.ID })
}

// addresses of a node on record; none of a container that is not the one.
func (r clusterRecord) addresses(c engine.Container) []netip.Addr {
	if known := r.Nodes[c.Name]; known.ID == c.ID {
		return known.Addresses
	}
	return nil
}

// moved returns the running nodes that have other addresses than on record.
func (r clusterRecord) moved(containers []engine.Container) []engine.Container {
	return slices.DeleteFunc(slices.Clone(containers), func(c engine.Container) bool {
		want, have := r.addresses(c), c.Addresses[netplan.ContainerNetwork]
		return len(want) == 0 || len(have) == 0 || slices.Equal(want, have)
	})
}

// startOrder puts control planes first, then what balances between them, then workers; among these the old addresses decide, since an
// engine that chooses gives the lowest that is free. That might be another node's: so those that can't have their own come last.
func (r clusterRecord) startOrder(nodes []engine.Container, displaced []string) []engine.Container {
	rank := map[string]int{constants.ControlPlaneNodeRoleValue: 0, constants.ExternalLoadBalancerNodeRoleValue: 1, constants.WorkerNodeRoleValue: 2}
	ordered := slices.Clone(nodes)
	slices.SortStableFunc(ordered, func(a, b engine.Container) int {
		return cmp.Or(
			cmp.Compare(slices.Index(displaced, a.Name), slices.Index(displaced, b.Name)),
			cmp.Compare(rank[a.Labels[kindRoleLabel]], rank[b.Labels[kindRoleLabel]]),
			slices.CompareFunc(r.addresses(a), r.addresses(b), netip.Addr.Compare),
			strings.Compare(a.Name, b.Name))
	})
	return ordered
}

// place gives stopped nodes the addresses on record for good: certificates and members of etcd name them. An address that somebody else
// has meanwhile can't be given: such a node takes what is free, and is named. Nodes that are not on record are left alone.
func (c *cluster) place(ctx context.Context, known clusterRecord, stopped []engine.Container) (displaced []string, err error) {
	if !c.env.Engine.CanReconnect() || len(known.Nodes) == 0 || len(stopped) == 0 {
		return nil, nil
	}
	others, err := c.env.Engine.Attached(ctx, netplan.ContainerNetwork)
	if err != nil {
		return nil, err
	}
	for _, node := range stopped {
		want, fixed := known.addresses(node), node.Fixed[netplan.ContainerNetwork]
		if len(want) == 0 {
			continue
		}
		if _, taken := holderOf(others, node, want); taken {
			want, displaced = nil, append(displaced, node.Name)
		}
		_, attached := node.Addresses[netplan.ContainerNetwork]
		if attached && slices.Equal(want, fixed) {
			continue
		}
		if err := c.env.Engine.Reconnect(ctx, netplan.ContainerNetwork, node.Name, want); err != nil {
			return nil, fmt.Errorf("giving node %s its address %s back: %w", node.Name, joinAddresses(known.addresses(node)), err)
		}
	}
	return displaced, nil
}

// holderOf finds the running container that has one of a node's addresses.
func holderOf(others []engine.Container, node engine.Container, addresses []netip.Addr) (engine.Container, bool) {
	i := slices.IndexFunc(others, func(other engine.Container) bool {
		return other.ID != node.ID && slices.ContainsFunc(other.Addresses[netplan.ContainerNetwork], func(a netip.Addr) bool { return slices.Contains(addresses, a) })
	})
	if i < 0 {
		return engine.Container{}, false
	}
	return others[i], true
}

// tellMoved says of each node that got another address who has the old one, and what names it. kind's nodes write most of that anew when
// they start.
func (c *cluster) tellMoved(ctx context.Context) error {
	known, err := c.env.record.cluster(c.spec.Name)
	if err != nil {
		return err
	}
	nodes, err := c.knownContainers(ctx)
	if err != nil {
		return err
	}
	moved := known.moved(nodes)
	if len(moved) == 0 {
		return nil
	}
	others, err := c.env.Engine.Attached(ctx, netplan.ContainerNetwork)
	if err != nil {
		return err
	}
	for _, node := range moved {
		c.env.notice(movedText(node, known.addresses(node), others))
	}
	return nil
}

func movedText(node engine.Container, old []netip.Addr, others []engine.Container) string {
	text := fmt.Sprintf("node %s has address %s, and had %s", node.Name, joinAddresses(node.Addresses[netplan.ContainerNetwork]), joinAddresses(old))
	if holder, taken := holderOf(others, node, old); taken {
		text += fmt.Sprintf(", which container %s has now", holder.Name)
	}
	affected := "kubelet's flags and kubeconfig (written anew by the node)"
	if node.Labels[kindRoleLabel] == constants.ControlPlaneNodeRoleValue {
		affected += ", the certificate and manifest of the API server (likewise), /etc/kubernetes/pki/etcd/server.crt and peer.crt, " +
			"and the peer addresses in etcd, which only matter where there are several control planes"
	}
	return text + ". This names it: " + affected + ". Free the old address, and run kindling stop and kindling start: the node gets it back"
}

// nodeAddresses are those that nodes have now, by name.
func nodeAddresses(containers []engine.Container) map[string][]netip.Addr {
	addresses := map[string][]netip.Addr{}
	for _, c := range containers {
		addresses[c.Name] = c.Addresses[netplan.ContainerNetwork]
	}
	return addresses
}
