// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gardener/kindling/pkg/route"
)

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
