// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"net/netip"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
)

// ResolvConfFile is the resolv.conf of the nodes, beside the environment's other files.
const ResolvConfFile = "resolv.conf"

// dnsEnding is that of the server's addresses.
const dnsEnding = "53"

// HasResolvConf says whether nodes ask the DNS server beside the clusters.
func HasResolvConf(env *v1alpha1.Environment, plan *netplan.Plan) bool {
	return *env.Spec.DNS.Enabled && plan.Gardener.Has(gardener.DNSServer)
}

// DNSAddresses are those of the engine's host that the DNS server is published at, in the families of the environment.
func DNSAddresses(plan *netplan.Plan) []netip.Addr {
	var addresses []netip.Addr
	for _, family := range plan.Families {
		addresses = append(addresses, plan.HostAddress(family, dnsEnding))
	}
	return addresses
}
