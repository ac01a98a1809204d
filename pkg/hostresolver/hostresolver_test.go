// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package hostresolver_test

import (
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/hostresolver"
	"github.com/gardener/kindling/pkg/hosts"
)

func settings() hostresolver.Settings {
	return hostresolver.Settings{
		Kind: hostresolver.MacOS, Nameservers: []netip.Addr{netip.MustParseAddr("172.18.255.53")},
		Hosts: []hosts.Entry{{Address: netip.MustParseAddr("127.0.0.1"), Name: "registry.local.gardener.cloud"}},
	}
}

const before = "127.0.0.1 localhost\n"

// machine has a hosts file with mode 0640.
func machine(t *testing.T) hostresolver.Host {
	t.Helper()
	host := hostresolver.Host{Root: t.TempDir(), OS: "darwin"}
	if err := os.Mkdir(filepath.Join(host.Root, "etc"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hostsFile(host), []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	return host
}

func hostsFile(host hostresolver.Host) string { return filepath.Join(host.Root, "etc/hosts") }

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWhoReadsTheHostsFileMeanwhileFindsAWholeOne(t *testing.T) {
	t.Parallel()
	host := machine(t)
	reader, err := os.Open(hostsFile(host))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	if err := host.Set(t.Context(), settings()); err != nil {
		t.Fatal(err)
	}
	if read, err := io.ReadAll(reader); err != nil || string(read) != before {
		t.Errorf("the file was changed under who reads it, to %q: %v", read, err)
	}
	if diff := cmp.Diff(before+"127.0.0.1 registry.local.gardener.cloud # kindling\n", content(t, hostsFile(host))); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(hostsFile(host)); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v: %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(filepath.Join(host.Root, "etc")); err != nil || len(entries) != 2 {
		t.Errorf("%v, want hosts and resolver only: %v", entries, err)
	}
	if err := host.Unset(t.Context(), settings()); err != nil || content(t, hostsFile(host)) != before {
		t.Errorf("%q is left: %v", content(t, hostsFile(host)), err)
	}
}

func TestALinkToTheHostsFileStays(t *testing.T) {
	t.Parallel()
	host := machine(t)
	target := filepath.Join(host.Root, "theirs")
	if err := os.Rename(hostsFile(host), target); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../theirs", hostsFile(host)); err != nil {
		t.Fatal(err)
	}
	if err := host.Set(t.Context(), settings()); err != nil {
		t.Fatal(err)
	}
	if link, err := os.Readlink(hostsFile(host)); err != nil || link != "../theirs" || content(t, target) == before {
		t.Errorf("link %q, content %q: %v", link, content(t, target), err)
	}
}

func TestOnlyWhatIsThereIsTakenBack(t *testing.T) {
	t.Parallel()
	host := machine(t)
	made, err := host.Missing(settings())
	if err != nil || len(made) != 2 {
		t.Fatalf("missing %q: %v", made, err)
	}
	there := func() []string {
		t.Helper()
		there, err := host.There(hostresolver.MacOS, made)
		if err != nil {
			t.Fatal(err)
		}
		return there
	}
	if got := there(); len(got) != 0 {
		t.Errorf("%q are there before anything was told", got)
	}
	if err := host.Set(t.Context(), settings()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made, there()); diff != "" {
		t.Error(diff)
	}
	if err := os.Remove(filepath.Join(host.Root, "etc/resolver/local.gardener.cloud")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/etc/hosts 127.0.0.1 registry.local.gardener.cloud"}, there()); diff != "" {
		t.Error(diff)
	}
	// Somebody's own line is none of kindling's.
	if err := os.WriteFile(hostsFile(host), []byte("127.0.0.1 registry.local.gardener.cloud\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := there(); len(got) != 0 {
		t.Errorf("%q are somebody else's", got)
	}
}
