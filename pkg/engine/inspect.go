// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// inspected has the fields of Docker and nerdctl. podman writes them in small letters, which reads the same, and has some of its own.
type inspected struct {
	Name   string `json:"Name"`
	ID     string `json:"Id"`
	Driver string `json:"Driver"`
	// EnableIPv6 is Docker's; podman calls it ipv6_enabled; nerdctl has none, and its networks speak what they have ranges of.
	EnableIPv6  *bool             `json:"EnableIPv6"`
	IPv6Enabled *bool             `json:"ipv6_enabled"`
	Internal    bool              `json:"Internal"`
	Labels      map[string]string `json:"Labels"`
	Options     map[string]string `json:"Options"`
	IPAM        struct {
		Config []inspectedRange `json:"Config"`
	} `json:"IPAM"`
	Subnets    []inspectedRange `json:"subnets"`
	Containers map[string]struct {
		Name string `json:"Name"`
	} `json:"Containers"`
}

// inspectedRange leaves out IPRange, which Docker 29 writes although it is empty.
type inspectedRange struct {
	Subnet  string `json:"Subnet"`
	Gateway string `json:"Gateway"`
}

func parseNetworks(output []byte) ([]*Network, error) {
	var answers []inspected
	if err := json.Unmarshal(output, &answers); err != nil {
		return nil, fmt.Errorf("reading the engine's networks: %w", err)
	}
	networks := make([]*Network, len(answers))
	for i, answer := range answers {
		network, err := answer.network()
		if err != nil {
			return nil, fmt.Errorf("network %s of the engine can't be read: %w", answer.Name, err)
		}
		networks[i] = network
	}
	return networks, nil
}

func (i inspected) network() (*Network, error) {
	network := &Network{
		ID: i.ID, Name: i.Name, Driver: i.Driver, Internal: i.Internal, Labels: i.Labels, Masquerade: i.Options[masqueradeOption] != "false",
	}
	if network.Driver == "" { // nerdctl does not tell: it makes bridges
		network.Driver = "bridge"
	}
	for _, config := range slices.Concat(i.IPAM.Config, i.Subnets) {
		if err := network.addRange(config); err != nil {
			return nil, err
		}
	}
	network.IPv6 = i.speaksIPv6(network.Prefixes)
	for _, container := range i.Containers {
		network.Containers = append(network.Containers, container.Name)
	}
	slices.Sort(network.Containers)
	return network, nil
}

func (n *Network) addRange(config inspectedRange) error {
	if config.Subnet == "" { // left to the driver
		return nil
	}
	prefix, err := netip.ParsePrefix(config.Subnet)
	if err != nil {
		return err
	}
	n.Prefixes = append(n.Prefixes, prefix.Masked())
	if config.Gateway == "" {
		return nil
	}
	// Old versions of Docker write the gateways that they choose with the length of the range behind.
	text, _, _ := strings.Cut(config.Gateway, "/")
	gateway, err := netip.ParseAddr(text)
	if err != nil {
		return err
	}
	n.Gateways = append(n.Gateways, gateway)
	return nil
}

func (i inspected) speaksIPv6(prefixes []netip.Prefix) bool {
	for _, told := range []*bool{i.EnableIPv6, i.IPv6Enabled} {
		if told != nil {
			return *told
		}
	}
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Addr().Is6() })
}
