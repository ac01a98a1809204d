// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"fmt"
	"net/netip"

	"go4.org/netipx"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
)

// Names of the network namespaces.
const (
	// ContainerNetwork is the bridge of the container engine, with the nodes as its ports.
	ContainerNetwork = "container-network"
	SeedNode1        = "seed-node-1"
	SeedNode2        = "seed-node-2"
	KubeAPIServer    = "kube-apiserver"
	// VPNSeedServer is the one VPN server without high availability; with it there are vpn-seed-server-0 and -1.
	VPNSeedServer = "vpn-seed-server"
	// IstioIngressGateway is where the shoot's end of the VPN dials in.
	IstioIngressGateway = "istio-ingressgateway"
	// Prometheus is a seed pod that has nothing to do with the VPN, on the node of the machine.
	Prometheus    = "prometheus"
	Machine       = "machine"
	VPNShoot      = "vpn-shoot"
	MetricsServer = "metrics-server"
)

// Ports of the servers.
const (
	kubeletPort = 10250
	tunnelPort  = 1194
	proxyPort   = 9443
	gatewayPort = 8132
	servicePort = 443
	metricsPort = 10250
)

// box is a network namespace: a node with an address in the container network, or a pod with one of its node's.
type box struct {
	name    string
	address netip.Addr
	// node is the name of the box that a pod runs on; it is empty for nodes.
	node string
	// blocks are the ranges that a node gives to its pods. Calico routes each to its node, and drops there what no pod has.
	blocks []netip.Prefix
}

// topology is what is built, as data.
type topology struct {
	// gateway is the address of the container network on its bridge.
	gateway netip.Prefix
	nodes   []box
	pods    []box
	// vpnServers are the names of the pods of the VPN server.
	vpnServers []string
	seedPods   netip.Prefix
	shootPods  netip.Prefix
	// tunnelled are the networks that the VPN carries. Nodes of the shoot are among them only where the layout has them.
	tunnelled []netip.Prefix
	// metricsService is the address of the Service of metrics-server.
	metricsService netip.Addr
	guard          bool
}

func newTopology(opts Options) (*topology, error) {
	plan, err := netplan.New(opts.Environment())
	if err != nil {
		return nil, fmt.Errorf("planning the laboratory: %w", err)
	}
	family, _ := plan.Family(v1alpha1.IPv4)
	shoot := plan.Shoots[0]
	first := block(family.SeedPods, 0)
	second := block(family.SeedPods, 1)
	machines := second
	t := &topology{
		gateway:        netip.PrefixFrom(nth(family.Container, 1), family.Container.Bits()),
		vpnServers:     vpnServers(opts.HA),
		seedPods:       family.SeedPods,
		shootPods:      shoot.Pods,
		tunnelled:      []netip.Prefix{shoot.Services, shoot.Pods},
		metricsService: nth(shoot.Services, 50),
		guard:          opts.Guard,
	}
	blocks := []netip.Prefix{second}
	if shoot.Nodes.IsValid() {
		machines = block(shoot.Nodes, 0)
		blocks = append(blocks, machines)
		t.tunnelled = append(t.tunnelled, shoot.Nodes)
	}
	t.nodes = []box{
		{name: SeedNode1, address: nth(family.Container, 2), blocks: []netip.Prefix{first}},
		{name: SeedNode2, address: nth(family.Container, 3), blocks: blocks},
	}
	t.pods = []box{{name: KubeAPIServer, node: SeedNode1, address: nth(first, 5)}}
	for i, name := range t.vpnServers {
		t.pods = append(t.pods, box{name: name, node: SeedNode1, address: nth(first, 6+i)})
	}
	t.pods = append(t.pods,
		box{name: IstioIngressGateway, node: SeedNode1, address: nth(first, 9)},
		box{name: Prometheus, node: SeedNode2, address: nth(second, 8)},
		box{name: Machine, node: SeedNode2, address: nth(machines, 7)},
		box{name: VPNShoot, node: Machine, address: nth(shoot.Pods, 10)},
		box{name: MetricsServer, node: Machine, address: nth(shoot.Pods, 20)},
	)
	return t, nil
}

func vpnServers(ha bool) []string {
	if ha {
		return []string{VPNSeedServer + "-0", VPNSeedServer + "-1"}
	}
	return []string{VPNSeedServer}
}

// box returns a box by its name; the names are the constants of this package.
func (t *topology) box(name string) box {
	for _, list := range [][]box{t.nodes, t.pods} {
		for _, candidate := range list {
			if candidate.name == name {
				return candidate
			}
		}
	}
	return box{}
}

// Names lists the network namespaces of a laboratory.
func Names(ha bool) []string {
	names := []string{ContainerNetwork, SeedNode1, SeedNode2, KubeAPIServer}
	names = append(names, vpnServers(ha)...)
	return append(names, IstioIngressGateway, Prometheus, Machine, VPNShoot, MetricsServer)
}

// block returns the n-th block of a range, of the size that Calico gives to nodes by default.
func block(prefix netip.Prefix, n int) netip.Prefix {
	current := netip.PrefixFrom(prefix.Addr(), 26)
	for range n {
		current = netip.PrefixFrom(netipx.PrefixLastIP(current).Next(), 26)
	}
	return current
}

// nth returns the n-th address of a range.
func nth(prefix netip.Prefix, n int) netip.Addr {
	address := prefix.Addr()
	for range n {
		address = address.Next()
	}
	return address
}
