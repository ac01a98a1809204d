// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package plain_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/plain"
)

func prefixes(texts ...string) []netip.Prefix {
	var result []netip.Prefix
	for _, text := range texts {
		result = append(result, netip.MustParsePrefix(text))
	}
	return result
}

func nodes(count int) []plain.Node {
	var result []plain.Node
	for i := range count {
		result = append(result, plain.Node{Name: fmt.Sprintf("n%d", count-i), Addresses: []netip.Addr{netip.AddrFrom4([4]byte{172, 18, 0, byte(count - i)})}})
	}
	return result
}

func TestAssign(t *testing.T) {
	for name, test := range map[string]struct {
		seedPods []netip.Prefix
		nodes    int
		want     map[string][]string
	}{
		"a /24 for each node, by name":     {prefixes("10.1.0.0/16"), 2, map[string][]string{"n1": {"10.1.0.0/24"}, "n2": {"10.1.1.0/24"}}},
		"a /64 for each node":              {prefixes("fd00:10:1::/56"), 2, map[string][]string{"n1": {"fd00:10:1::/64"}, "n2": {"fd00:10:1:1::/64"}}},
		"both families":                    {prefixes("fd00:10:1::/56", "10.1.0.0/16"), 1, map[string][]string{"n1": {"fd00:10:1::/64", "10.1.0.0/24"}}},
		"small seed pods are cut smaller":  {prefixes("10.1.0.0/24"), 3, map[string][]string{"n1": {"10.1.0.0/26"}, "n2": {"10.1.0.64/26"}, "n3": {"10.1.0.128/26"}}},
		"a single node takes all of a /24": {prefixes("10.1.0.0/24"), 1, map[string][]string{"n1": {"10.1.0.0/24"}}},
	} {
		t.Run(name, func(t *testing.T) {
			assigned, err := plain.Assign(test.seedPods, nodes(test.nodes))
			if err != nil {
				t.Fatal(err)
			}
			have := map[string][]string{}
			for _, node := range assigned {
				for _, prefix := range node.Ranges {
					have[node.Name] = append(have[node.Name], prefix.String())
				}
			}
			if diff := cmp.Diff(test.want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := plain.Assign(prefixes("10.1.0.0/30"), nodes(3)); err == nil {
		t.Error("three nodes fit into four addresses")
	}
}

func TestRoutesLeadToAllOthers(t *testing.T) {
	assigned, err := plain.Assign(prefixes("10.1.0.0/16"), nodes(3))
	if err != nil {
		t.Fatal(err)
	}
	want := []plain.Route{
		{Destination: netip.MustParsePrefix("10.1.0.0/24"), Via: netip.MustParseAddr("172.18.0.1")},
		{Destination: netip.MustParsePrefix("10.1.2.0/24"), Via: netip.MustParseAddr("172.18.0.3")},
	}
	if diff := cmp.Diff(want, plain.Routes(assigned[1], assigned), cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }), cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
}

func TestConfigIsACNIList(t *testing.T) {
	data, err := plain.Config(plain.Node{Name: "n", Ranges: prefixes("10.1.0.0/24", "fd00:10:1::/64")})
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		CNIVersion string
		Plugins    []struct {
			Type string
			IPAM struct {
				Ranges [][]struct{ Subnet string }
				Routes []struct{ Dst string }
			}
		}
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Plugins) != 2 || list.Plugins[0].Type != "ptp" || list.Plugins[0].IPAM.Ranges[1][0].Subnet != "fd00:10:1::/64" || list.Plugins[0].IPAM.Routes[1].Dst != "::/0" {
		t.Errorf("%s", data)
	}
}
