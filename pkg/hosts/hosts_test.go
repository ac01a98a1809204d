// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package hosts_test

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/hosts"
)

func entry(address, name string) hosts.Entry {
	return hosts.Entry{Address: netip.MustParseAddr(address), Name: name}
}

func TestSet(t *testing.T) {
	t.Parallel()
	garden := []hosts.Entry{entry("172.18.0.2", "garden")}
	for _, test := range []struct{ name, content, want string }{
		{"an empty file", "", "172.18.0.2 garden # kindling\n"},
		{"a file without a line break at its end", "127.0.0.1 localhost", "127.0.0.1 localhost\n172.18.0.2 garden # kindling\n"},
		{"comments and blanks stay", "# mine\n\n127.0.0.1\tlocalhost # why\n", "# mine\n\n127.0.0.1\tlocalhost # why\n172.18.0.2 garden # kindling\n"},
		{"the address of before goes", "172.18.0.9 garden # kindling\n::1 localhost\n", "::1 localhost\n172.18.0.2 garden # kindling\n"},
		{"other names of a line stay", "172.18.0.9 a garden b\n", "172.18.0.9 a b\n172.18.0.2 garden # kindling\n"},
		{"somebody else's line that says the same is enough", "172.18.0.2\tx garden\n", "172.18.0.2\tx garden\n"},
		{"a name in a comment is none", "172.18.0.2 x # garden\n", "172.18.0.2 x # garden\n172.18.0.2 garden # kindling\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := hosts.Set(test.content, garden)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if again := hosts.Set(got, garden); again != got {
				t.Errorf("again:\n%s", cmp.Diff(got, again))
			}
		})
	}
}

func TestRemoveTakesWhatAddWrote(t *testing.T) {
	t.Parallel()
	registry := []hosts.Entry{entry("127.0.0.1", "registry"), entry("::1", "registry")}
	before := "127.0.0.1 localhost\n127.0.0.1 registry\n"
	after := hosts.Add(before, registry)
	if diff := cmp.Diff(before+"::1 registry # kindling\n", after); diff != "" {
		t.Error(diff)
	}
	if missing := hosts.Missing(after, registry); len(missing) > 0 {
		t.Errorf("missing: %v", missing)
	}
	if diff := cmp.Diff(before, hosts.Remove(after, registry)); diff != "" {
		t.Error(diff)
	}
}

func FuzzSet(f *testing.F) {
	f.Add("127.0.0.1 a b # c\n::1 b")
	entries := []hosts.Entry{entry("1.2.3.4", "a"), entry("::2", "b")}
	f.Fuzz(func(t *testing.T, content string) {
		got := hosts.Set(content, entries)
		for _, e := range entries {
			for _, address := range hosts.Addresses(got, e.Name) {
				if address != e.Address {
					t.Errorf("%s has %s in %q", e.Name, address, got)
				}
			}
		}
		if again := hosts.Set(got, entries); again != got || len(hosts.Missing(got, entries)) > 0 {
			t.Errorf("again: %q, before %q", again, got)
		}
	})
}
