// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func (d *docker) networkCommand() *cobra.Command {
	return group("network", d.networkCreate(), d.networkList(), d.networkInspect(), d.networkRemove(), d.networkConnect(), d.networkDisconnect())
}

func (d *docker) networkCreate() *cobra.Command {
	var network Network
	var subnets, labels, options []string
	c := command("create", func(args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("network create takes one name, not %q", args)
		}
		network.Name, network.ID, network.Labels, network.Options = args[0], d.state.identity(), pairs(labels), pairs(options)
		return d.addNetwork(network, subnets)
	})
	flags := c.Flags()
	flags.StringP("driver", "d", "bridge", "")
	flags.StringArray("gateway", nil, "ignored: the first address is the gateway's")
	flags.BoolVar(&network.IPv6, "ipv6", false, "")
	flags.BoolVar(&network.Internal, "internal", false, "")
	flags.StringArrayVar(&subnets, "subnet", nil, "")
	flags.StringArrayVar(&labels, "label", nil, "")
	flags.StringArrayVarP(&options, "opt", "o", nil, "")
	return c
}

func (d *docker) addNetwork(network Network, subnets []string) error {
	if d.state.network(network.Name) != nil {
		return fail("network with name %s already exists", network.Name)
	}
	for _, text := range subnets {
		subnet, err := netip.ParsePrefix(text)
		if err != nil {
			return fail("invalid subnet %s: %v", text, err)
		}
		network.Subnets = append(network.Subnets, subnet)
	}
	if !slices.ContainsFunc(network.Subnets, func(p netip.Prefix) bool { return p.Addr().Is4() }) {
		network.Subnets = append(network.Subnets, d.freeSubnet())
	}
	if slices.ContainsFunc(network.Subnets, d.taken) {
		return fail("Pool overlaps with other one on this address space")
	}
	d.state.Networks = append(d.state.Networks, network)
	d.printf("%s\n", network.ID)
	return nil
}

func (d *docker) taken(subnet netip.Prefix) bool {
	return slices.ContainsFunc(d.state.Networks, func(n Network) bool { return slices.ContainsFunc(n.Subnets, subnet.Overlaps) })
}

// freeSubnet chooses a subnet as docker's default address pools do.
func (d *docker) freeSubnet() netip.Prefix {
	subnet := netip.MustParsePrefix("172.17.0.0/16")
	for d.taken(subnet) {
		octets := subnet.Addr().As4()
		octets[1]++
		subnet = netip.PrefixFrom(netip.AddrFrom4(octets), 16)
	}
	return subnet
}

func (d *docker) networkList() *cobra.Command {
	var format *string
	var filters []string
	c := command("ls", func([]string) error {
		for _, network := range d.state.Networks {
			fits, err := network.fits(filters)
			if err != nil {
				return err
			}
			if !fits {
				continue
			}
			line := struct{ ID, Name, Driver string }{short(network.ID), network.Name, "bridge"}
			if err := d.print(listFormat(*format), line); err != nil {
				return err
			}
		}
		return nil
	})
	format = formatFlag(c.Flags(), "")
	c.Flags().BoolP("quiet", "q", false, "")
	c.Flags().StringArrayVarP(&filters, "filter", "f", nil, "")
	return c
}

// listFormat is that of --quiet when there is no other: tables are for people.
func listFormat(format string) string {
	if format == "" {
		return "{{.ID}}"
	}
	return format
}

func (n Network) fits(filters []string) (bool, error) {
	for _, filter := range filters {
		key, value, _ := strings.Cut(filter, "=")
		switch key {
		case "name":
			if fits, err := regexp.MatchString(value, n.Name); err != nil || !fits {
				return false, err
			}
		case "label":
			if !hasLabel(n.Labels, value) {
				return false, nil
			}
		default:
			return false, fmt.Errorf("the stub engine does not filter networks by %s", key)
		}
	}
	return true, nil
}

func (d *docker) networkInspect() *cobra.Command {
	var format *string
	c := command("inspect", func(args []string) error {
		return d.inspectAll(*format, args, d.inspectNetwork, func(name string) error { return fail("network %s not found", name) })
	})
	format = formatFlag(c.Flags(), "f")
	return c
}

func (d *docker) networkRemove() *cobra.Command {
	return command("rm", func(args []string) error {
		for _, name := range args {
			network := d.state.network(name)
			if network == nil {
				return fail("network %s not found", name)
			}
			if len(d.attached(network)) > 0 {
				return fail("error while removing network: network %s has active endpoints", name)
			}
			id := network.ID
			d.state.Networks = slices.DeleteFunc(d.state.Networks, func(n Network) bool { return n.ID == id })
			d.printf("%s\n", name)
		}
		return nil
	})
}

// attached returns the running containers of a network.
func (d *docker) attached(network *Network) []Container {
	var attached []Container
	for _, container := range d.state.Containers {
		if container.Network == network.Name && container.State == running {
			attached = append(attached, container)
		}
	}
	return attached
}

// pairs reads key=value.
func pairs(texts []string) map[string]string {
	all := map[string]string{}
	for _, text := range texts {
		key, value, _ := strings.Cut(text, "=")
		all[key] = value
	}
	return all
}

// hasLabel reads a filter: key, or key=value.
func hasLabel(labels map[string]string, filter string) bool {
	key, value, withValue := strings.Cut(filter, "=")
	have, there := labels[key]
	return there && (!withValue || have == value)
}

// networkConnect is for stopped containers.
func (d *docker) networkConnect() *cobra.Command {
	var ipv4, ipv6 []string // one slice for both would hold the last one only
	c := command("connect", func(args []string) error {
		network, container, err := d.ends(args)
		if err != nil {
			return err
		}
		container.Network, container.Fixed = network.Name, nil
		for _, text := range slices.Concat(ipv4, ipv6) {
			address, err := netip.ParseAddr(text)
			if err != nil {
				return fail("invalid address %s: %v", text, err)
			}
			container.Fixed = append(container.Fixed, address)
		}
		return nil
	})
	c.Flags().StringArrayVar(&ipv4, "ip", nil, "")
	c.Flags().StringArrayVar(&ipv6, "ip6", nil, "")
	return c
}

func (d *docker) networkDisconnect() *cobra.Command {
	return command("disconnect", func(args []string) error {
		network, container, err := d.ends(args)
		if err != nil {
			return err
		}
		if container.Network != network.Name {
			return fail("container %s is not connected to network %s", container.ID, network.Name)
		}
		container.Network, container.Fixed = "", nil
		return nil
	})
}

func (d *docker) ends(args []string) (*Network, *Container, error) {
	if len(args) != 2 {
		return nil, nil, fmt.Errorf("takes a network and a container, not %q", args)
	}
	network, container := d.state.network(args[0]), d.state.container(args[1])
	switch {
	case network == nil:
		return nil, nil, fail("network %s not found", args[0])
	case container == nil:
		return nil, nil, fail("No such container: %s", args[1])
	}
	return network, container, nil
}
