// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package checkout_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/checkout"
	"github.com/gardener/kindling/pkg/gardener"
)

func TestValuesThatAskForSomethingElseAreRefused(t *testing.T) {
	t.Parallel()
	const (
		garden   = "{deployed: true, kindIsGardenCluster: true, customEtcdStatefulSet: true}"
		operator = "{deployed: true, kindIsGardenCluster: false, customEtcdStatefulSet: false}"
		none     = "{deployed: false, customEtcdStatefulSet: true}"
	)
	for name, test := range map[string]struct {
		values, families string
		// wrong are the paths that errors begin with, in order.
		wrong []string
	}{
		"those of the garden": {
			values: "gardener: {repositoryRoot: ., controlPlane: " + garden + ", nginxIngress: {deployed: true}, seed: {deployed: true, bastion: {listenAddresses: [172.18.255.22]}}}",
		},
		"those of the operator": {
			values: "gardener: {repositoryRoot: /g, controlPlane: " + operator + ", garden: {deployed: true, virtualGarden: {listenAddress: 172.18.255.3}}}",
		},
		"those of v1.141": {
			values: "gardener: {controlPlane: " + garden + ", selfHostedShoot: {deployed: true, listenAddress: 172.18.255.4, virtualGarden: {listenAddress: 172.18.255.3}}}",
		},
		"those of a second seed": {
			values: "gardener: {controlPlane: " + none + ", seed: {deployed: true, bastion: {listenAddresses: []}}, selfHostedShoot: {deployed: false}}",
		},
		"those of IPv6, on a second seed": {
			values:   "gardener: {controlPlane: " + none + ", seed: {deployed: true, bastion: {listenAddresses: ['fd00:ff::22']}}}",
			families: "ipv6",
		},
		"another socket": {values: "dockerSocket: /run/user/1000/docker.sock", wrong: []string{"dockerSocket"}},
		"another folder": {values: "gardener: {repositoryRoot: /elsewhere}", wrong: []string{"gardener.repositoryRoot"}},
		"an etcd of its own for the operator's garden": {
			values: "gardener: {controlPlane: {deployed: true, kindIsGardenCluster: false, customEtcdStatefulSet: true}}",
			wrong:  []string{"gardener.controlPlane.customEtcdStatefulSet"},
		},
		"no bastions beside the garden": {
			values: "gardener: {controlPlane: " + garden + ", seed: {deployed: true, bastion: {listenAddresses: []}}}",
			wrong:  []string{"gardener.seed.bastion.listenAddresses"},
		},
		"bastions of a second seed": {
			values: "gardener: {controlPlane: " + none + ", seed: {deployed: true, bastion: {listenAddresses: [172.18.255.22]}}}",
			wrong:  []string{"gardener.seed.bastion.listenAddresses"},
		},
		"addresses of one's own": {
			values: "gardener: {controlPlane: " + garden + ", garden: {virtualGarden: {listenAddress: 192.0.2.3}}, " +
				"selfHostedShoot: {deployed: true, listenAddress: 192.0.2.4, virtualGarden: {listenAddress: 192.0.2.5}}}",
			wrong: []string{
				"gardener.garden.virtualGarden.listenAddress", "gardener.selfHostedShoot.listenAddress", "gardener.selfHostedShoot.virtualGarden.listenAddress",
			},
		},
		"a self-hosted shoot without a garden": {
			values: "gardener: {controlPlane: " + none + ", selfHostedShoot: {deployed: true}}",
			wrong:  []string{"gardener.selfHostedShoot.deployed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var values checkout.Values
			if err := yaml.UnmarshalStrict([]byte(test.values), &values); err != nil {
				t.Fatal(err)
			}
			families := []v1alpha1.IPFamily{v1alpha1.IPv4}
			if test.families == "ipv6" {
				families = []v1alpha1.IPFamily{v1alpha1.IPv6}
			}
			_, err := checkout.Checkout{Dir: "/g", Version: gardener.MustParse("v1.140.0")}.Environment(values, checkout.Request{ClusterName: "c", Families: families})
			var lines []string
			if err != nil {
				lines = strings.Split(err.Error(), "\n")
			}
			if len(lines) != len(test.wrong) {
				t.Fatalf("error %v, want one about each of %v", err, test.wrong)
			}
			for i, path := range test.wrong {
				if !strings.HasPrefix(lines[i], path+": ") {
					t.Errorf("error %q, want one about %s", lines[i], path)
				}
			}
		})
	}
}
