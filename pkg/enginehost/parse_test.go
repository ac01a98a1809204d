// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package enginehost_test

import (
	"bytes"
	"compress/gzip"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gardener/kindling/pkg/enginehost"
)

// distribution is the output on a host of a distribution: modules in files, some of them loaded.
const distribution = `1764738478
    1B-blocks        Avail
 270553174016  68712689664

==> /proc/sys/kernel/random/boot_id <==
8787ee1b-5c7a-4e29-b236-e9485214bb32

==> /proc/sys/fs/inotify/max_user_instances <==
128

==> /proc/sys/fs/inotify/max_user_watches <==
524288

==> /proc/sys/net/ipv6/conf/all/disable_ipv6 <==
0

==> /proc/modules <==
tun 61440 2 - Live 0x0000000000000000
ip_tunnel 32768 1 ipip, Live 0x0000000000000000
ipip 20480 0 - Live 0x0000000000000000

==> /proc/net/fib_trie <==
Main:
  +-- 0.0.0.0/0 3 0 4
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 127.0.0.0/8 2 0 2
           |-- 127.0.0.0
              /8 host LOCAL
           |-- 127.0.0.1
              /32 host LOCAL
     |-- 172.18.255.53
        /32 host LOCAL
     |-- 192.0.2.255
        /32 link BROADCAST
Local:
     |-- 172.18.255.53
        /32 host LOCAL

==> /proc/net/if_inet6 <==
00000000000000000000000000000001 01 80 10 80       lo
fd0000ff000000000000000000000053 01 80 00 80       lo

==> /proc/net/ipv6_route <==
fd000000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000002 00000000 00000003     eth1
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo

==> /lib/modules/6.12.0-amd64/modules.builtin <==
kernel/drivers/net/mii.ko
kernel/net/ipv6/ip6_tunnel.ko

==> /lib/modules/6.12.0-amd64/modules.dep <==
kernel/drivers/net/bonding/bonding.ko.xz: kernel/net/tls/tls.ko.xz
kernel/net/ipv4/ipip.ko.xz: kernel/net/ipv4/tunnel4.ko.xz
`

func TestReadsAHostWithModulesInFiles(t *testing.T) {
	got, err := enginehost.Parse([]byte(distribution))
	if err != nil {
		t.Fatal(err)
	}
	want := enginehost.Facts{
		BootID: "8787ee1b-5c7a-4e29-b236-e9485214bb32", MaxUserInstances: 128, MaxUserWatches: 524288, IPv6: true, DefaultIPv6: "eth1",
		Modules: map[string]enginehost.ModuleState{
			"ipip": enginehost.Loaded, "tun": enginehost.Loaded, "ip6_tunnel": enginehost.BuiltIn, "bonding": enginehost.Loadable, "xt_NETMAP": enginehost.Missing,
			"ip6table_nat": enginehost.Missing, "nft_chain_nat": enginehost.Missing,
		},
		Addresses: []netip.Addr{
			netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("172.18.255.53"), netip.MustParseAddr("::1"), netip.MustParseAddr("fd00:ff::53"),
		},
		DiskTotal: 270553174016, DiskFree: 68712689664, Time: time.Unix(1764738478, 0),
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Error(diff)
	}
}

// compressed is a kernel's configuration. It has a line that looks like the header of a file, which ends nothing.
func compressed(t testing.TB) string {
	t.Helper()
	var buffer bytes.Buffer
	writer := gzip.NewWriter(&buffer)
	if _, err := writer.Write([]byte("# CONFIG_NET_IPIP is not set\nCONFIG_TUN=y\nCONFIG_BONDING=m\nCONFIG_NETFILTER_XT_TARGET_NETMAP=y\n==> /proc/modules <==\n")); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.String()
}

func TestReadsAKernelThatTellsItsConfiguration(t *testing.T) {
	got, err := enginehost.Parse([]byte("1B-blocks Avail\n1 2\n==> /proc/sys/kernel/random/boot_id <==\na\n\n==> /proc/config.gz <==\n" + compressed(t)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]enginehost.ModuleState{
		// Its file is missing: it can't be loaded.
		"bonding": enginehost.Missing, "tun": enginehost.BuiltIn, "xt_NETMAP": enginehost.BuiltIn, "ipip": enginehost.Missing, "ip6_tunnel": enginehost.Missing,
		"ip6table_nat": enginehost.Missing, "nft_chain_nat": enginehost.Missing,
	}
	if diff := cmp.Diff(want, got.Modules); diff != "" {
		t.Error(diff)
	}
	if got.IPv6 || got.DefaultIPv6 != "" {
		t.Errorf("a host without files about IPv6 has it: %+v", got)
	}
}

func TestWhatIsNoAnswerIsAnError(t *testing.T) {
	for _, output := range []string{"", "sh: df: not found\n", "==> /proc/sys/kernel/random/boot_id <==\n"} {
		if facts, err := enginehost.Parse([]byte(output)); err == nil {
			t.Errorf("%q tells %+v", output, facts)
		}
	}
}

func TestAClockThatDiffersIsSaid(t *testing.T) {
	for _, c := range []struct {
		facts enginehost.Facts
		want  string
	}{
		{enginehost.Facts{Time: time.Unix(1, 0), ClockAhead: -time.Hour}, "1h0m0s behind this machine's"},
		{enginehost.Facts{Time: time.Unix(1, 0), ClockAhead: 30 * time.Second}, "30s ahead of this machine's"},
		{enginehost.Facts{Time: time.Unix(1, 0), ClockAhead: -29 * time.Second}, ""},
		{enginehost.Facts{ClockAhead: time.Hour}, ""},
	} {
		if got := c.facts.WrongClock(); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.facts, got, c.want)
		}
	}
}

func TestLittleRoomIsSaid(t *testing.T) {
	for _, c := range []struct {
		facts enginehost.Facts
		want  string
	}{
		{enginehost.Facts{DiskTotal: 100 << 30, DiskFree: 9 << 30}, "9.0 GiB free of 100.0 GiB"},
		{enginehost.Facts{DiskTotal: 100 << 30, DiskFree: 10 << 30}, ""},
		{enginehost.Facts{}, ""},
	} {
		if got := c.facts.LittleDisk(); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.facts, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(distribution))
	f.Add([]byte("==> /proc/sys/kernel/random/boot_id <==\na\n==> /proc/config.gz <==\n" + compressed(f)))
	f.Fuzz(func(t *testing.T, output []byte) {
		facts, err := enginehost.Parse(output)
		if err == nil && (facts.BootID == "" || len(facts.Modules) != len(enginehost.Modules())) {
			t.Errorf("no error, and %+v", facts)
		}
	})
}

func TestNATForIPv6IsInEitherModule(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		modules    map[string]enginehost.ModuleState
		has, known bool
	}{
		"that of iptables alone":    {map[string]enginehost.ModuleState{"ip6table_nat": enginehost.Loaded, "nft_chain_nat": enginehost.Missing}, true, true},
		"that of nftables alone":    {map[string]enginehost.ModuleState{"ip6table_nat": enginehost.Missing, "nft_chain_nat": enginehost.Loadable}, true, true},
		"none":                      {map[string]enginehost.ModuleState{"ip6table_nat": enginehost.Missing, "nft_chain_nat": enginehost.Missing}, false, true},
		"a host that tells of none": {nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			has, known := enginehost.Facts{Modules: c.modules}.NAT6()
			if has != c.has || known != c.known {
				t.Errorf("%t, %t, want %t, %t", has, known, c.has, c.known)
			}
		})
	}
}
