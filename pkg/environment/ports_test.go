// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/engine/stubengine"
	"github.com/gardener/kindling/pkg/portowner"
)

// listening is a port of this machine that the test has, at an address such as 127.0.0.1, or at all addresses of IPv6.
func listening(t *testing.T, address string) uint16 {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Skipf("skipped: this machine has no %s: %v", address, err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return netip.MustParseAddrPort(listener.Addr().String()).Port()
}

func mapped(address string, port uint16) *kindv1alpha4.Cluster {
	return &kindv1alpha4.Cluster{Nodes: []kindv1alpha4.Node{{ExtraPortMappings: []kindv1alpha4.PortMapping{
		{ContainerPort: 30443, HostPort: int32(port), ListenAddress: address},
	}}}}
}

// takenPorts are the words of the error about ports.
func takenPorts(t *testing.T, e *Environment, config *kindv1alpha4.Cluster) []string {
	t.Helper()
	err := e.clusters[0].checkPorts(t.Context(), config)
	taken, ok := errors.AsType[*PortTakenError](err)
	if err != nil && !ok {
		t.Fatal(err)
	}
	if !ok {
		return nil
	}
	return taken.Taken
}

func TestAPortOfAProgramIsNamed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: only Linux tells which program has a port")
	}
	own := " (process " + strconv.Itoa(os.Getpid()) + ")"
	for name, address := range map[string]string{"at the address itself": "127.0.0.1", "at all of IPv4": "0.0.0.0", "at all addresses of both families": "::"} {
		t.Run(name, func(t *testing.T) {
			e, _, _ := withMachine(t, here(t))
			port := listening(t, address)
			taken := takenPorts(t, e, mapped("127.0.0.1", port))
			if len(taken) != 1 || !strings.HasPrefix(taken[0], "127.0.0.1:"+strconv.Itoa(int(port))+" by ") || !strings.HasSuffix(taken[0], own) {
				t.Errorf("%q, want this process%s", taken, own)
			}
		})
	}
}

func TestAPortAtAnAddressThatIsNotHereYetIsNotAskedFor(t *testing.T) {
	e, _, _ := withMachine(t, here(t)) // its loopback interface has none
	address := ownAddress(t)
	if taken := takenPorts(t, e, mapped(address, listening(t, address))); len(taken) > 0 {
		t.Errorf("connected to %q", taken)
	}
}

// ownAddress is one of this machine that is not of its loopback interface.
func ownAddress(t *testing.T) string {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		if prefix, err := netip.ParsePrefix(address.String()); err == nil && prefix.Addr().Is4() && !prefix.Addr().IsLoopback() {
			return prefix.Addr().String()
		}
	}
	t.Skip("skipped: this machine has no IPv4 address beside those of its loopback interface")
	return ""
}

// TestAPortThatIsBoundOnlyIsTaken has a socket that nobody can connect to.
func TestAPortThatIsBoundOnlyIsTaken(t *testing.T) {
	e, _, _ := withMachine(t, here(t))
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = packets.Close() }()
	config := mapped("127.0.0.1", netip.MustParseAddrPort(packets.LocalAddr().String()).Port())
	config.Nodes[0].ExtraPortMappings[0].Protocol = kindv1alpha4.PortMappingProtocolUDP
	if taken := takenPorts(t, e, config); len(taken) != 1 || !strings.Contains(taken[0], "/udp by ") {
		t.Errorf("of UDP: %q", taken)
	}
	config.Nodes[0].ExtraPortMappings[0].Protocol = kindv1alpha4.PortMappingProtocolTCP
	if taken := takenPorts(t, e, config); len(taken) > 0 {
		t.Errorf("of TCP, which nobody has: %q", taken)
	}
}

func TestAPortOfAnotherAddressIsFree(t *testing.T) {
	e, _, _ := withMachine(t, here(t))
	if taken := takenPorts(t, e, mapped("::1", listening(t, "127.0.0.1"))); len(taken) > 0 {
		t.Errorf("taken %q", taken)
	}
}

func TestProgramsOfThisMachineAreNotOnAnotherEnginesHost(t *testing.T) {
	e, _, _ := withMachine(t, stubengine.State{Endpoint: "ssh://me@big.example.com"})
	if taken := takenPorts(t, e, mapped("127.0.0.1", listening(t, "127.0.0.1"))); len(taken) > 0 {
		t.Errorf("taken %q", taken)
	}
}

func TestAContainerThatHasAPortIsNamed(t *testing.T) {
	e, _, stub := withMachine(t, here(t))
	if err := stub.Change(func(state *stubengine.State) {
		state.Containers = []stubengine.Container{{
			ID: "1", Name: "other", Image: "example.com/other", State: running, Ports: []stubengine.Port{{Container: "443/tcp", HostIP: "127.18.255.1", HostPort: "443"}},
		}}
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"127.18.255.1:443 by container other (example.com/other)"}, takenPorts(t, e, mapped("127.18.255.1", 443))); diff != "" {
		t.Error(diff)
	}
}

func TestPublishes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, host, protocol, wanted string
		want                         bool
	}{
		{"the address itself", "127.0.0.1:53", portowner.UDP, "127.0.0.1:53", true},
		{"all addresses of the family", "0.0.0.0:53", portowner.UDP, "127.0.0.1:53", true},
		{"all addresses of the other family", "[::]:53", portowner.UDP, "127.0.0.1:53", false},
		{"another address", "127.0.0.2:53", portowner.UDP, "127.0.0.1:53", false},
		{"another port", "127.0.0.1:54", portowner.UDP, "127.0.0.1:53", false},
		{"another protocol", "127.0.0.1:53", portowner.TCP, "127.0.0.1:53", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			container := engine.Container{Ports: []engine.PublishedPort{{Host: netip.MustParseAddrPort(test.host), Container: 53, Protocol: test.protocol}}}
			if got := publishes(container, netip.MustParseAddrPort(test.wanted), portowner.UDP); got != test.want {
				t.Errorf("%t, want %t", got, test.want)
			}
		})
	}
}
