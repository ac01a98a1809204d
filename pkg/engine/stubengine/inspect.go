// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/spf13/cobra"
)

// inspectedNetwork has docker's names.
type inspectedNetwork struct {
	Name       string
	ID         string `json:"Id"`
	Driver     string
	EnableIPv6 bool
	IPAM       struct{ Config []inspectedRange }
	Internal   bool
	Containers map[string]endpoint
	Options    map[string]string
	Labels     map[string]string
}

type inspectedRange struct{ Subnet, Gateway string }

type endpoint struct{ Name, IPv4Address, IPv6Address string }

// inspectedContainer has docker's names.
type inspectedContainer struct {
	ID      string `json:"Id"`
	Name    string
	Created time.Time
	State   struct {
		Status    string
		StartedAt time.Time
	}
	Config struct {
		Image  string
		Labels map[string]string
	}
	NetworkSettings struct {
		Networks map[string]place
		Ports    map[string][]binding
	}
}

type place struct {
	IPAddress, GlobalIPv6Address string
	IPAMConfig                   *fixedPlace
}

type fixedPlace struct {
	IPv4Address string `json:",omitempty"`
	IPv6Address string `json:",omitempty"`
}

type binding struct {
	HostIP   string `json:"HostIp"`
	HostPort string
}

// inspectAll prints what look finds of each name, as one array or through a template.
func (d *docker) inspectAll(format string, names []string, look func(name string) (any, bool), missing func(name string) error) error {
	found := []any{}
	var failed error
	for _, name := range names {
		value, there := look(name)
		if !there {
			failed = missing(name)
			continue
		}
		found = append(found, value)
		if format != "" {
			if err := d.print(format, value); err != nil {
				return err
			}
		}
	}
	if format == "" {
		data, err := json.MarshalIndent(found, "", "    ")
		if err != nil {
			return err
		}
		d.printf("%s\n", data)
	}
	return failed
}

func (d *docker) inspect() *cobra.Command {
	var format, kind *string
	c := command("inspect", func(args []string) error {
		look := d.inspectContainer
		switch *kind {
		case "", "container":
		case "image":
			look = d.inspectImage
		default:
			return fmt.Errorf("the stub engine does not inspect a %s", *kind)
		}
		return d.inspectAll(*format, args, look, func(name string) error { return &exitError{1, "Error: No such object: " + name + "\n"} })
	})
	format = formatFlag(c.Flags(), "f")
	kind = c.Flags().String("type", "", "")
	return c
}

func (d *docker) inspectNetwork(name string) (any, bool) {
	network := d.state.network(name)
	if network == nil {
		return nil, false
	}
	result := inspectedNetwork{
		Name: network.Name, ID: network.ID, Driver: "bridge", EnableIPv6: network.IPv6, Internal: network.Internal,
		Containers: map[string]endpoint{}, Options: network.Options, Labels: network.Labels,
	}
	for _, subnet := range network.Subnets {
		result.IPAM.Config = append(result.IPAM.Config, inspectedRange{subnet.String(), subnet.Masked().Addr().Next().String()})
	}
	for _, container := range d.attached(network) {
		place := placeOf(container.Addresses)
		result.Containers[container.ID] = endpoint{container.Name, place.IPAddress, place.GlobalIPv6Address}
	}
	return result, true
}

func (d *docker) inspectContainer(name string) (any, bool) {
	container := d.state.container(name)
	if container == nil {
		return nil, false
	}
	result := inspectedContainer{ID: container.ID, Name: "/" + container.Name, Created: container.Created}
	result.State.Status, result.State.StartedAt = container.State, container.Started
	result.Config.Image, result.Config.Labels = container.Image, container.Labels
	result.NetworkSettings.Networks = map[string]place{container.Network: placeOf(container.Addresses)}
	if len(container.Fixed) > 0 {
		fixed, at := placeOf(container.Fixed), result.NetworkSettings.Networks[container.Network]
		at.IPAMConfig = &fixedPlace{fixed.IPAddress, fixed.GlobalIPv6Address}
		result.NetworkSettings.Networks[container.Network] = at
	}
	result.NetworkSettings.Ports = map[string][]binding{}
	for _, port := range container.Ports {
		if host, number, err := net.SplitHostPort(d.state.Published); err == nil {
			port.HostIP, port.HostPort = host, number
		}
		result.NetworkSettings.Ports[port.Container] = append(result.NetworkSettings.Ports[port.Container], binding{port.HostIP, port.HostPort})
	}
	return result, true
}

func placeOf(addresses []netip.Addr) place {
	var p place
	for _, address := range addresses {
		if address.Is4() {
			p.IPAddress = address.String()
		} else {
			p.GlobalIPv6Address = address.String()
		}
	}
	return p
}
