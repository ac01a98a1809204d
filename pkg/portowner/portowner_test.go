// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package portowner_test

import (
	"bufio"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener/kindling/pkg/portowner"
)

const header = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

// tree is a /proc with one process that has a socket.
func tree(t *testing.T, table, line string) string {
	t.Helper()
	proc := t.TempDir()
	for path, content := range map[string]string{"net/" + table: header + line, "42/comm": "dnsmasq\n", "42/fd/.": ""} {
		file := filepath.Join(proc, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if content == "" {
			continue
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(proc, "42", "fd"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("socket:[777]", filepath.Join(proc, "42", "fd", "3")); err != nil {
		t.Fatal(err)
	}
	return proc
}

func TestFind(t *testing.T) {
	t.Parallel()
	const rest = " 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
	for _, test := range []struct {
		name, table, line, wanted, program string
		found                              bool
	}{
		{"the address itself", "tcp", "   0: 35FF12AC:0035" + rest + "777 1", "172.18.255.53:53", "dnsmasq (process 42)", true},
		{"all addresses", "udp", "   0: 00000000:0035" + strings.Replace(rest, "0A", "07", 1) + "777 2", "172.18.255.53:53", "dnsmasq (process 42)", true},
		{"all addresses of both families", "tcp6", "   0: 00000000000000000000000000000000:0035" + rest + "777 1", "172.18.255.53:53", "dnsmasq (process 42)", true},
		{"an address of IPv6", "tcp6", "   0: FF0000FD000000000000000053000000:0035" + rest + "777 1", "[fd00:ff::53]:53", "dnsmasq (process 42)", true},
		{"all addresses of IPv4 are none of IPv6", "tcp", "   0: 00000000:0035" + rest + "777 1", "[fd00:ff::53]:53", "", false},
		{"another address", "tcp", "   0: 3500007F:0035" + rest + "777 1", "172.18.255.53:53", "", false},
		{"another port", "tcp", "   0: 00000000:0036" + rest + "777 1", "172.18.255.53:53", "", false},
		{"a connection of TCP keeps nobody out", "tcp", "   0: 00000000:0035" + strings.Replace(rest, "0A", "01", 1) + "777 1", "172.18.255.53:53", "", false},
		{"another user's process", "tcp", "   0: 00000000:0035" + rest + "778 1", "172.18.255.53:53", "", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			program, found := portowner.Find(tree(t, test.table, test.line), netip.MustParseAddrPort(test.wanted), portowner.TCP, portowner.UDP)
			if program != test.program || found != test.found {
				t.Errorf("got %q, %t, want %q, %t", program, found, test.program, test.found)
			}
		})
	}
}

func TestFindLooksAtTheGivenProtocolsOnly(t *testing.T) {
	t.Parallel()
	proc := tree(t, "udp", "   0: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 777 2")
	mdns := netip.MustParseAddrPort("127.0.0.1:5353")
	if program, found := portowner.Find(proc, mdns, portowner.TCP); found {
		t.Errorf("a socket of UDP keeps TCP out: %s", program)
	}
	if program, found := portowner.Find(proc, mdns, portowner.UDP); !found || program != "dnsmasq (process 42)" {
		t.Errorf("got %q, %t", program, found)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(header + "   0: 00000000000000000000000000000000:0035 00000000:0000 0A 0:0 0:0 0 0 0 777 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, socket := range portowner.Parse(bufio.NewScanner(strings.NewReader(text)), true) {
			if !socket.Local.IsValid() || socket.Inode == "" {
				t.Errorf("%v in %q", socket, text)
			}
		}
	})
}
