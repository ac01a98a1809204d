// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package loopback_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/loopback"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/profiles"
	"github.com/gardener/kindling/pkg/render"
)

// addresses of an environment given as the spec of its file.
func addresses(t *testing.T, spec string) string {
	t.Helper()
	env, err := v1alpha1.Load([]byte("apiVersion: kindling.gardener.cloud/v1alpha1\nkind: Environment\nmetadata: {name: test}\nspec: "+spec), "env.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := netplan.New(env)
	if err != nil {
		t.Fatal(err)
	}
	return loopback.Join(loopback.Addresses(plan, render.Published(env, plan)), " ")
}

func TestEachVersionNeedsAddressesOfItsOwn(t *testing.T) {
	zones := `clusters: [{name: gardener-local, nodes: [{role: control-plane, zone: "0"}, {role: worker, zone: "1"}, {role: worker, zone: "2"}]}]`
	for name, c := range map[string]struct {
		spec string
		want string
	}{
		"v1.93 has one beside the host's own for a second cluster": {
			`{gardener: {version: v1.93.0}, clusters: [{name: gardener-local}, {name: gardener-local2}]}`, "127.0.0.2",
		},
		"v1.93 with zones":                {`{gardener: {version: v1.93.0}, ` + zones + `}`, "127.0.0.10 127.0.0.11 127.0.0.12"},
		"v1.93 with zones, IPv6":          {`{gardener: {version: v1.93.0}, ipFamilies: [IPv6], ` + zones + `}`, "::10 ::11 ::12"},
		"v1.101 publishes in the range":   {`{gardener: {version: v1.101.0}}`, "172.18.255.1"},
		"v1.128 has bastions":             {`{gardener: {version: v1.128.0}}`, "172.18.255.1 172.18.255.22"},
		"v1.138 has a DNS server":         {`{gardener: {version: v1.138.0}}`, "172.18.255.1 172.18.255.22 172.18.255.53"},
		"v1.138 without DNS":              {`{gardener: {version: v1.138.0}, dns: {enabled: false}}`, "172.18.255.1 172.18.255.22"},
		"v1.138 with IPv6 in the range":   {`{gardener: {version: v1.138.0}, ipFamilies: [IPv6]}`, "fd00:ff::1 fd00:ff::22 fd00:ff::53"},
		"an address of the user's is his": {`{gardener: {version: v1.128.0}, clusters: [{name: a, listenAddresses: [192.0.2.7], parts: [ControlPlane, Seed]}]}`, "172.18.255.1 172.18.255.22"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, addresses(t, c.spec)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLoadBalancersHaveThirtyTwoAddresses(t *testing.T) {
	for spec, want := range map[string]struct {
		count       int
		first, last string
	}{
		`{gardener: {version: v1.149.0}}`:                                                                     {33, "172.18.255.53", "172.18.255.255"},
		`{gardener: {version: v1.149.0}, ipFamilies: [IPv6]}`:                                                 {33, "fd00:ff::53", "fd00:ff::ff"},
		`{gardener: {version: v1.149.0}, ipFamilies: [IPv4, IPv6]}`:                                           {66, "172.18.255.53", "fd00:ff::ff"},
		`{gardener: {version: v1.149.0}, networks: {ipv4: {loadBalancers: 172.30.7.0/24}}}`:                   {33, "172.30.7.53", "172.30.7.255"},
		`{gardener: {version: v1.149.0}, clusters: [{name: a}, {name: b}], networks: {ipv4: {}}, shoots: []}`: {33, "172.18.255.53", "172.18.255.255"},
	} {
		got := strings.Fields(addresses(t, spec))
		if len(got) != want.count || got[0] != want.first || got[len(got)-1] != want.last {
			t.Errorf("%s: %v", spec, got)
		}
	}
}

// A port can be published only on an address that is there: mapped ports and the addresses that are added come from one source.
func TestEveryAddressThatPortsAreMappedToIsAdded(t *testing.T) {
	for minor := 93; minor <= 149; minor++ {
		for _, profile := range profiles.List() {
			env, err := profiles.Load(profile.Name)
			if err != nil {
				t.Fatal(err)
			}
			env.Spec.Gardener.Version = fmt.Sprintf("v1.%d.0", minor)
			env.Spec.IPFamilies = []v1alpha1.IPFamily{v1alpha1.IPv4, v1alpha1.IPv6}
			plan, err := netplan.New(env)
			if err != nil {
				t.Fatal(err)
			}
			added := loopback.Addresses(plan, render.Published(env, plan))
			for _, cluster := range env.Spec.Clusters {
				config, err := render.KindCluster(env, plan, cluster, render.Options{Encapsulation: v1alpha1.EncapsulationIPIP})
				if err != nil {
					t.Fatal(err)
				}
				for _, node := range config.Nodes {
					for _, mapping := range node.ExtraPortMappings {
						address := netip.MustParseAddr(mapping.ListenAddress)
						if !slices.Contains([]string{"127.0.0.1", "::1"}, mapping.ListenAddress) && !slices.Contains(added, address) {
							t.Errorf("%s of v1.%d publishes on %s, which is not among %v", profile.Name, minor, address, added)
						}
					}
				}
			}
		}
	}
}

func TestOnlyPrivateAddressesAreAllowed(t *testing.T) {
	for text, want := range map[string]bool{
		"172.18.255.53": true, "127.0.0.2": true, "fd00:ff::53": true, "::10": true, "10.1.2.3": true,
		"127.0.0.1": false, "::1": false, "::": false, "0.0.0.0": false, "8.8.8.8": false, "2001:db8::1": false, "fe80::1": false, "fd00::1%eth0": false,
		"::ffff:10.0.0.1": false, "169.254.169.254": false,
	} {
		if got := loopback.Allowed(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: allowed %t, want %t", text, got, want)
		}
	}
}

func TestAScriptChangesAndShows(t *testing.T) {
	all := []netip.Addr{netip.MustParseAddr("172.18.255.53"), netip.MustParseAddr("fd00:ff::53")}
	script, err := loopback.Script(loopback.ScriptAdd, all)
	want := "address replace 172.18.255.53/32 dev lo scope host\naddress replace fd00:ff::53/128 dev lo nodad\naddress show dev lo\n"
	if diff := cmp.Diff(want, script); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := loopback.Script(loopback.ScriptRemove, []netip.Addr{netip.MustParseAddr("8.8.8.8")}); err == nil {
		t.Error("a public address was taken")
	}
	shown, err := loopback.Shown([]byte(`[{"ifname":"lo","addr_info":[{"local":"127.0.0.1","prefixlen":8},{"local":"172.18.255.53","prefixlen":32}]}]`))
	if err != nil || loopback.Join(shown, " ") != "127.0.0.1 172.18.255.53" {
		t.Errorf("shown %v: %v", shown, err)
	}
	if got := loopback.Join(loopback.Without(all, shown), " "); got != "fd00:ff::53" {
		t.Errorf("lacking %s", got)
	}
}

func FuzzShown(f *testing.F) {
	f.Add([]byte(`[{"addr_info":[{"local":"::1"}]}]`))
	f.Fuzz(func(t *testing.T, output []byte) {
		shown, err := loopback.Shown(output)
		if err != nil && len(shown) > 0 {
			t.Errorf("%v besides %v", shown, err)
		}
	})
}
