// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"

	"github.com/gardener/kindling/internal/bounded"
	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/podroutes"
	"github.com/gardener/kindling/pkg/route"
	"github.com/gardener/kindling/pkg/userconfig"
	"github.com/gardener/kindling/pkg/vpn"
)

// fromText judges a table that was pasted or saved.
func (o *traceOptions) fromText(in io.Reader, network *vpn.Network) (*vpn.Trace, error) {
	target, err := o.target(network)
	if err != nil {
		return nil, err
	}
	name := "standard input"
	if o.routes != "-" {
		file, err := os.Open(o.routes)
		if err != nil {
			return nil, fmt.Errorf("reading routes: %w", err)
		}
		defer func() { _ = file.Close() }()
		in, name = file, o.routes
	}
	routes, err := route.Parse(in)
	if err != nil {
		return nil, &RoutesError{name, err}
	}
	table, err := route.NewTable(routes)
	if err != nil {
		return nil, &RoutesError{name, err}
	}
	from := o.from.value
	if from == "" {
		from = "the pod of this table"
	}
	return vpn.Observe(&route.Namespace{Name: from, Table: table}, target, seedPods(network)), nil
}

// fromPods judges the table of a running pod.
func (o *traceOptions) fromPods(ctx context.Context, network *vpn.Network) (*vpn.Trace, error) {
	kubeconfig, err := bounded.ReadYAML(o.kubeconfig, userconfig.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	client, err := kube.NewClient(kubeconfig)
	if err != nil {
		return nil, err
	}
	observed, err := podroutes.Read(ctx, client, o.namespace, o.from.value)
	if err != nil {
		return nil, err
	}
	var target vpn.Target
	if o.to == "" {
		if target, err = machines(observed, o.namespace); err != nil {
			return nil, err
		}
	} else if target, err = o.target(network); err != nil {
		return nil, err
	}
	trace := vpn.Observe(&observed.Namespace, target, seedPods(network))
	trace.Shoot, trace.HA = o.namespace, observed.HA
	return trace, nil
}

func machines(observed *podroutes.Observed, namespace string) (vpn.Target, error) {
	if len(observed.Machines) == 0 {
		return vpn.Target{}, &UsageError{fmt.Errorf("namespace %s has no machines: say with --to where packets go", namespace)}
	}
	var prefixes []netip.Prefix
	for _, address := range observed.Machines {
		prefixes = append(prefixes, netip.PrefixFrom(address, address.BitLen()))
	}
	return vpn.NewTarget("machines", "machines of "+namespace, prefixes...), nil
}

func seedPods(network *vpn.Network) netip.Prefix {
	if network == nil {
		return netip.Prefix{}
	}
	return network.Family.SeedPods
}
