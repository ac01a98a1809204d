// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package portowner says which program of this machine has a port.
package portowner

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Socket is a socket that is bound to an address.
type Socket struct {
	Local netip.AddrPort
	// Inode by which a process holds it.
	Inode string
}

// Protocols, as the kernel names its tables.
const (
	TCP = "tcp"
	UDP = "udp"
)

// Find returns the program that keeps an address and port of one of the protocols from others, such as "dnsmasq (process 123)". proc is the
// folder /proc of a Linux machine. The program is empty when there is none, or when it is not this user's to see.
func Find(proc string, wanted netip.AddrPort, protocols ...string) (program string, found bool) {
	for _, protocol := range protocols {
		for _, table := range []string{protocol, protocol + "6"} {
			file, err := os.Open(filepath.Join(proc, "net", table))
			if err != nil {
				continue
			}
			sockets := Parse(bufio.NewScanner(file), protocol == TCP)
			_ = file.Close()
			for _, socket := range sockets {
				if overlaps(socket.Local, wanted) {
					return holder(proc, socket.Inode), true
				}
			}
		}
	}
	return "", false
}

func overlaps(have, want netip.AddrPort) bool {
	if have.Port() != want.Port() {
		return false
	}
	// An unspecified address of IPv6 stands for both families, unless a socket says otherwise, which the table does not tell.
	return have.Addr() == want.Addr() || have.Addr().IsUnspecified() && (have.Addr().Is6() || want.Addr().Is4())
}

// listening is the state of TCP sockets that take connections, as the kernel writes it.
const listening = "0A"

// Parse reads a table of sockets such as /proc/net/tcp: those that take connections, and all for protocols that have none.
func Parse(lines *bufio.Scanner, connections bool) []Socket {
	var sockets []Socket
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || connections && fields[3] != listening {
			continue
		}
		if local, ok := parseAddress(fields[1]); ok {
			sockets = append(sockets, Socket{local, fields[9]})
		}
	}
	return sockets
}

// parseAddress reads an address as the kernel writes it: words of four bytes, each in the machine's order, which is little-endian on all
// machines that kind has images for.
func parseAddress(text string) (netip.AddrPort, bool) {
	address, port, _ := strings.Cut(text, ":")
	data, err := hex.DecodeString(address)
	if err != nil || len(data)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for word := range slices.Chunk(data, 4) {
		slices.Reverse(word)
	}
	parsed, ok := netip.AddrFromSlice(data)
	number, err := strconv.ParseUint(port, 16, 16)
	return netip.AddrPortFrom(parsed.Unmap(), uint16(number)), ok && err == nil
}

// holder returns the process that has a socket open.
func holder(proc, inode string) string {
	links, err := filepath.Glob(filepath.Join(proc, "[0-9]*", "fd", "*"))
	if err != nil {
		return ""
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err != nil || target != "socket:["+inode+"]" {
			continue
		}
		dir := filepath.Dir(filepath.Dir(link))
		name, err := os.ReadFile(filepath.Join(dir, "comm"))
		if err != nil {
			return ""
		}
		return fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(name)), filepath.Base(dir))
	}
	return ""
}
