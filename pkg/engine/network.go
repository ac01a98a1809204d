// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"maps"
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
	Gateways   []netip.Addr
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

// Network returns the network of a name; a *NotFoundError when there is none. Docker admits several of one name: that is an error
// that kind could not live with either.
func (e *Engine) Network(ctx context.Context, name string) (*Network, error) {
	networks, err := e.Networks(ctx)
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

// Networks returns all networks. A filter by name would not make it cheaper, and each engine matches names in its own way.
func (e *Engine) Networks(ctx context.Context) ([]*Network, error) {
	output, err := e.output(ctx, "network", "ls", "--quiet")
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
		args = append(args, "--subnet", prefix.Masked().String())
		if e.name != Nerdctl { // old ones take one gateway only; it takes the first addresses by itself
			args = append(args, "--gateway", prefix.Masked().Addr().Next().String())
		}
	}
	if e.name == Docker {
		args = append(args, "--opt", fmt.Sprintf("%s=%t", masqueradeOption, spec.Masquerade))
	}
	for _, key := range slices.Sorted(maps.Keys(spec.Labels)) {
		args = append(args, "--label", key+"="+spec.Labels[key])
	}
	_, err := e.output(ctx, append(args, spec.Name)...)
	switch {
	case err == nil:
		return nil
	case outputContains(err, overlapTexts()...):
		return e.overlap(ctx, spec, err)
	case spec.IPv6() && outputContains(err, noIPv6Texts()...):
		return &IPv6Error{err}
	}
	return fmt.Errorf("making network %s: %w", spec.Name, err)
}

// overlapTexts are what the engines write when a range is taken: docker and nerdctl, docker since 28 and its kernel, podman.
func overlapTexts() []string {
	return []string{
		"overlaps with other one on this address space", "networks have overlapping", "conflicts with network",
		"is already used on the host", "is being used by a network interface",
	}
}

// noIPv6Texts are what the engines write on a host without IPv6 or its NAT tables.
func noIPv6Texts() []string {
	return []string{"ip6tables", "cannot read ipv6 setup", "ipv6 is not enabled", "is ipv6 enabled in the kernel", "disable_ipv6", "non-overlapping ipv6"}
}

func (e *Engine) overlap(ctx context.Context, spec NetworkSpec, cause error) error {
	networks, err := e.Networks(ctx)
	if err != nil {
		return fmt.Errorf("making network %s: %w (and finding out what it overlaps with failed: %w)", spec.Name, cause, err)
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
