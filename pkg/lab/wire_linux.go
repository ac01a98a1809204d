// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"fmt"
	"hash/fnv"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"
	"go4.org/netipx"
	"golang.org/x/sys/unix"
)

// calicoGateway is the next hop of every pod that Calico wires. Nobody has the address: the node answers for it by proxy ARP.
const calicoGateway = "169.254.1.1"

// protocolCalico marks Calico's routes, as Felix does.
const protocolCalico = 80

// wireNode connects a node to the bridge of the container network.
func wireNode(bridge, node *namespace, b box, gateway netip.Prefix) error {
	port := hostSide(b.name)
	if err := bridge.do(func() error {
		return steps(
			func() error { return addVeth(port, "eth0", node) },
			func() error { return enslave(port, bridgeName) },
			func() error { return up(port) },
		)
	}); err != nil {
		return err
	}
	return node.do(func() error {
		return steps(
			func() error { return up("lo") },
			func() error { return addAddress("eth0", netip.PrefixFrom(b.address, gateway.Bits())) },
			func() error { return up("eth0") },
			// Without a default route the node would not answer for the pods' next hop.
			func() error { return addRoute(route{to: everywhere(), via: gateway.Addr(), device: "eth0"}) },
			forward,
		)
	})
}

// wirePod connects a pod to its node as Calico's CNI plugin does: an address of its own only, and a next hop that its node answers
// for.
func wirePod(node, pod *namespace, b box) error {
	device := hostSide(b.name)
	if err := node.do(func() error {
		return steps(
			func() error { return addVeth(device, "eth0", pod) },
			func() error { return sysctl("ipv4/conf/"+device+"/proxy_arp", "1") },
			// By default the kernel waits up to 0.8 s before it answers for another.
			func() error { return sysctl("ipv4/neigh/"+device+"/proxy_delay", "0") },
			func() error { return sysctl("ipv4/conf/"+device+"/rp_filter", "1") },
			func() error { return up(device) },
			func() error { return addRoute(route{to: host(b.address), device: device, protocol: protocolCalico}) },
		)
	}); err != nil {
		return err
	}
	gateway := netip.MustParseAddr(calicoGateway)
	return pod.do(func() error {
		return steps(
			func() error { return up("lo") },
			func() error { return addAddress("eth0", host(b.address)) },
			func() error { return up("eth0") },
			func() error { return addRoute(route{to: host(gateway), device: "eth0"}) },
			func() error { return addRoute(route{to: everywhere(), via: gateway, device: "eth0"}) },
		)
	})
}

// routeBlocks makes the routes of the nodes' blocks: each to its node, and a drop at its node for addresses that no pod has.
func routeBlocks(node *namespace, self box, nodes []box) error {
	return node.do(func() error {
		for _, other := range nodes {
			for _, prefix := range other.blocks {
				r := route{to: prefix, via: other.address, device: "eth0", protocol: protocolCalico}
				if other.name == self.name {
					r = route{to: prefix, kind: unix.RTN_BLACKHOLE, protocol: protocolCalico}
				}
				if err := addRoute(r); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// steps runs functions until one fails.
func steps(list ...func() error) error {
	for _, step := range list {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// hostSide is the name of the host's side of a pod's or node's interface: short enough for the kernel, and Calico's prefix.
func hostSide(name string) string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(name)) // never fails
	return fmt.Sprintf("cali%011x", sum.Sum64()>>20)
}

func addVeth(name, peer string, in *namespace) error {
	link := &netlink.Veth{
		LinkAttrs: netlink.LinkAttrs{Name: name}, PeerName: peer, PeerNamespace: netlink.NsFd(int(in.file.Fd())),
	}
	return explain(netlink.LinkAdd(link), "making the pair of interfaces %s and %s", name, peer)
}

func enslave(name, master string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return explain(err, "looking for interface %s", name)
	}
	to, err := netlink.LinkByName(master)
	if err != nil {
		return explain(err, "looking for interface %s", master)
	}
	return explain(netlink.LinkSetMaster(link, to), "making %s a port of %s", name, master)
}

func up(name string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return explain(err, "looking for interface %s", name)
	}
	return explain(netlink.LinkSetUp(link), "setting %s up", name)
}

func addAddress(device string, address netip.Prefix) error {
	link, err := netlink.LinkByName(device)
	if err != nil {
		return explain(err, "looking for interface %s", device)
	}
	return explain(netlink.AddrAdd(link, &netlink.Addr{IPNet: netipx.PrefixIPNet(address)}), "giving %s the address %s", device, address)
}

// everywhere is the destination of a default route.
func everywhere() netip.Prefix { return netip.PrefixFrom(netip.IPv4Unspecified(), 0) }

// route is a route of the table main. A device without next hop has its destinations on the link.
type route struct {
	to       netip.Prefix
	via      netip.Addr
	device   string
	kind     int
	protocol int
}

func addRoute(r route) error {
	entry := &netlink.Route{
		Dst: netipx.PrefixIPNet(r.to), Type: unix.RTN_UNICAST, Scope: netlink.SCOPE_LINK,
		Protocol: netlink.RouteProtocol(unix.RTPROT_BOOT),
	}
	if r.kind != 0 {
		entry.Type, entry.Scope = r.kind, netlink.SCOPE_UNIVERSE
	}
	if r.protocol != 0 {
		entry.Protocol = netlink.RouteProtocol(r.protocol)
	}
	if r.via.IsValid() {
		entry.Gw, entry.Scope = r.via.AsSlice(), netlink.SCOPE_UNIVERSE
	}
	if r.device != "" {
		link, err := netlink.LinkByName(r.device)
		if err != nil {
			return explain(err, "looking for interface %s", r.device)
		}
		entry.LinkIndex = link.Attrs().Index
	}
	return explain(netlink.RouteAdd(entry), "adding the route to %s", r.to)
}

func host(address netip.Addr) netip.Prefix { return netip.PrefixFrom(address, address.BitLen()) }

func forward() error { return sysctl("ipv4/ip_forward", "1") }

// sysctl sets a kernel setting of the network namespace that the thread is in; name is a path below /proc/sys/net.
func sysctl(name, value string) error {
	path := filepath.Join("/proc/sys/net", name)
	return explain(os.WriteFile(path, []byte(value), 0), "setting %s to %s", path, value)
}

// explain says what failed; the errors of netlink and of system calls are bare numbers in words.
func explain(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
