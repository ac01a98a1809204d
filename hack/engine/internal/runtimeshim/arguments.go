// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package runtimeshim

import (
	"path/filepath"
	"slices"
	"strings"
)

// target is the file an invocation of runc takes capabilities from.
type target struct {
	path    string
	process bool // a process file of exec, else a config.json
}

// findTarget reads the arguments of runc, without the program name. It returns
// false for commands that start no process with capabilities of their own.
func findTarget(args []string) (target, bool) {
	command, rest := splitCommand(args)
	switch command {
	case "create", "run", "restore":
		bundle := optionValue(rest, "bundle", "b")
		return target{path: filepath.Join(bundle, "config.json")}, true
	case "exec":
		path := optionValue(rest, "process", "p")
		return target{path: path, process: true}, path != ""
	default:
		return target{}, false
	}
}

// splitCommand skips the options in front of the command. Those that take a
// value are listed in runc(8).
func splitCommand(args []string) (command string, rest []string) {
	withValue := []string{"root", "log", "log-format", "criu", "rootless"}
	for i := 0; i < len(args); i++ {
		name, isOption := strings.CutPrefix(args[i], "-")
		if !isOption {
			return args[i], args[i+1:]
		}
		if slices.Contains(withValue, strings.TrimPrefix(name, "-")) {
			i++
		}
	}
	return "", nil
}

// optionValue finds an option by its long or short name, with one or two
// dashes, the value behind "=" or in the next argument. What follows "--" or
// is part of a container's own command line comes after its options, so the
// first match is the right one.
func optionValue(args []string, long, short string) string {
	for i, arg := range args {
		if arg == "--" {
			return ""
		}
		if !strings.HasPrefix(arg, "-") {
			continue
		}
		name, value, attached := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name != long && name != short {
			continue
		}
		if attached {
			return value
		}
		if i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}
