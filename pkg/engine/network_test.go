// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/engine/stubengine"
)

func spec(ranges ...string) engine.NetworkSpec {
	return engine.NetworkSpec{Name: "kind", Prefixes: prefixes(ranges...), Masquerade: true, Labels: map[string]string{"b": "2", "a": "1"}}
}

func TestDifferences(t *testing.T) {
	wanted := spec("172.18.0.0/24", "fd00:10::/64")
	for name, test := range map[string]struct {
		change func(*engine.Network)
		want   []engine.Difference
	}{
		"none": {func(*engine.Network) {}, nil},
		"the order of ranges never matters": {
			func(n *engine.Network) { n.Prefixes = prefixes("fd00:10::/64", "172.18.0.0/24") }, nil,
		},
		"addresses behind the length never matter": {
			func(n *engine.Network) { n.Prefixes = prefixes("172.18.0.1/24", "fd00:10::1/64") }, nil,
		},
		"labels never matter": {func(n *engine.Network) { n.Labels = nil }, nil},
		"another length": {
			func(n *engine.Network) { n.Prefixes = prefixes("172.18.0.0/16", "fd00:10::/64") },
			[]engine.Difference{{Field: "ranges", Have: "172.18.0.0/16 and fd00:10::/64", Want: "172.18.0.0/24 and fd00:10::/64"}},
		},
		"no IPv6": {
			func(n *engine.Network) { n.Prefixes, n.IPv6 = prefixes("172.18.0.0/24"), false },
			[]engine.Difference{
				{Field: "ranges", Have: "172.18.0.0/24", Want: "172.18.0.0/24 and fd00:10::/64"},
				{Field: "IPv6", Have: "false", Want: "true"},
			},
		},
		"another driver": {
			func(n *engine.Network) { n.Driver = "macvlan" }, []engine.Difference{{Field: "driver", Have: "macvlan", Want: "bridge"}},
		},
		"no masquerading": {
			func(n *engine.Network) { n.Masquerade = false }, []engine.Difference{{Field: "masquerade", Have: "false", Want: "true"}},
		},
		"no way out": {
			func(n *engine.Network) { n.Internal = true }, []engine.Difference{{Field: "internal", Have: "true", Want: "false"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			network := engine.Network{Name: "kind", Driver: "bridge", Prefixes: wanted.Prefixes, IPv6: true, Masquerade: true}
			test.change(&network)
			if diff := cmp.Diff(test.want, network.Differences(wanted)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCreatesNetworksInTheWordsOfEachEngine(t *testing.T) {
	for name, want := range map[string]string{
		engine.Docker: "network create --driver bridge --ipv6 --subnet 172.18.0.0/24 --gateway 172.18.0.1 --subnet fd00:10::/64 --gateway fd00:10::1" +
			" --opt com.docker.network.bridge.enable_ip_masquerade=true --label a=1 --label b=2 kind",
		engine.Podman: "network create --driver bridge --ipv6 --subnet 172.18.0.0/24 --gateway 172.18.0.1 --subnet fd00:10::/64 --gateway fd00:10::1" +
			" --label a=1 --label b=2 kind",
		engine.Nerdctl: "network create --driver bridge --ipv6 --subnet 172.18.0.0/24 --subnet fd00:10::/64 --label a=1 --label b=2 kind",
	} {
		runner := &recorder{}
		if err := engine.New(name, runner).CreateNetwork(t.Context(), spec("172.18.0.0/24", "fd00:10::/64")); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{want}, runner.calls); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestTellsWhyANetworkCanNotBeMade(t *testing.T) {
	overlap := func(err error) bool { _, ok := errors.AsType[*engine.OverlapError](err); return ok }
	noIPv6 := func(err error) bool { _, ok := errors.AsType[*engine.IPv6Error](err); return ok }
	other := func(err error) bool { return !overlap(err) && !noIPv6(err) }
	for stderr, is := range map[string]func(error) bool{
		"Error response from daemon: Pool overlaps with other one on this address space":                                              overlap,
		"Error response from daemon: invalid pool request: Pool overlaps with other one on this address space":                        overlap,
		"Error response from daemon: cannot create network 1 (br-1): conflicts with network 2 (br-2): networks have overlapping IPv4": overlap,
		"Error: subnet 172.18.0.0/24 is already used on the host or by another config":                                                overlap,
		`level=fatal msg="subnet 172.18.0.0/24 overlaps with other one on this address space"`:                                        overlap,
		"Error response from daemon: Cannot read IPv6 setup for bridge br-1: open /proc/sys/net/ipv6/conf/br-1/disable_ipv6":          noIPv6,
		"Error response from daemon: Failed to Setup IP tables: Unable to enable NAT rule: (iptables failed: ip6tables --wait":        noIPv6,
		"Error response from daemon: network with name kind already exists":                                                           other,
		"Error: network name kind already used: network already exists":                                                               other,
	} {
		runner := &recorder{answers: map[string]answer{"network create": {stderr: stderr}}}
		err := engine.New(engine.Docker, runner).CreateNetwork(t.Context(), spec("172.18.0.0/24", "fd00:10::/64"))
		if err == nil || !is(err) {
			t.Errorf("%s: %T", stderr, errors.Unwrap(err))
		}
		if failed, ok := errors.AsType[*engine.CommandError](err); !ok || failed.Output != stderr {
			t.Errorf("%s: the cause is lost in %v", stderr, err)
		}
	}
}

func TestNamesTheNetworksThatAreInTheWay(t *testing.T) {
	stubengine.Start(t, stubengine.State{Networks: []stubengine.Network{
		{ID: "1", Name: "office", Subnets: prefixes("172.18.0.0/16")}, {ID: "2", Name: "elsewhere", Subnets: prefixes("10.9.0.0/16")},
	}})
	err := engine.New(engine.Docker, engine.CLI{Program: "docker"}).CreateNetwork(t.Context(), spec("172.18.0.0/24", "fd00:10::/64"))
	overlap, ok := errors.AsType[*engine.OverlapError](err)
	if !ok {
		t.Fatalf("no overlap: %v", err)
	}
	if diff := cmp.Diff([]string{"office 172.18.0.0/16"}, overlap.Others); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(err.Error(), "office 172.18.0.0/16") {
		t.Errorf("the message does not name it: %v", err)
	}
}

func TestTheLifeOfANetwork(t *testing.T) {
	stubengine.Start(t, stubengine.State{})
	docker := engine.New(engine.Docker, engine.CLI{Program: "docker"})
	wanted := spec("172.18.0.0/24", "fd00:10::/64")
	if _, err := docker.Network(t.Context(), "kind"); !isNotFound(err) {
		t.Errorf("a network that is not there: %v", err)
	}
	if err := docker.CreateNetwork(t.Context(), wanted); err != nil {
		t.Fatal(err)
	}
	network, err := docker.Network(t.Context(), "kind")
	if err != nil {
		t.Fatal(err)
	}
	if differences := network.Differences(wanted); differences != nil {
		t.Errorf("differs from what was asked for: %v", differences)
	}
	if diff := cmp.Diff(wanted.Labels, network.Labels); diff != "" {
		t.Error(diff)
	}
	if err := docker.RemoveNetwork(t.Context(), network.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := docker.Network(t.Context(), "kind"); !isNotFound(err) {
		t.Errorf("a network that was removed: %v", err)
	}
}

func TestRefusesTwoNetworksOfOneName(t *testing.T) {
	stubengine.Start(t, stubengine.State{Networks: []stubengine.Network{
		{ID: "1", Name: "kind", Subnets: prefixes("172.18.0.0/16")}, {ID: "2", Name: "kind", Subnets: prefixes("10.9.0.0/16")},
	}})
	_, err := engine.New(engine.Docker, engine.CLI{Program: "docker"}).Network(t.Context(), "kind")
	if err == nil || !strings.Contains(err.Error(), "2 networks called kind") {
		t.Errorf("two networks of one name: %v", err)
	}
}

func isNotFound(err error) bool {
	_, ok := errors.AsType[*engine.NotFoundError](err)
	return ok
}
