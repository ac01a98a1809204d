// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/route"
)

func TestParse(t *testing.T) {
	t.Parallel()
	p, a := netip.MustParsePrefix, netip.MustParseAddr
	simple := route.Route{Destination: p("10.3.0.0/16"), Gateway: a("192.168.123.194"), Device: "bond0"}
	for name, test := range map[string]struct {
		text string
		want []route.Route
	}{
		"a route":                       {"10.3.0.0/16 via 192.168.123.194 dev bond0 \n", []route.Route{simple}},
		"no line break at the end":      {"10.3.0.0/16 via 192.168.123.194 dev bond0", []route.Route{simple}},
		"CRLF, tabs and blank lines":    {"\r\n \r\n\t10.3.0.0/16\tvia 192.168.123.194  dev\tbond0 \r\n\r\n", []route.Route{simple}},
		"a byte order mark":             {"\ufeff10.3.0.0/16 via 192.168.123.194 dev bond0\n", []route.Route{simple}},
		"a byte order mark before JSON": {"\ufeff[{\"dst\":\"10.3.0.0/16\",\"gateway\":\"192.168.123.194\",\"dev\":\"bond0\"}]", []route.Route{simple}},
		"a host route": {
			"169.254.1.1 dev eth0 scope link", []route.Route{{Destination: p("169.254.1.1/32"), Device: "eth0"}},
		},
		"all that matters": {
			"local 10.0.0.1 tos 0x10 via 10.0.0.2 dev eth0 table local proto kernel scope host src 10.0.0.3 metric 4294967295 onlink linkdown",
			[]route.Route{{
				Destination: p("10.0.0.1/32"), Type: route.TypeLocal, TOS: "0x10", Gateway: a("10.0.0.2"), Device: "eth0", Table: "local", Source: a("10.0.0.3"),
				Metric: 4294967295, OnLink: true, LinkDown: true,
			}},
		},
		"attributes that do not matter": {
			"10.3.0.0/16 nhid 7 via 192.168.123.194 dev bond0 proto 80 scope link realms 3/4 mtu lock 1400 rtt 1ms advmss 1000 features ecn 0x10 congctl cubic " +
				"hoplimit 64 initcwnd 10 expires 20sec error -101 offload rt_trap pervasive features ecn",
			[]route.Route{simple},
		},
		"unicast written out": {"unicast 10.3.0.0/16 via 192.168.123.194 dev bond0 table main", []route.Route{simple}},
		"types without a device": {"blackhole 10.1.0.0/26 proto 80\nunreachable 10.1.1.0/26\nprohibit 10.1.2.0/26\nthrow 10.1.3.0/26", []route.Route{
			{Destination: p("10.1.0.0/26"), Type: route.TypeBlackhole},
			{Destination: p("10.1.1.0/26"), Type: route.TypeUnreachable},
			{Destination: p("10.1.2.0/26"), Type: route.TypeProhibit},
			{Destination: p("10.1.3.0/26"), Type: route.TypeThrow},
		}},
		"next hops on lines of their own": {
			"default proto static metric 5 \n\tnexthop via 10.0.0.2 dev v0 weight 2 \n\tnexthop via inet6 fe80::1 dev v1 weight 1 onlink dead linkdown \n10.3.0.0/16 via 192.168.123.194 dev bond0",
			[]route.Route{{Destination: p("0.0.0.0/0"), Metric: 5, NextHops: []route.NextHop{
				{Gateway: a("10.0.0.2"), Device: "v0", Weight: 2},
				{Gateway: a("fe80::1"), Device: "v1", Weight: 1, OnLink: true, LinkDown: true, Dead: true},
			}}, simple},
		},
		"next hops as ip -o prints them": {
			"fd00::/16 metric 1024 pref medium \\\tnexthop via fe80::1 dev v0 weight 1 \\\tnexthop via fe80::2 dev v1 weight 1 ",
			[]route.Route{{Destination: p("fd00::/16"), Metric: 1024, NextHops: []route.NextHop{
				{Gateway: a("fe80::1"), Device: "v0", Weight: 1}, {Gateway: a("fe80::2"), Device: "v1", Weight: 1},
			}}},
		},
		"default is IPv4 where nothing says otherwise": {"default dev tun0", []route.Route{{Destination: p("0.0.0.0/0"), Device: "tun0"}}},
		"default is IPv6 by its gateway": {
			"default via fe80::1 dev eth0", []route.Route{{Destination: p("::/0"), Gateway: a("fe80::1"), Device: "eth0"}},
		},
		"default is IPv6 by its source": {
			"default dev eth0 src fd00::5", []route.Route{{Destination: p("::/0"), Device: "eth0", Source: a("fd00::5")}},
		},
		"default is IPv6 by its preference": {
			"default dev tun0 metric 1024 pref high", []route.Route{{Destination: p("::/0"), Device: "tun0", Metric: 1024, Preference: "high"}},
		},
		"default is IPv6 among IPv6 routes": {"default dev tun0\nfd00::/64 dev eth0", []route.Route{
			{Destination: p("::/0"), Device: "tun0"}, {Destination: p("fd00::/64"), Device: "eth0"},
		}},
		"default is IPv4 with an IPv6 gateway as ip prints it": {
			"default via inet6 fe80::1 dev eth0", []route.Route{{Destination: p("0.0.0.0/0"), Gateway: a("fe80::1"), Device: "eth0"}},
		},
		"both families, where each default shows its own": {
			"default via 169.254.1.1 dev eth0\ndefault via fe80::1 dev eth0\nfd00::/64 dev eth0\ndefault dev tun0 table 9 scope link", []route.Route{
				{Destination: p("0.0.0.0/0"), Gateway: a("169.254.1.1"), Device: "eth0"},
				{Destination: p("::/0"), Gateway: a("fe80::1"), Device: "eth0"},
				{Destination: p("fd00::/64"), Device: "eth0"},
				{Destination: p("0.0.0.0/0"), Device: "tun0", Table: "9"},
			},
		},
		"both families, where IPv6 shows its preference": {
			"unreachable default\n10.0.0.0/8 dev eth0\nfd00::/64 dev eth0 pref medium\nunreachable default dev lo metric 1024 pref medium", []route.Route{
				{Destination: p("0.0.0.0/0"), Type: route.TypeUnreachable},
				{Destination: p("10.0.0.0/8"), Device: "eth0"},
				{Destination: p("fd00::/64"), Device: "eth0"},
				{Destination: p("::/0"), Type: route.TypeUnreachable, Device: "lo", Metric: 1024},
			},
		},
		"an IPv4-mapped destination": {
			"unreachable ::ffff:0.0.0.0/96 dev lo metric 1024 error -113 pref medium",
			[]route.Route{{Destination: p("::ffff:0.0.0.0/96"), Type: route.TypeUnreachable, Device: "lo", Metric: 1024}},
		},
		"JSON": {
			`[{"dst":"10.3.0.0/16","gateway":"192.168.123.194","dev":"bond0","flags":[],"something":{"new":[1]}},
			  {"type":"unreachable","dst":"default","metric":5,"flags":[]},
			  {"dst":"40.0.0.0/8","via":{"family":"inet6","host":"fe80::1"},"dev":"v0","scope":"link","flags":["onlink","linkdown","dead"]},
			  {"type":"local","dst":"10.0.0.1","tos":"0x10","dev":"v0","table":"local","protocol":"kernel","prefsrc":"10.0.0.1","flags":["offload"]},
			  {"dst":"10.9.0.0/16","table":100,"metric":"7","flags":[],"nexthops":[{"gateway":"10.0.0.2","dev":"v0","weight":2,"flags":["linkdown"]},{"dev":"v1"}]},
			  {}]`,
			[]route.Route{
				simple,
				{Destination: p("0.0.0.0/0"), Type: route.TypeUnreachable, Metric: 5},
				{Destination: p("40.0.0.0/8"), Gateway: a("fe80::1"), Device: "v0", OnLink: true, LinkDown: true, Dead: true},
				{Destination: p("10.0.0.1/32"), Type: route.TypeLocal, TOS: "0x10", Device: "v0", Table: "local", Source: a("10.0.0.1")},
				{Destination: p("10.9.0.0/16"), Table: "100", Metric: 7, NextHops: []route.NextHop{
					{Gateway: a("10.0.0.2"), Device: "v0", Weight: 2, LinkDown: true}, {Device: "v1"},
				}},
			},
		},
		"JSON of both families, one after the other": {
			`[{"dst":"default","gateway":"169.254.1.1","dev":"eth0","flags":[]}]` + "\n" +
				`[{"dst":"default","dev":"tun0","metric":1024,"flags":[],"pref":"low"}]` + "\n", []route.Route{
				{Destination: p("0.0.0.0/0"), Gateway: a("169.254.1.1"), Device: "eth0"},
				{Destination: p("::/0"), Device: "tun0", Metric: 1024, Preference: "low"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := parse(t, test.text)
			if diff := cmp.Diff(test.want, got, comparer()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, r := range got {
				if diff := cmp.Diff([]route.Route{r}, parse(t, r.String()), comparer()); diff != "" {
					t.Errorf("%q is read back as (-want +got):\n%s", r, diff)
				}
			}
		})
	}
}

// endless repeats a text for ever.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

func TestEndlessInputEnds(t *testing.T) {
	t.Parallel()
	_, err := route.Parse(&endless{text: strings.Repeat("10.0.0.0/8 dev eth0\n", 1000)})
	if limit, ok := errors.AsType[*route.LimitError](err); !ok || limit.What != "size" || limit.Limit != 64<<20 {
		t.Errorf("got %v, want a LimitError of 64 MiB", err)
	}
}

// stuck returns nothing, without an error.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestParseReturnsErrorsOfTheReader(t *testing.T) {
	t.Parallel()
	if _, err := route.Parse(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
	if _, err := route.Parse(stuck{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

func TestLimitErrorSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]*route.LimitError{
		"routes: the size is over the limit of 5 bytes: give the routing table of one network namespace": {What: "size", Limit: 5, Unit: "bytes"},
		"routes, line 7: the length of a line is over the limit of 5 bytes: give the routing table of one network namespace": {
			What: "length of a line", Limit: 5, Unit: "bytes", Line: 7,
		},
	} {
		if err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
