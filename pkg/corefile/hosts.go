// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package corefile

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/hosts"
)

// ErrNoServer says that a Corefile has no server block for all names at port 53.
var ErrNoServer = errors.New("the Corefile has no server block for all names at port 53 (.:53)")

// Plugins of CoreDNS.
const (
	pluginHosts      = "hosts"
	pluginReload     = "reload"
	pluginKubernetes = "kubernetes"
	fallthroughWord  = "fallthrough"
)

// indentation of lines in a block that has none yet.
const indentation = "    "

// Reloads says whether CoreDNS notices a changed Corefile itself.
func Reloads(text string) (bool, error) {
	nodes, err := parse(text)
	for _, n := range nodes {
		if len(n.named(pluginReload)) > 0 {
			return true, err
		}
	}
	return false, err
}

// Addresses returns the addresses that the plugin hosts has for a name, in the server block for all names.
func Addresses(text, name string) ([]netip.Addr, error) {
	server, err := mainServer(text)
	if err != nil {
		return nil, err
	}
	var addresses []netip.Addr
	for _, plugin := range server.named(pluginHosts) {
		for _, line := range plugin.children {
			if address, names, ok := entry(line); ok && slices.Contains(names, name) {
				addresses = append(addresses, address)
			}
		}
	}
	return addresses, nil
}

// SetHosts gives names the addresses of the entries, and no others, by the plugin hosts in the server block for all names; what the plugin
// does not know is asked of the next one. The text comes back as it is when all is as wanted.
func SetHosts(text string, entries []hosts.Entry) (string, error) {
	server, err := mainServer(text)
	if err != nil {
		return "", err
	}
	plugins := server.named(pluginHosts)
	if len(plugins) == 0 {
		return apply(text, []edit{newPlugin(text, server, entries)}), nil
	}
	edits := changePlugin(text, plugins[0], entries)
	for _, further := range plugins[1:] {
		edits = append(edits, dropNames(text, further, entries, false)...)
	}
	return apply(text, edits), nil
}

// mainServer returns the server block for all names at port 53.
func mainServer(text string) (node, error) {
	nodes, err := parse(text)
	if err != nil {
		return node{}, err
	}
	i := slices.IndexFunc(nodes, func(n node) bool { return slices.ContainsFunc(n.words, servesAll) })
	if i < 0 {
		return node{}, ErrNoServer
	}
	return nodes[i], nil
}

func servesAll(key token) bool {
	switch strings.TrimSuffix(strings.TrimPrefix(key.text, "dns://"), ",") {
	case ".", ".:53", ":53":
		return true
	}
	return false
}

// entry reads a line of the plugin hosts that holds an address and names.
func entry(line node) (address netip.Addr, names []string, ok bool) {
	address, err := netip.ParseAddr(line.name())
	for _, word := range line.words[1:] {
		names = append(names, word.text)
	}
	return address, names, err == nil
}

// newPlugin stands before the plugin kubernetes, where people look for it: CoreDNS has an order of its own.
func newPlugin(text string, server node, entries []hosts.Entry) edit {
	place, indent := server.closing, indentation
	if len(server.children) > 0 {
		at := server.children[len(server.children)-1]
		if start, alone := lineStart(text, at.start()); alone {
			indent = text[start:at.start()]
		}
	}
	if before := server.named(pluginKubernetes); len(before) > 0 {
		place = before[0].start()
	}
	block := pluginHosts + " {\n" + lines(entries, indent+indentation) + indent + indentation + fallthroughWord + "\n" + indent + "}\n"
	start, alone := lineStart(text, place)
	if !alone {
		return edit{place, place, "\n" + indent + block}
	}
	return edit{start, start, indent + block}
}

func lines(entries []hosts.Entry, indent string) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(indent + e.String() + "\n")
	}
	return b.String()
}

// changePlugin keeps what else the plugin has.
func changePlugin(text string, plugin node, entries []hosts.Entry) []edit {
	edits := dropNames(text, plugin, entries, true)
	var missing []hosts.Entry
	for _, e := range entries {
		if !slices.ContainsFunc(plugin.children, func(line node) bool { return has(line, e) }) {
			missing = append(missing, e)
		}
	}
	falls := len(plugin.named(fallthroughWord)) > 0
	if len(missing) == 0 && falls {
		return edits
	}
	start, _ := lineStart(text, plugin.start())
	indent := text[start:plugin.start()]
	if strings.TrimSpace(indent) != "" {
		indent = indentation
	}
	added := lines(missing, indent+indentation)
	if !falls {
		added += indent + indentation + fallthroughWord + "\n"
	}
	if !plugin.hasBlock {
		return append(edits, edit{plugin.end, plugin.end, " {\n" + added + indent + "}"})
	}
	rest := strings.TrimSuffix("\n"+added, "\n")
	if line, _, _ := strings.Cut(text[plugin.open:], "\n"); strings.TrimSpace(line) != "" {
		rest += "\n" // what stands behind the brace goes to a line of its own
	}
	return append(edits, edit{plugin.open, plugin.open, rest})
}

func has(line node, e hosts.Entry) bool {
	address, names, ok := entry(line)
	return ok && address == e.Address && slices.Contains(names, e.Name)
}

// dropNames takes the names of entries from lines that give them other addresses, or any when they are not kept.
func dropNames(text string, plugin node, entries []hosts.Entry, keep bool) []edit {
	var edits []edit
	for _, line := range plugin.children {
		address, names, ok := entry(line)
		if !ok {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return slices.ContainsFunc(entries, func(e hosts.Entry) bool { return e.Name == name }) &&
				(!keep || !slices.Contains(entries, hosts.Entry{Address: address, Name: name}))
		})
		switch len(kept) {
		case len(names):
		case 0:
			edits = append(edits, wholeLine(text, line))
		default:
			edits = append(edits, edit{line.start(), line.end, address.String() + " " + strings.Join(kept, " ")})
		}
	}
	return edits
}

// wholeLine removes a line with its break, where nothing else stands in it.
func wholeLine(text string, line node) edit {
	start, alone := lineStart(text, line.start())
	if alone && strings.HasPrefix(text[line.end:], "\n") {
		return edit{start, line.end + 1, ""}
	}
	return edit{line.start(), line.end, ""}
}
