// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/gardener/kindling/pkg/route"
)

// inside is set in the process that runs a test in a network namespace of its own.
const inside = "KINDLING_TEST_IN_NAMESPACE"

// inNamespace runs a test in a new process with a network namespace of its own, and a user namespace where it is not root. A process,
// rather than a thread, leaves no thread of this one in a namespace that is gone.
func inNamespace(t *testing.T, body func(*testing.T)) {
	t.Helper()
	if os.Getenv(inside) != "" {
		body(t)
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=120s")
	command.Env = append(os.Environ(), inside+"=1")
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if os.Geteuid() != 0 {
		command.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	output, err := command.CombinedOutput()
	exit, ran := errors.AsType[*exec.ExitError](err)
	switch {
	case err != nil && !ran:
		t.Skipf("the kernel forbids a network namespace: %v", err)
	case err != nil:
		t.Fatalf("%v\n%s", exit, output)
	case strings.Contains(string(output), "--- SKIP: "+t.Name()+" "):
		t.Skipf("in the namespace:\n%s", output)
	default:
		t.Logf("%s", output)
	}
}

// kernel is a network namespace to put routes into.
type kernel struct {
	handle *netlink.Handle
	links  map[string]int
	names  map[int]string
}

// devices of the namespace: with carrier, except for those whose peer stays down.
func devices() map[string]bool {
	return map[string]bool{"eth0": true, "eth1": false, "bond0": true, "tun0": false, "tap0": true}
}

// newKernel makes veth pairs, as they need no module that might be missing, and gives eth0 and bond0 addresses.
func newKernel(t *testing.T) *kernel {
	t.Helper()
	handle, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(handle.Close)
	k := &kernel{handle: handle, links: map[string]int{}, names: map[int]string{}}
	k.up(t, "lo")
	for name, carrier := range devices() {
		attributes := netlink.NewLinkAttrs()
		attributes.Name = name
		if err := handle.LinkAdd(&netlink.Veth{LinkAttrs: attributes, PeerName: name + "-peer"}); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EOPNOTSUPP) {
			t.Skipf("the kernel makes no veth pair here: %v", err)
		} else if err != nil {
			t.Fatal(err)
		}
		k.up(t, name)
		if carrier {
			k.up(t, name+"-peer")
		}
	}
	k.addAddresses(t)
	return k
}

// addAddresses returns when they are in table local: IPv6 addresses come to it only when the kernel has seen that the link is ready.
func (k *kernel) addAddresses(t *testing.T) {
	t.Helper()
	updates, done := make(chan netlink.RouteUpdate, 100), make(chan struct{})
	defer close(done)
	if err := netlink.RouteSubscribe(updates, done); err != nil {
		t.Fatal(err)
	}
	for name, addresses := range map[string][]string{"eth0": {"10.200.0.1/24", "fd99::1/64"}, "bond0": {"192.168.123.200/26", "fd98::1/64"}} {
		for _, text := range addresses {
			address, err := netlink.ParseAddr(text)
			if err != nil {
				t.Fatal(err)
			}
			if address.IP.To4() == nil {
				address.Flags = unix.IFA_F_NODAD
			}
			err = k.handle.AddrAdd(k.link(name), address)
			if address.IP.To4() == nil && (errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EACCES)) {
				t.Skipf("IPv6 is off: %v", err)
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	timeout := time.After(time.Minute)
	for pending := []string{"fd98::1/128", "fd99::1/128"}; len(pending) > 0; {
		select {
		case update := <-updates:
			pending = slices.DeleteFunc(pending, func(prefix string) bool {
				return update.Type == unix.RTM_NEWROUTE && update.Table == unix.RT_TABLE_LOCAL && update.Dst != nil && update.Dst.String() == prefix
			})
		case <-timeout:
			t.Fatalf("the kernel did not add %v to table local", pending)
		}
	}
}

func (k *kernel) link(name string) netlink.Link {
	attributes := netlink.NewLinkAttrs()
	attributes.Name, attributes.Index = name, k.links[name]
	return &netlink.GenericLink{LinkAttrs: attributes}
}

func (k *kernel) up(t *testing.T, name string) {
	t.Helper()
	link, err := k.handle.LinkByName(name)
	if err == nil {
		err = k.handle.LinkSetUp(link)
	}
	if errors.Is(err, unix.EPERM) {
		t.Skipf("the kernel lets nobody change devices here: %v", err)
	} else if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	k.links[name], k.names[link.Attrs().Index] = link.Attrs().Index, name
}

// own are the routes of the addresses as the kernel makes them, without table local.
func own() string {
	return "10.200.0.0/24 dev eth0 proto kernel scope link src 10.200.0.1\n" +
		"192.168.123.192/26 dev bond0 proto kernel scope link src 192.168.123.200\n" +
		"fd99::/64 dev eth0 proto kernel metric 256 src fd99::1\nfd98::/64 dev bond0 proto kernel metric 256 src fd98::1\n"
}

// ownLocal is its table local.
func ownLocal() string {
	return "local 127.0.0.0/8 dev lo table local\nlocal 127.0.0.1 dev lo table local\nbroadcast 127.255.255.255 dev lo table local\n" +
		"local 10.200.0.1 dev eth0 table local\nbroadcast 10.200.0.255 dev eth0 table local\n" +
		"local 192.168.123.200 dev bond0 table local\nbroadcast 192.168.123.255 dev bond0 table local\n" +
		"local ::1 dev lo table local\nlocal fd99::1 dev eth0 table local\nlocal fd98::1 dev bond0 table local\n"
}

// types of routes and their numbers.
func types() map[route.Type]int {
	return map[route.Type]int{
		"": unix.RTN_UNICAST, route.TypeLocal: unix.RTN_LOCAL, route.TypeBroadcast: unix.RTN_BROADCAST, route.TypeBlackhole: unix.RTN_BLACKHOLE,
		route.TypeUnreachable: unix.RTN_UNREACHABLE, route.TypeProhibit: unix.RTN_PROHIBIT, route.TypeThrow: unix.RTN_THROW,
	}
}

func tables() map[string]int {
	return map[string]int{"": unix.RT_TABLE_MAIN, "local": unix.RT_TABLE_LOCAL, "default": unix.RT_TABLE_DEFAULT, "100": 100}
}

// convert makes a route for the kernel.
func (k *kernel) convert(r route.Route) *netlink.Route {
	converted := &netlink.Route{
		Dst:  &net.IPNet{IP: r.Destination.Addr().AsSlice(), Mask: net.CIDRMask(r.Destination.Bits(), r.Destination.Addr().BitLen())},
		Type: types()[r.Type], Table: tables()[r.Table], Priority: int(r.Metric), LinkIndex: k.links[r.Device], Tos: map[string]int{"0x10": 0x10}[r.TOS],
		Src: r.Source.AsSlice(), Family: unix.AF_INET,
	}
	if r.Destination.Addr().Is6() {
		converted.Family = unix.AF_INET6
	}
	if r.OnLink {
		converted.Flags = unix.RTNH_F_ONLINK
	}
	converted.Gw, converted.Via = gateway(r.Destination.Addr(), r.Gateway)
	switch {
	case r.Type == route.TypeLocal:
		converted.Scope = netlink.SCOPE_HOST
	case r.Destination.Addr().Is4() && r.Device != "" && !r.Gateway.IsValid():
		converted.Scope = netlink.SCOPE_LINK
	}
	for _, hop := range r.NextHops {
		next := &netlink.NexthopInfo{LinkIndex: k.links[hop.Device], Hops: max(int(hop.Weight)-1, 0)}
		next.Gw, next.Via = gateway(r.Destination.Addr(), hop.Gateway)
		if hop.OnLink {
			next.Flags = unix.RTNH_F_ONLINK
		}
		converted.MultiPath = append(converted.MultiPath, next)
	}
	return converted
}

// gateway returns a gateway in the form for its family and that of the destination.
func gateway(destination, address netip.Addr) (net.IP, netlink.Destination) {
	switch {
	case !address.IsValid():
		return nil, nil
	case destination.Is4() && address.Is6():
		return nil, &netlink.Via{AddrFamily: unix.AF_INET6, Addr: address.AsSlice()}
	default:
		return address.AsSlice(), nil
	}
}
