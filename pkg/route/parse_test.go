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

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		line int
		want string
	}{
		"a word that is no destination":   {"10.0.0.0/8 dev eth0\n\ngarbage in here\n", 3, `line 3: "garbage in here": "garbage" is no destination;`},
		"an unknown attribute":            {"10.0.0.0/8 dev eth0 colour blue", 1, `unknown attribute "colour"`},
		"a prompt":                        {"$ ip r\n10.0.0.0/8 dev eth0", 1, "looks like a prompt or a command"},
		"a prompt with a host name":       {"root@vpn-seed-server:/# ip route", 1, "looks like a prompt or a command"},
		"a prompt that begins as JSON":    {"[root@host ~]# ip r\n10.0.0.0/8 dev eth0", 1, "looks like a prompt or a command"},
		"a command":                       {"/sbin/ip -6 route show", 1, "looks like a prompt or a command"},
		"a prompt after the table":        {"10.0.0.0/8 dev eth0\nuser@host:~$", 2, "looks like a prompt or a command"},
		"a short form of a destination":   {"10.1/16 dev eth0", 1, `"10.1/16" is no destination`},
		"a destination with a zone":       {"fe80::1%eth0 dev eth0", 1, "is no destination"},
		"host bits":                       {"10.1.2.3/16 dev eth0", 1, "has host bits; the network is 10.1.0.0/16"},
		"a type without destination":      {"blackhole", 1, "it ends before its destination"},
		"an attribute without value":      {"10.0.0.0/8 dev", 1, "it ends after dev, where a value has to follow"},
		"a gateway without address":       {"10.0.0.0/8 via inet6", 1, "it ends after via inet6"},
		"a gateway that is no address":    {"10.0.0.0/8 via eth0", 1, `"eth0" after via is no address`},
		"a gateway of another family":     {"fd00::/8 via 10.0.0.1", 1, "an IPv6 route can't have the IPv4 gateway 10.0.0.1"},
		"a gateway with a wrong family":   {"10.0.0.0/8 via inet6 10.0.0.1", 1, `the gateway 10.0.0.1 is not of the family "inet6"`},
		"a source of another family":      {"10.0.0.0/8 dev eth0 src fd00::1", 1, "the route is IPv4 and its source IPv6"},
		"a metric that is no number":      {"10.0.0.0/8 metric high", 1, `"high" after metric is no number of 32 bits`},
		"a metric that is too large":      {"10.0.0.0/8 metric 4294967296", 1, "is no number of 32 bits"},
		"an attribute twice":              {"10.0.0.0/8 dev eth0 dev eth1", 1, `it has "dev" twice`},
		"a name that no device has":       {"10.0.0.0/8 dev a-name-that-is-too-long", 1, "can't be the name of a network device"},
		"a device that breaks terminals":  {"10.0.0.0/8 dev \x1b[31m", 1, `"\x1b[31m" can't be the name of a network device`},
		"a next hop first":                {"\tnexthop via 10.0.0.1 dev eth0", 1, "a next hop without a route before it"},
		"an error in a next hop":          {"default\n\tnexthop via 10.0.0.1 dev eth0\n\tnexthop via x", 3, `"x" after via is no address`},
		"a weight without next hop":       {"10.0.0.0/8 dev eth0 weight 1", 1, "a weight without nexthop"},
		"a source-specific route":         {"default from fd00::/64 via fe80::1 dev eth0", 1, "routes that depend on the source of a packet"},
		"a backslash in the wrong place":  {`10.0.0.0/8 dev eth0 \ metric 1`, 1, `unknown attribute "\\"`},
		"a default of unclear family":     {"10.0.0.0/8 dev eth0\nfd00::/8 dev eth0\ndefault dev tun0", 3, "write 0.0.0.0/0 or ::/0 instead of default"},
		"a default of both families":      {"default via inet6 fe80::1 dev eth0 pref medium", 1, "it has marks of both families"},
		"what `ip route get` prints":      {"10.0.0.1 dev eth0 src 10.0.0.2 uid 0\n    cache", 2, `"cache" is no destination`},
		"a long line is quoted in part":   {strings.Repeat("ü", 1000), 1, `ü" and so on: `},
		"broken JSON":                     {"[{\"dst\":\"10.0.0.0/8\"},\n{\"dst\":\n}]", 3, "broken JSON: invalid character '}'"},
		"JSON that ends early":            {"[{\"dst\":\"10.0.0.0/8\"},\n", 1, "the JSON ends in the middle"},
		"JSON that ends in an object":     {"[{\"dst\":\"10.0.0.0/8\",\n\"dev\"", 2, "the JSON ends in the middle"},
		"JSON without a comma":            {"[{\"dst\":\"10.0.0.0/8\"}\n{\"dst\":\"11.0.0.0/8\"}]", 2, "broken JSON"},
		"JSON followed by something else": {"[{\"dst\":\"10.0.0.0/8\"}]\n7", 2, "an array of routes has to begin here"},
		"JSON of something else":          {"[{\"ifname\":\"eth0\"}]", 1, "it has no dst"},
		"JSON of the wrong kind":          {"[{\"dst\":\"10.0.0.0/8\",\n\"flags\":7}]", 1, `the field "flags" has a value of another kind`},
		"JSON with a list as metric":      {"[\n{\"dst\":\"10.0.0.0/8\",\"metric\":[]}]", 2, "neither a number nor a string"},
		"JSON with a bad type":            {"[{\"dst\":\"10.0.0.0/8\",\"type\":\"nat\"}]", 1, `"nat" is no type of route`},
		"JSON with a bad gateway":         {"[{\"dst\":\"10.0.0.0/8\",\"nexthops\":[{\"gateway\":\"x\"}]}]", 1, `"x" after via is no address`},
		"JSON with a bad weight":          {"[{\"dst\":\"10.0.0.0/8\",\"nexthops\":[{\"weight\":-1}]}]", 1, `"-1" after weight is no number`},
		"JSON with a space in a table":    {"[{\"dst\":\"10.0.0.0/8\",\"table\":\"a b\"}]", 1, `"a b" can't come after table`},
		"JSON of a source-specific route": {"[{\"dst\":\"default\",\"from\":\"fd00::/64\"}]", 1, "routes that depend on the source of a packet"},
		"JSON with a default of unclear family": {
			"[{\"dst\":\"10.0.0.0/8\"},{\"dst\":\"fd00::/8\"},\n\n{\"dst\":\"default\"}]", 3, "write 0.0.0.0/0 or ::/0 instead of default",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			routes, err := route.Parse(strings.NewReader(test.text))
			parseError, ok := errors.AsType[*route.ParseError](err)
			if !ok {
				t.Fatalf("got %v, %v, want a ParseError", routes, err)
			}
			if parseError.Line != test.line || !strings.Contains(err.Error(), test.want) {
				t.Errorf("line %d: %v\nwant line %d: %s", parseError.Line, err, test.line, test.want)
			}
			if len(err.Error()) > 700 || strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("not fit to be shown: %q", err.Error())
			}
		})
	}
}

