// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// masqueradeOption is the option of Docker's bridge driver that hides containers behind their host.
const masqueradeOption = "com.docker.network.bridge.enable_ip_masquerade"

// Network is a network of the engine. Its ranges are parsed: engines write them in different ways and orders.
type Network struct {
	ID         string
	Name       string
	Driver     string
	Prefixes   []netip.Prefix
	IPv6       bool
	Masquerade bool
	Internal   bool
	Labels     map[string]string
	// Containers that run in it, by name.
	Containers []string
}

// NetworkSpec is a network as it is wanted.
type NetworkSpec struct {
	Name string
	// Prefixes, whose first address each is the gateway's.
	Prefixes   []netip.Prefix
	Labels     map[string]string
	Masquerade bool
}

// Difference is a setting of a network that is not as wanted.
type Difference struct{ Field, Have, Want string }

// IPv6 says whether one of the ranges is IPv6.
func (s NetworkSpec) IPv6() bool {
	return slices.ContainsFunc(s.Prefixes, func(p netip.Prefix) bool { return p.Addr().Is6() })
}

// Differences compares ranges as sets, and the settings that matter to pods.
func (n *Network) Differences(spec NetworkSpec) []Difference {
	var all []Difference
	add := func(field, have, want string) {
		if have != want {
			all = append(all, Difference{field, have, want})
		}
	}
	add("ranges", sorted(n.Prefixes), sorted(spec.Prefixes))
	add("driver", n.Driver, "bridge")
	add("IPv6", strconv.FormatBool(n.IPv6), strconv.FormatBool(spec.IPv6()))
	add("masquerade", strconv.FormatBool(n.Masquerade), strconv.FormatBool(spec.Masquerade))
	add("internal", strconv.FormatBool(n.Internal), "false")
	return all
}

func sorted(prefixes []netip.Prefix) string {
	texts := make([]string, len(prefixes))
	for i, prefix := range prefixes {
		texts[i] = prefix.Masked().String()
	}
	slices.Sort(texts)
	return strings.Join(texts, " and ")
}

// inspected has the fields of Docker (and nerdctl) in capital letters and those of podman in small ones.
type inspected struct {
	Name   string
	ID     string `json:"Id"`
	Driver string
	// EnableIPv6 is Docker's; podman calls it ipv6_enabled, nerdctl has none.
	EnableIPv6  bool
	IPv6Enabled bool `json:"ipv6_enabled"`
	Internal    bool
	Labels      map[string]string
	Options     map[string]string
	IPAM        struct {
		Config []struct{ Subnet string }
	}
	Subnets    []struct{ Subnet string } `json:"subnets"`
	Containers map[string]struct{ Name string }
}

func parseNetworks(output []byte) ([]*Network, error) {
	var answers []inspected
	if err := json.Unmarshal(output, &answers); err != nil {
		return nil, fmt.Errorf("reading the engine's networks: %w", err)
	}
	networks := make([]*Network, len(answers))
	for i, answer := range answers {
		network := &Network{
			ID: answer.ID, Name: answer.Name, Driver: answer.Driver, IPv6: answer.EnableIPv6 || answer.IPv6Enabled,
			Internal: answer.Internal, Labels: answer.Labels, Masquerade: answer.Options[masqueradeOption] != "false",
		}
		for _, config := range append(answer.IPAM.Config, answer.Subnets...) {
			prefix, err := netip.ParsePrefix(config.Subnet)
			if err != nil {
				return nil, fmt.Errorf("network %s has a range that can't be read: %w", answer.Name, err)
			}
			network.Prefixes = append(network.Prefixes, prefix.Masked())
		}
		if network.Driver == "" { // nerdctl does not tell: it makes bridges
			network.Driver = "bridge"
		}
		for _, container := range answer.Containers {
			network.Containers = append(network.Containers, container.Name)
		}
		slices.Sort(network.Containers)
		networks[i] = network
	}
	return networks, nil
}

// Network returns the network of a name; a *NotFoundError when there is none. Docker admits several of one name: that is an error
// that kind could not live with either.
func (e *Engine) Network(ctx context.Context, name string) (*Network, error) {
	networks, err := e.inspectNetworks(ctx, "--filter", "name=^"+name+"$")
	if err != nil {
		return nil, err
	}
	networks = slices.DeleteFunc(networks, func(n *Network) bool { return n.Name != name })
	switch len(networks) {
	case 0:
		return nil, &NotFoundError{"network", name}
	case 1:
		return networks[0], nil
	default:
		return nil, fmt.Errorf("the engine has %d networks called %s: remove all but one (%s network rm ID)", len(networks), name, e.name)
	}
}

// Networks returns all networks.
func (e *Engine) Networks(ctx context.Context) ([]*Network, error) { return e.inspectNetworks(ctx) }

func (e *Engine) inspectNetworks(ctx context.Context, filter ...string) ([]*Network, error) {
	output, err := e.output(ctx, append([]string{"network", "ls", "--quiet", "--no-trunc"}, filter...)...)
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(string(output))
	if len(ids) == 0 {
		return nil, nil
	}
	output, err = e.output(ctx, append([]string{"network", "inspect"}, ids...)...)
	if err != nil && !outputContains(err, "no such network", "not found") { // one that went meanwhile
		return nil, err
	}
	return parseNetworks(output)
}

// CreateNetwork makes a bridge network. Errors: *OverlapError, *IPv6Error.
func (e *Engine) CreateNetwork(ctx context.Context, spec NetworkSpec) error {
	args := []string{"network", "create", "--driver", "bridge"}
	if spec.IPv6() {
		args = append(args, "--ipv6")
	}
	for _, prefix := range spec.Prefixes {
		args = append(args, "--subnet", prefix.String(), "--gateway", prefix.Addr().Next().String())
	}
	if e.name == Docker {
		args = append(args, "--opt", fmt.Sprintf("%s=%t", masqueradeOption, spec.Masquerade))
	}
	for key, value := range spec.Labels {
		args = append(args, "--label", key+"="+value)
	}
	_, err := e.output(ctx, append(args, spec.Name)...)
	switch {
	case err == nil:
		return nil
	case outputContains(err, "pool overlaps", "already used on the host", "is already used", "conflicts with network"):
		return e.overlap(ctx, spec, err)
	case spec.IPv6() && outputContains(err, "ip6tables", "could not find an available, non-overlapping ipv6", "ipv6 is not enabled", "disable_ipv6"):
		return &IPv6Error{err}
	}
	return fmt.Errorf("making network %s: %w", spec.Name, err)
}

func (e *Engine) overlap(ctx context.Context, spec NetworkSpec, cause error) error {
	networks, err := e.Networks(ctx)
	if err != nil {
		return err
	}
	overlap := &OverlapError{Network: spec.Name, Prefixes: spec.Prefixes, Err: cause}
	for _, network := range networks {
		for _, prefix := range network.Prefixes {
			if slices.ContainsFunc(spec.Prefixes, prefix.Overlaps) {
				overlap.Others = append(overlap.Others, network.Name+" "+prefix.String())
			}
		}
	}
	return overlap
}

// RemoveNetwork removes a network by name or identity.
func (e *Engine) RemoveNetwork(ctx context.Context, name string) error {
	_, err := e.output(ctx, "network", "rm", name)
	return err
}
