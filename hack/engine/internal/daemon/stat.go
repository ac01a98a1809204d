// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// stat is what matters of /proc/<pid>/stat.
type stat struct {
	parent int
	// startTime is in clock ticks since boot.
	startTime uint64
}

// parseStat reads fields 4 and 22 of a text in the form of /proc/<pid>/stat.
// Field 2, the name in parentheses, may hold spaces and parentheses itself; a
// zombie (field 3 is Z) counts as gone.
func parseStat(text string) (stat, error) {
	// Fields 3, 4 and 22, counted from the first one after the name, which is field 3.
	const state, parent, start = 0, 1, 19
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) <= start {
		return stat{}, fmt.Errorf("process statistics have %d fields after the name, more than %d expected", len(fields), start)
	}
	if fields[state] == "Z" {
		return stat{}, fmt.Errorf("process has ended: %w", os.ErrProcessDone)
	}
	parentPID, err := strconv.Atoi(fields[parent])
	if err != nil {
		return stat{}, fmt.Errorf("parent in process statistics: %w", err)
	}
	startTime, err := strconv.ParseUint(fields[start], 10, 64)
	if err != nil {
		return stat{}, fmt.Errorf("start time in process statistics: %w", err)
	}
	return stat{parent: parentPID, startTime: startTime}, nil
}
