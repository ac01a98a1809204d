// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package enginehost_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/enginehost"
)

func TestModulesThatAnEnvironmentWantsAndTheKernelLacks(t *testing.T) {
	t.Parallel()
	none := map[string]enginehost.ModuleState{}
	for _, module := range enginehost.Modules() {
		none[module.Name] = enginehost.Missing
	}
	for name, test := range map[string]struct {
		modules map[string]enginehost.ModuleState
		needs   enginehost.Needs
		want    []string
	}{
		"the tunnel is always wanted":           {none, enginehost.Needs{}, []string{"tun"}},
		"encapsulation":                         {none, enginehost.Needs{IPIP: true}, []string{"ipip", "tun"}},
		"high availability":                     {none, enginehost.Needs{HA: true}, []string{"bonding", "tun"}},
		"high availability with IPv6 tunnels":   {none, enginehost.Needs{HA: true, TunnelsIPv6: true}, []string{"ip6_tunnel", "bonding", "tun"}},
		"ranges that overlap":                   {none, enginehost.Needs{Mapped: true}, []string{"tun", "xt_NETMAP"}},
		"what is not known is not lacking":      {nil, enginehost.Needs{IPIP: true, HA: true}, nil},
		"what can be loaded is not lacking":     {map[string]enginehost.ModuleState{"tun": enginehost.Loadable}, enginehost.Needs{}, nil},
		"what is built in or loaded is neither": {map[string]enginehost.ModuleState{"tun": enginehost.BuiltIn, "ipip": enginehost.Loaded}, enginehost.Needs{IPIP: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, text := range (enginehost.Facts{Modules: test.modules}).Lacks(test.needs) {
				_, after, _ := strings.Cut(text, "has no module ")
				name, _, _ := strings.Cut(after, " ")
				got = append(got, name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
