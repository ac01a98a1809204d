// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Container is a container of the engine.
type Container struct {
	ID    string
	Name  string
	Image string
	// State is running, exited, created and so on.
	State  string
	Labels map[string]string
	// Created and Started are by the clock of the engine's host; Started is zero for one that never was.
	Created, Started time.Time
	// Addresses by network. nerdctl does not tell a network's name, only that of the interface.
	Addresses map[string][]netip.Addr
	// Fixed are the addresses that it has by network whenever it runs; of others the engine chooses anew at each start. Only docker tells.
	Fixed map[string][]netip.Addr
	// Ports that a running container has published.
	Ports []PublishedPort
}

// Containers returns the containers that carry all labels, running or not, by name.
func (e *Engine) Containers(ctx context.Context, labels map[string]string) ([]Container, error) {
	var filter []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		filter = append(filter, "--filter", "label="+key+"="+labels[key])
	}
	return e.containers(ctx, filter...)
}

// ContainersNamed returns the containers of these names, running or not, in one call. Those that are not there are left out.
func (e *Engine) ContainersNamed(ctx context.Context, names ...string) ([]Container, error) {
	if len(names) == 0 {
		return nil, nil
	}
	return e.inspectContainers(ctx, names)
}

// ContainersOn returns the names of the containers that are attached to a network, running or not: a stopped one comes back to it.
func (e *Engine) ContainersOn(ctx context.Context, network string) ([]string, error) {
	containers, err := e.Attached(ctx, network)
	names := make([]string, len(containers))
	for i, container := range containers {
		names[i] = container.Name
	}
	return names, err
}

// Attached returns the containers that are attached to a network, running or not.
func (e *Engine) Attached(ctx context.Context, network string) ([]Container, error) {
	return e.containers(ctx, "--filter", "network="+network)
}

func (e *Engine) containers(ctx context.Context, filter ...string) ([]Container, error) {
	output, err := e.output(ctx, append([]string{"ps", "--all", "--quiet", "--no-trunc"}, filter...)...)
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(string(output))
	if len(ids) == 0 {
		return nil, nil
	}
	return e.inspectContainers(ctx, ids)
}

func (e *Engine) inspectContainers(ctx context.Context, ids []string) ([]Container, error) {
	output, err := e.output(ctx, append([]string{"inspect", "--type", "container"}, ids...)...)
	if err != nil && !outputContains(err, "no such") { // one that went meanwhile
		return nil, err
	}
	return parseContainers(output)
}

// address is a container's place in a network; a stopped one has none.
type address struct {
	IPAddress         string `json:"IPAddress"`
	GlobalIPv6Address string `json:"GlobalIPv6Address"`
	// IPAMConfig is what it was given for good.
	IPAMConfig struct {
		IPv4Address string `json:"IPv4Address"`
		IPv6Address string `json:"IPv6Address"`
	} `json:"IPAMConfig"`
}

func (a address) parse() (has, fixed []netip.Addr, err error) {
	if has, err = parseAddresses(a.IPAddress, a.GlobalIPv6Address); err != nil {
		return nil, nil, err
	}
	fixed, err = parseAddresses(a.IPAMConfig.IPv4Address, a.IPAMConfig.IPv6Address)
	return has, fixed, err
}

func parseAddresses(texts ...string) ([]netip.Addr, error) {
	var all []netip.Addr
	for _, text := range texts {
		if text == "" {
			continue
		}
		parsed, err := netip.ParseAddr(text)
		if err != nil {
			return nil, err
		}
		all = append(all, parsed)
	}
	return all, nil
}

// hostBinding is an address and port of the engine's host.
type hostBinding struct {
	HostIP   string `json:"HostIp"`
	HostPort string `json:"HostPort"`
}

// publishedPorts reads bindings by port and protocol: 5000/tcp. What is no address and port is of an engine that tells otherwise.
func publishedPorts(bindings map[string][]hostBinding) []PublishedPort {
	var ports []PublishedPort
	for _, key := range slices.Sorted(maps.Keys(bindings)) {
		number, protocol, _ := strings.Cut(key, "/")
		container, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			continue
		}
		for _, binding := range bindings[key] {
			host, err := netip.ParseAddrPort(net.JoinHostPort(binding.HostIP, binding.HostPort))
			if err != nil {
				continue
			}
			ports = append(ports, PublishedPort{Host: host, Container: uint16(container), Protocol: protocol})
		}
	}
	return ports
}

func parseContainers(output []byte) ([]Container, error) {
	var answers []struct {
		ID      string    `json:"Id"`
		Name    string    `json:"Name"`
		Created time.Time `json:"Created"`
		State   struct {
			Status    string    `json:"Status"`
			StartedAt time.Time `json:"StartedAt"`
		} `json:"State"`
		Config struct {
			Image  string            `json:"Image"`
			Labels map[string]string `json:"Labels"`
		} `json:"Config"`
		NetworkSettings struct {
			Networks map[string]address       `json:"Networks"`
			Ports    map[string][]hostBinding `json:"Ports"`
		} `json:"NetworkSettings"`
	}
	if err := json.Unmarshal(output, &answers); err != nil {
		return nil, fmt.Errorf("reading the engine's containers: %w", err)
	}
	containers := make([]Container, len(answers))
	for i, answer := range answers {
		containers[i] = Container{
			ID: answer.ID, Name: strings.TrimPrefix(answer.Name, "/"), Image: answer.Config.Image,
			State: answer.State.Status, Labels: answer.Config.Labels, Created: answer.Created, Started: answer.State.StartedAt,
			Addresses: map[string][]netip.Addr{}, Fixed: map[string][]netip.Addr{},
		}
		for network, address := range answer.NetworkSettings.Networks {
			has, fixed, err := address.parse()
			if err != nil {
				return nil, fmt.Errorf("container %s has an address that can't be read: %w", containers[i].Name, err)
			}
			containers[i].Addresses[network] = has
			if len(fixed) > 0 {
				containers[i].Fixed[network] = fixed
			}
		}
		containers[i].Ports = publishedPorts(answer.NetworkSettings.Ports)
	}
	slices.SortFunc(containers, func(a, b Container) int { return strings.Compare(a.Name, b.Name) })
	return containers, nil
}

// StopContainers stops running containers.
func (e *Engine) StopContainers(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := e.output(ctx, append([]string{"stop"}, names...)...)
	return err
}

// StartContainers starts stopped containers.
func (e *Engine) StartContainers(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := e.output(ctx, append([]string{"start"}, names...)...)
	switch {
	case outputContains(err, "port is already allocated", "address already in use"):
		return &PortTakenError{takenPort(err), err}
	case outputContains(err, "cannot assign requested address"):
		return &NoAddressError{err}
	}
	return err
}

// takenPort finds the first address and port in what an engine writes: "Bind for 127.0.0.1:5001 failed", "listen tcp4 127.0.0.1:5001: bind".
func takenPort(err error) netip.AddrPort {
	failed, ok := asCommandError(err)
	if !ok {
		return netip.AddrPort{}
	}
	for word := range strings.FieldsSeq(failed.Output) {
		if address, err := netip.ParseAddrPort(strings.Trim(word, ":,")); err == nil {
			return address
		}
	}
	return netip.AddrPort{}
}

// RemoveContainers removes containers, running or not, with the volumes that only they have.
func (e *Engine) RemoveContainers(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := e.output(ctx, append([]string{"rm", "--force", "--volumes"}, names...)...)
	return err
}
