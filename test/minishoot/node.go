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

// Where the fixture's things are on the node. The runtime takes the first network configuration by name; kindling's own stays as it is.
const (
	folder      = "/opt/minishoot"
	plainConfig = "/etc/cni/net.d/10-kindling.conflist"
	ownConfig   = "/etc/cni/net.d/05-minishoot.conflist"
	ownPlugin   = "/opt/cni/bin/minishoot-ipam"
)

// machineBits is the length of the node's range of machines, and of the machine's range of pods.
const machineBits = 24

// prepareNode puts the agent and the machine's images on the node and gives machines a range.
func (f *Fixture) prepareNode(ctx context.Context) error {
	node := f.opts.Node
	if _, err := node.Command(ctx, nil, "mkdir", "-p", folder); err != nil {
		return err
	}
	if err := node.WriteFile(ctx, folder+"/agent", f.opts.Agent, 0o755); err != nil {
		return err
	}
	if _, err := node.Command(ctx, nil, "ctr", "--namespace=k8s.io", "images", "export", folder+"/images.tar", toolsImage, f.images.pause); err != nil {
		return err
	}
	if err := node.WriteFile(ctx, ownPlugin, f.opts.Agent, 0o755); err != nil {
		return err
	}
	config, err := node.Command(ctx, nil, "cat", plainConfig)
	if err != nil {
		return err
	}
	changed, err := withMachineRange(config, netip.PrefixFrom(f.opts.Networks.Machines.Addr(), machineBits))
	if err != nil {
		return err
	}
	return node.WriteFile(ctx, ownConfig, changed, 0o644)
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
func (f *Fixture) guardRule() []string {
	return []string{
		"FORWARD", "-s", f.opts.Networks.SeedPods.String(), "-d", f.opts.Networks.Machines.String(), "-p", "tcp", "-m", "tcp", "--dport", "10250",
		"-m", "comment", "--comment", "minishoot: guard", "-j", "DROP",
	}
}

// guard puts the rule in place, or takes it away.
func (f *Fixture) guard(ctx context.Context, faults Faults) error {
	_, missing := f.opts.Node.Command(ctx, nil, "iptables", append([]string{"--wait", "--check"}, f.guardRule()...)...)
	there := missing == nil
	if there == !faults.Unguarded {
		return nil
	}
	action := "--insert"
	if there {
		action = "--delete"
	}
	_, err := f.opts.Node.Command(ctx, nil, "iptables", append([]string{"--wait", action}, f.guardRule()...)...)
	return err
}

// restoreNode removes what prepareNode and guard put on the node. Pods that are there keep their network.
func (f *Fixture) restoreNode(ctx context.Context) error {
	_, err := f.opts.Node.Command(ctx, nil, "rm", "-rf", folder, ownConfig, ownPlugin)
	return errors.Join(err, f.guard(ctx, Faults{Unguarded: true}))
}
