// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package hostnet

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Listener names the process that listens on a TCP port of this machine, with its number; empty when none does, or when it is somebody
// else's and may not be looked at.
func Listener(port uint16) string {
	sockets := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		file, err := os.Open(table)
		if err != nil {
			continue
		}
		for _, inode := range listeningSockets(file, port) {
			sockets["socket:["+inode+"]"] = true
		}
		_ = file.Close()
	}
	if len(sockets) == 0 {
		return ""
	}
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return ""
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err != nil || !sockets[target] {
			continue
		}
		process := filepath.Dir(filepath.Dir(link))
		name, err := os.ReadFile(filepath.Join(process, "comm"))
		if err == nil {
			return fmt.Sprintf("process %s (%s)", filepath.Base(process), strings.TrimSpace(string(name)))
		}
	}
	return ""
}

// listeningSockets reads the kernel's table of TCP sockets and returns the numbers of those that listen on a port.
func listeningSockets(table io.Reader, port uint16) []string {
	const (
		localColumn, stateColumn, inodeColumn = 1, 3, 9
		listening                             = "0A"
	)
	ending := fmt.Sprintf(":%04X", port)
	var inodes []string
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		columns := strings.Fields(lines.Text())
		if len(columns) > inodeColumn && columns[stateColumn] == listening && strings.HasSuffix(columns[localColumn], ending) {
			inodes = append(inodes, columns[inodeColumn])
		}
	}
	return inodes
}