func TestParseWithoutRoutes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n \r\n\t", "[]", "[ ]\n", "[{}]", "\ufeff"} {
		if _, err := route.Parse(strings.NewReader(text)); !errors.Is(err, route.ErrNoRoute) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

// endless repeats a text for ever.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[e.at%len(e.text)]
		e.at++
	}
	return len(p), nil
}

func TestParseIsBounded(t *testing.T) {
	t.Parallel()
	line := "10.0.0.0/8 dev eth0\n"
	for name, test := range map[string]struct {
		reader io.Reader
		want   route.LimitError
	}{
		"endless":              {&endless{text: line}, route.LimitError{What: "size", Limit: 64 << 20, Unit: "bytes"}},
		"a long line":          {strings.NewReader(line + strings.Repeat("x", 1<<20+1)), route.LimitError{What: "length of a line", Limit: 1 << 20, Unit: "bytes", Line: 2}},
		"many routes":          {strings.NewReader(strings.Repeat("::1\n", 1<<20+1)), route.LimitError{What: "number of routes and next hops", Limit: 1 << 20, Unit: "of them", Line: 1<<20 + 1}},
		"many next hops":       {strings.NewReader("::1\n" + strings.Repeat("nexthop\n", 1<<20)), route.LimitError{What: "number of routes and next hops", Limit: 1 << 20, Unit: "of them", Line: 1<<20 + 1}},
		"a large JSON object":  {strings.NewReader(`[{"dst":"` + strings.Repeat("x", 1<<20) + `"}]`), route.LimitError{What: "size of a route", Limit: 1 << 20, Unit: "bytes", Line: 1}},
		"many routes in JSON":  {strings.NewReader("[" + strings.Repeat(`{"dst":"::1"},`, 1<<20) + "\n" + `{"dst":"::1"}]`), route.LimitError{What: "number of routes and next hops", Limit: 1 << 20, Unit: "of them", Line: 2}},
		"next hops of several": {strings.NewReader("[" + strings.Repeat(`{"dst":"::1","nexthops":[`+strings.Repeat("{},", 1<<16)+"{}]},\n", 16) + `{"dst":"::1"}]`), route.LimitError{What: "number of routes and next hops", Limit: 1 << 20, Unit: "of them", Line: 16}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := route.Parse(test.reader)
			limit, ok := errors.AsType[*route.LimitError](err)
			if !ok {
				t.Fatalf("got %v, want a LimitError", err)
			}
			if diff := cmp.Diff(&test.want, limit); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
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
