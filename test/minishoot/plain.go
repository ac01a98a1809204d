// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package minishoot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
)

// Where the fixture's own network is on the node. The runtime takes the first configuration by name; kindling's stays as it is.
const (
	plainConfig = "/etc/cni/net.d/10-kindling.conflist"
	ownConfig   = "/etc/cni/net.d/05-minishoot.conflist"
	ownPlugin   = "/opt/cni/bin/minishoot-ipam"
)

// machineBits is the length of the node's range of machines, and of the machine's range of pods.
const machineBits = 24

// plainNetwork makes up for what the network plugin Plain has not: a plugin of the fixture gives machines addresses, and a rule of the
// node's firewall stands in for the guard.
type plainNetwork struct{ opts Options }

func (n *plainNetwork) prepare(ctx context.Context) error {
	if err := n.opts.Node.WriteFile(ctx, ownPlugin, n.opts.Agent, 0o755); err != nil {
		return err
	}
	config, err := n.opts.Node.Command(ctx, nil, "cat", plainConfig)
	if err != nil {
		return err
	}
	changed, err := withMachineRange(config, netip.PrefixFrom(n.opts.Networks.Machines.Addr(), machineBits))
	if err != nil {
		return err
	}
	return n.opts.Node.WriteFile(ctx, ownConfig, changed, 0o644)
}

// withMachineRange makes the fixture's plugin give out addresses.
func withMachineRange(config []byte, machines netip.Prefix) ([]byte, error) {
	var list struct {
		CNIVersion string           `json:"cniVersion"`
		Name       string           `json:"name"`
		Plugins    []map[string]any `json:"plugins"`
	}
	if err := json.Unmarshal(config, &list); err != nil {
		return nil, fmt.Errorf("reading %s: %w", plainConfig, err)
	}
	if len(list.Plugins) == 0 {
		return nil, fmt.Errorf("%s has no plugins", plainConfig)
	}
	ipam, ok := list.Plugins[0]["ipam"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the first plugin of %s gives out no addresses", plainConfig)
	}
	ipam["type"] = "minishoot-ipam"
	ipam["machineRanges"] = [][]map[string]string{{{"subnet": machines.String()}}}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", ownConfig, err)
	}
	return data, nil
}

// guardRule stands in for the guard where no policy is enforced.
func (n *plainNetwork) guardRule() []string {
	return []string{
		"FORWARD", "-s", n.opts.Networks.SeedPods.String(), "-d", n.opts.Networks.Machines.String(), "-p", "tcp", "-m", "tcp", "--dport", "10250",
		"-m", "comment", "--comment", "minishoot: guard", "-j", "DROP",
	}
}

func (n *plainNetwork) guard(ctx context.Context, wanted bool) error {
	_, missing := n.opts.Node.Command(ctx, nil, "iptables", append([]string{"--wait", "--check"}, n.guardRule()...)...)
	there := missing == nil
	if there == wanted {
		return nil
	}
	action := "--insert"
	if there {
		action = "--delete"
	}
	_, err := n.opts.Node.Command(ctx, nil, "iptables", append([]string{"--wait", action}, n.guardRule()...)...)
	return err
}

func (n *plainNetwork) restore(ctx context.Context) error {
	_, err := n.opts.Node.Command(ctx, nil, "rm", "-f", ownConfig, ownPlugin)
	return errors.Join(err, n.guard(ctx, false))
}
