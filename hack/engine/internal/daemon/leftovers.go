// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// entry is one line of the process table.
type entry struct {
	process
	parent int
	name   string
	args   []string
}

// processTable lists the processes of this machine. Those that end meanwhile
// are left out.
func processTable() ([]entry, error) {
	files, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("cannot list processes: %w", err)
	}
	var table []entry
	for _, file := range files {
		pid, err := strconv.Atoi(file.Name())
		if err != nil {
			continue
		}
		found, err := readStat(pid)
		if err != nil {
			continue
		}
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			continue
		}
		p := process{PID: pid, StartTime: found.startTime}
		table = append(table, entry{process: p, parent: found.parent, name: p.program(), args: strings.Split(string(line), "\x00")})
	}
	return table, nil
}

// leftovers picks what an engine that was killed leaves behind: its
// containerd, one shim a container, and the first process of each container.
// All of containerd's programs name a file in the engine's own run folder.
// The order is the one to end them in: who would restart comes first.
func leftovers(table []entry, execRoot string) []process {
	ours := func(e entry) bool {
		return strings.HasPrefix(e.name, "containerd") && slices.ContainsFunc(e.args, func(arg string) bool {
			return strings.HasPrefix(arg, execRoot+"/")
		})
	}
	var first, last []process
	for _, e := range table {
		if !ours(e) {
			continue
		}
		first = append(first, e.process)
		for _, child := range table {
			if child.parent == e.PID && !ours(child) {
				last = append(last, child.process)
			}
		}
	}
	return append(first, last...)
}
