// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// hostProgram does what programs do in the network of the engine's host, in a container that is gone afterwards.
func (d *docker) hostProgram(argv []string) error {
	switch call := strings.Join(argv, " "); {
	case argv[0] == "find" && strings.Contains(call, "-exec df"):
		return d.probe()
	case argv[0] == "ip" && strings.HasSuffix(call, "-batch -"):
		return d.batch()
	case argv[0] == "iptables", argv[0] == "ip6tables":
		return d.hostRules(argv)
	}
	return d.program(&Container{}, argv)
}

// probe tells of the host in the form of date, df and tail.
func (d *docker) probe() error {
	d.printf("%d\n1B-blocks Avail\n%d %d\n", time.Now().Add(d.state.ClockAhead).Unix(), int64(200<<30), cmp.Or(d.state.DiskFree, int64(100<<30)))
	var table, table6 strings.Builder
	for _, address := range d.state.HostAddresses {
		if address.Is4() {
			fmt.Fprintf(&table, "|-- %s\n   /32 host LOCAL\n", address)
		} else {
			fmt.Fprintf(&table6, "%x 01 80 10 80 lo\n", address.AsSlice())
		}
	}
	dep := "kernel/net/ipv4/ipip.ko:\n"
	if !d.state.FewModules {
		dep += "kernel/drivers/net/tun.ko:\nkernel/drivers/net/bonding/bonding.ko:\nkernel/net/ipv6/ip6_tunnel.ko:\nkernel/net/netfilter/xt_NETMAP.ko:\nkernel/net/netfilter/nft_chain_nat.ko:\n"
	}
	for _, file := range [][2]string{
		{"/lib/modules/stub/modules.dep", dep},
		{"/proc/sys/kernel/random/boot_id", d.bootID() + "\n"},
		{"/proc/sys/fs/inotify/max_user_instances", "128\n"},
		{"/proc/sys/fs/inotify/max_user_watches", "1048576\n"},
		{"/proc/sys/net/ipv6/conf/all/disable_ipv6", "0\n"},
		{"/proc/modules", "ipip 20480 0 - Live 0x0\n"},
		{"/proc/net/fib_trie", table.String()},
		{"/proc/net/if_inet6", table6.String()},
		{"/proc/net/ipv6_route", d.state.routesIPv6()},
	} {
		d.printf("\n==> %s <==\n%s", file[0], file[1])
	}
	return nil
}

func (d *docker) bootID() string { return cmp.Or(d.state.BootID, "stub-boot") }

// batch is ip with commands at its input: address replace A dev lo, address delete A dev lo, address show dev lo.
func (d *docker) batch() error {
	failed := false
	for line := range strings.Lines(string(d.input)) {
		words := strings.Fields(line)
		switch {
		case len(words) > 2 && words[1] == "show":
			if err := d.showAddresses(); err != nil {
				return err
			}
		case len(words) > 2 && words[0] == "address":
			prefix, err := netip.ParsePrefix(words[2])
			if err != nil {
				return fmt.Errorf("ip: %w", err)
			}
			there := slices.Contains(d.state.HostAddresses, prefix.Addr())
			switch {
			case words[1] == "replace" && !there:
				d.state.HostAddresses = append(d.state.HostAddresses, prefix.Addr())
			case words[1] == "delete" && there:
				d.state.HostAddresses = slices.DeleteFunc(d.state.HostAddresses, func(a netip.Addr) bool { return a == prefix.Addr() })
			case words[1] == "delete":
				failed = true
			}
		}
	}
	if failed {
		return &exitError{1, "RTNETLINK answers: Cannot assign requested address\nCommand failed -:1\n"}
	}
	return nil
}

func (d *docker) showAddresses() error {
	type address struct {
		Local string `json:"local"`
	}
	addresses := []address{{"127.0.0.1"}}
	for _, a := range d.state.HostAddresses {
		addresses = append(addresses, address{a.String()})
	}
	return json.NewEncoder(d.stdout).Encode([]map[string]any{{"ifname": "lo", "addr_info": addresses}})
}

// hostRules appends and deletes rules, and lists those of a chain.
func (d *docker) hostRules(argv []string) error {
	container := Container{Rules: d.state.HostRules}
	if i := slices.Index(argv, "--delete"); i > 0 {
		rule := argv[0] + " -A " + strings.Join(argv[i+1:], " ")
		at := slices.Index(container.Rules, rule)
		if at < 0 {
			return &exitError{1, argv[0] + ": Bad rule (does a matching rule exist in that chain?).\n"}
		}
		d.state.HostRules = slices.Delete(container.Rules, at, at+1)
		return nil
	}
	d.rules(&container, argv)
	d.state.HostRules = container.Rules
	return nil
}

// routesIPv6 has a default route, unless the host has no way out.
func (s *State) routesIPv6() string {
	if s.NoRouteIPv6 {
		return ""
	}
	zero := strings.Repeat("0", 32)
	return zero + " 00 " + zero + " 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth0\n"
}
