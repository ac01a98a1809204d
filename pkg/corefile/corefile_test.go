// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package corefile_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/corefile"
	"github.com/gardener/kindling/pkg/hosts"
)

// kubeadm is the Corefile of a kind cluster.
const kubeadm = `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30 {
       disable success cluster.local
       disable denial cluster.local
    }
    loop
    reload
    loadbalance
}
`

func entries(lines ...string) []hosts.Entry {
	var all []hosts.Entry
	for _, line := range lines {
		address, name, _ := strings.Cut(line, " ")
		all = append(all, hosts.Entry{Address: netip.MustParseAddr(address), Name: name})
	}
	return all
}

func TestSetHosts(t *testing.T) {
	t.Parallel()
	garden := entries("172.18.0.2 garden.local.gardener.cloud")
	for _, test := range []struct {
		name, text, want string
		entries          []hosts.Entry
	}{
		{
			"kubeadm's gets the plugin before kubernetes", kubeadm,
			strings.Replace(kubeadm, "    kubernetes", "    hosts {\n        172.18.0.2 garden.local.gardener.cloud\n        172.18.0.2 api.x\n        fallthrough\n    }\n    kubernetes", 1),
			append(entries("172.18.0.2 garden.local.gardener.cloud"), entries("172.18.0.2 api.x")...),
		},
		{
			"the address of before is replaced, other names stay",
			".:53 {\n    hosts {\n        172.18.0.9 garden.local.gardener.cloud mine # why\n        10.0.0.1 other\n        fallthrough\n    }\n}\n",
			".:53 {\n    hosts {\n        172.18.0.2 garden.local.gardener.cloud\n        172.18.0.9 mine # why\n        10.0.0.1 other\n        fallthrough\n    }\n}\n",
			garden,
		},
		{
			"a line of its own goes with the name",
			".:53 {\n\thosts {\n\t\t172.18.0.9 garden.local.gardener.cloud\n\t\tfallthrough\n\t}\n}\n",
			".:53 {\n\thosts {\n\t    172.18.0.2 garden.local.gardener.cloud\n\t\tfallthrough\n\t}\n}\n",
			garden,
		},
		{
			"what the plugin does not know goes on",
			". {\n  hosts /etc/my-hosts # mine\n}\n", ". {\n  hosts /etc/my-hosts {\n      172.18.0.2 garden.local.gardener.cloud\n      fallthrough\n  } # mine\n}\n", garden,
		},
		{
			"comments, snippets and other servers stay as they are",
			"# mine\n(log) {\n  log # all\n}\nexample.org:5300 {\n  hosts {\n    10.0.0.1 garden.local.gardener.cloud\n  }\n}\ndns://.:53 {\n  import log\n\n  # the end\n}\n",
			"# mine\n(log) {\n  log # all\n}\nexample.org:5300 {\n  hosts {\n    10.0.0.1 garden.local.gardener.cloud\n  }\n}\ndns://.:53 {\n  import log\n\n  # the end\n" +
				"  hosts {\n      172.18.0.2 garden.local.gardener.cloud\n      fallthrough\n  }\n}\n",
			garden,
		},
		{"braces on one line", ". { hosts { fallthrough } }", ". { hosts {\n        172.18.0.2 garden.local.gardener.cloud\n fallthrough } }", garden},
		{"an empty server", "example.org,\n:53 {\n}\n", "example.org,\n:53 {\n    hosts {\n        172.18.0.2 garden.local.gardener.cloud\n        fallthrough\n    }\n}\n", garden},
		{
			"quotes hold braces and line breaks", ".:53 {\n  template IN A {\n    answer \"{{ .Name }}\n} \\\" {\"\n  }\n}\n",
			".:53 {\n  template IN A {\n    answer \"{{ .Name }}\n} \\\" {\"\n  }\n  hosts {\n      172.18.0.2 garden.local.gardener.cloud\n      fallthrough\n  }\n}\n", garden,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := corefile.SetHosts(test.text, test.entries)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			checkSet(t, got, test.entries)
		})
	}
}

// checkSet holds that the names have their addresses, and that doing it again changes nothing.
func checkSet(t *testing.T, text string, want []hosts.Entry) {
	t.Helper()
	for _, e := range want {
		addresses, err := corefile.Addresses(text, e.Name)
		if err != nil || len(addresses) != 1 || addresses[0] != e.Address {
			t.Errorf("%s has %v, %v in\n%s", e.Name, addresses, err, text)
		}
	}
	if again, err := corefile.SetHosts(text, want); err != nil || again != text {
		t.Errorf("again: %v\n%s", err, cmp.Diff(text, again))
	}
}

func TestWhatCanNotBeEditedIsNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"no server for all names", "example.org {\n}\n", corefile.ErrNoServer.Error()},
		{"an empty file", "", corefile.ErrNoServer.Error()},
		{"a server at another port", ".:5353 {\n}\n", corefile.ErrNoServer.Error()},
		{"a brace that is not closed", "# x\n.:53 {\n  hosts {\n}\n", "line 2 of the Corefile: this { has no }"},
		{"a brace too many", ".:53 {\n}\n}\n", "line 3 of the Corefile: there is a } where a server block should begin"},
		{"no braces", ".:53\nerrors\n", "line 1 of the Corefile: a server block without braces can't be edited"},
		{"a block without a name", ".:53 {\n {\n }\n}\n", "line 2 of the Corefile: there is a { where a name should be"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := corefile.SetHosts(test.text, entries("10.0.0.1 a")); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestReloads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{kubeadm: true, strings.Replace(kubeadm, "    reload\n", "    # reload\n", 1): false, ". {\n log\n}": false} {
		if got, err := corefile.Reloads(text); err != nil || got != want {
			t.Errorf("got %t, %v, want %t for\n%s", got, err, want, text)
		}
	}
}

func FuzzSetHosts(f *testing.F) {
	for _, text := range []string{kubeadm, ". { hosts { 1.1.1.1 a b\n} }", "(s) {\n}\n:53, {\n hosts x { # y\n ::1 a } }", ".:53 {\nhosts\n\"a\nb\" {\n}}", ".:53 {\n hosts {\n1.1.1.1 a\n}\nhosts {\n2.2.2.2 a\n}\n}"} {
		f.Add(text)
	}
	want := entries("1.2.3.4 a", "1.2.3.4 b")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := corefile.SetHosts(text, want)
		if err != nil {
			var syntax *corefile.SyntaxError
			if !errors.Is(err, corefile.ErrNoServer) && !errors.As(err, &syntax) {
				t.Fatal(err)
			}
			return
		}
		checkSet(t, got, want)
	})
}
