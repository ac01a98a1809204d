// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package enginehost

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Files that the probe reads on the engine's host. The configuration of the kernel is the last one: it is compressed, and a file that is
// no text ends where the output does.
const (
	bootIDPath    = "/proc/sys/kernel/random/boot_id"
	instancesPath = "/proc/sys/fs/inotify/max_user_instances"
	watchesPath   = "/proc/sys/fs/inotify/max_user_watches"
	noIPv6Path    = "/proc/sys/net/ipv6/conf/all/disable_ipv6"
	modulesPath   = "/proc/modules"
	routesPath    = "/proc/net/fib_trie"
	addressesPath = "/proc/net/if_inet6"
	ipv6RoutePath = "/proc/net/ipv6_route"
	configPath    = "/proc/config.gz"
	modulesDir    = "/lib/modules"
)

// paths of the files to read, for a kernel release such as 6.12.0-amd64.
func paths(kernel string) []string {
	list := []string{bootIDPath, instancesPath, watchesPath, noIPv6Path, modulesPath, routesPath, addressesPath, ipv6RoutePath}
	if kernel != "" && !strings.ContainsAny(kernel, "/ \n") {
		list = append(list, modulesDir+"/"+kernel+"/modules.builtin", modulesDir+"/"+kernel+"/modules.dep")
	}
	return append(list, configPath)
}

// Parse reads what the probe wrote: the time, the lines of df, then each file behind a line with its name.
func Parse(output []byte) (Facts, error) {
	var facts Facts
	header, files := sections(output)
	facts.Time = moment(header)
	facts.DiskTotal, facts.DiskFree = disk(header)
	facts.BootID = strings.TrimSpace(string(files[bootIDPath]))
	if facts.BootID == "" {
		return facts, fmt.Errorf("the container that looks at the engine's host did not tell its boot: %.200q", output)
	}
	facts.MaxUserInstances, facts.MaxUserWatches = number(files[instancesPath]), number(files[watchesPath])
	facts.IPv6 = strings.TrimSpace(string(files[noIPv6Path])) == "0"
	facts.Addresses = append(localRoutes(string(files[routesPath])), interfaceAddresses(string(files[addressesPath]))...)
	facts.DefaultIPv6 = defaultRoute(string(files[ipv6RoutePath]))
	facts.Modules = modules(files)
	return facts, nil
}

// sections cuts the output of tail at its headers.
func sections(output []byte) (header []byte, files map[string][]byte) {
	files = map[string][]byte{}
	name := ""
	keep := func(content []byte) {
		if name == "" {
			header = content
		} else {
			files[name] = content
		}
	}
	rest, start := output, 0
	for start < len(rest) {
		end := bytes.IndexByte(rest[start:], '\n')
		if end < 0 {
			break
		}
		line := rest[start : start+end]
		path, isHeader := headerOf(line)
		if !isHeader {
			start += end + 1
			continue
		}
		keep(rest[:start])
		name, rest, start = path, rest[start+end+1:], 0
		if name == configPath {
			break
		}
	}
	keep(rest)
	return header, files
}

func headerOf(line []byte) (path string, ok bool) {
	text, ok := strings.CutPrefix(string(line), "==> /")
	if !ok {
		return "", false
	}
	text, ok = strings.CutSuffix(text, " <==")
	return "/" + text, ok
}

// moment reads the first line: seconds since 1970. The zero time is not known.
func moment(header []byte) time.Time {
	line, _, _ := strings.Cut(string(header), "\n")
	seconds, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil || seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// disk reads size and free bytes, in the line below df's headings.
func disk(header []byte) (total, free uint64) {
	lines := strings.Split(strings.TrimSpace(string(header)), "\n")
	fields := strings.Fields(lines[len(lines)-1])
	if len(fields) != 2 {
		return 0, 0
	}
	total, err := strconv.ParseUint(fields[0], 10, 64)
	if err != nil {
		return 0, 0
	}
	free, err = strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return 0, 0
	}
	return total, free
}

func number(content []byte) int {
	n, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0
	}
	return n
}

// localRoutes reads the IPv4 addresses that the kernel takes for its own: in the trie of its routes, an address has lines below it that
// tell what it is. Those of whole networks, and 127.0.0.0/8, are none of a single address.
func localRoutes(trie string) []netip.Addr {
	var addresses []netip.Addr
	var last netip.Addr
	for line := range strings.Lines(trie) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 2 && fields[0] == "|--":
			last, _ = netip.ParseAddr(fields[1])
		case len(fields) == 3 && fields[0] == "/32" && fields[1] == "host" && fields[2] == "LOCAL" && last.IsValid() && !slices.Contains(addresses, last):
			addresses = append(addresses, last)
		}
	}
	return addresses
}

// interfaceAddresses reads IPv6 addresses: 32 digits, and what else is told of each.
func interfaceAddresses(table string) []netip.Addr {
	var addresses []netip.Addr
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		raw, err := hex.DecodeString(fields[0])
		if err != nil {
			continue
		}
		if address, ok := netip.AddrFromSlice(raw); ok && address.Is6() {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// defaultRoute returns the device of the first default route: destination and its length are the first fields, the device is the last. A route by which the kernel refuses all else has the
// loopback interface.
func defaultRoute(table string) string {
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) == 10 && strings.Trim(fields[0], "0") == "" && fields[1] == "00" && fields[9] != "lo" {
			return fields[9]
		}
	}
	return ""
}

// modules says how the kernel has each module. Where it tells its configuration, that counts for what is built in: old lists of modules lack
// it. Where it tells none of this, a module that is not loaded is not known.
func modules(files map[string][]byte) map[string]ModuleState {
	loaded := firstWords(string(files[modulesPath]))
	var builtin, loadable map[string]bool
	for path, content := range files {
		switch {
		case strings.HasSuffix(path, "/modules.builtin"):
			builtin = fileNames(string(content))
		case strings.HasSuffix(path, "/modules.dep"):
			loadable = fileNames(string(content))
		}
	}
	config := kernelConfig(files[configPath])
	states := map[string]ModuleState{}
	for _, module := range Modules() {
		switch {
		case loaded[module.Name]:
			states[module.Name] = Loaded
		case builtin[module.Name], config[module.Option] == "y":
			states[module.Name] = BuiltIn
		case loadable[module.Name]:
			states[module.Name] = Loadable
		case len(builtin)+len(loadable)+len(config) > 0:
			states[module.Name] = Missing
		}
	}
	return states
}

func firstWords(text string) map[string]bool {
	words := map[string]bool{}
	for line := range strings.Lines(text) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		words[word] = true
	}
	return words
}

// fileNames reads names of modules from paths such as kernel/net/ipv4/ipip.ko.zst, before a colon where other modules follow. File names
// have a hyphen where lsmod has an underscore, in some modules.
func fileNames(text string) map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(text) {
		path, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		name, _, isModule := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ".ko")
		if isModule {
			names[strings.ReplaceAll(name, "-", "_")] = true
		}
	}
	return names
}

// maxConfig is more than any kernel's configuration has.
const maxConfig = 4 << 20

// kernelConfig reads the options with y or m. What is no configuration has none.
func kernelConfig(compressed []byte) map[string]string {
	options := map[string]string{}
	reader, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return options
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxConfig))
	if err != nil {
		return options
	}
	for line := range strings.Lines(string(text)) {
		option, value, found := strings.Cut(strings.TrimSpace(line), "=")
		if name, ok := strings.CutPrefix(option, "CONFIG_"); ok && found {
			options[name] = value
		}
	}
	return options
}
