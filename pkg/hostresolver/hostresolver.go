// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package hostresolver tells the resolver of a machine about the DNS server of one domain, and its hosts file about a name, and takes both
// back. All paths are below a root folder.
package hostresolver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/gardener/kindling/internal/wholefile"
	"github.com/gardener/kindling/pkg/dns"
	"github.com/gardener/kindling/pkg/hosts"
)

// Kind is a resolver that can be told of a domain.
type Kind string

// The kinds.
const (
	// Unknown resolvers are left alone.
	Unknown Kind = ""
	// Resolved is systemd-resolved.
	Resolved Kind = "systemd-resolved"
	// MacOS is that of macOS.
	MacOS Kind = "macOS"
)

// Files, below the root folder.
const (
	resolvedFile = "etc/systemd/resolved.conf.d/kindling.conf"
	macOSFile    = "etc/resolver/" + dns.Zone
	hostsFile    = "etc/hosts"
)

// header is the first line of files that kindling writes.
const header = "# Written by kindling, which removes it with the last environment.\n"

// Host is a machine.
type Host struct {
	// Root is the folder that paths count from, / for the machine itself.
	Root string
	// OS is the operating system as Go names it.
	OS string
}

func (h Host) path(name string) string { return filepath.Join(h.Root, filepath.FromSlash(name)) }

// Settings are what a machine is told.
type Settings struct {
	// Kind of the resolver; nothing is said to an unknown one.
	Kind Kind
	// Nameservers of the domain.
	Nameservers []netip.Addr
	// Hosts are entries of the hosts file.
	Hosts []hosts.Entry
}

// Check refuses what kindling never asks for: it is done with the rights of root.
func (s Settings) Check() error {
	if s.Kind != Unknown && s.Kind != Resolved && s.Kind != MacOS {
		return fmt.Errorf("%q is no resolver that is known", s.Kind)
	}
	for _, entry := range s.Hosts {
		if !entry.Address.IsLoopback() || entry.Name != dns.RegistryName && entry.Name != dns.GardenName {
			return fmt.Errorf("%s is no entry that kindling writes into a hosts file", entry)
		}
	}
	return nil
}

// ForeignFileError says that a file is somebody else's.
type ForeignFileError struct{ Path string }

// Error implements error.
func (e *ForeignFileError) Error() string {
	return fmt.Sprintf("%s was written by somebody else, and does not name the DNS server of %s: remove it, or leave it to you with spec.dns.hostResolver: false",
		e.Path, dns.Zone)
}

func (s Settings) file() string {
	return map[Kind]string{Resolved: resolvedFile, MacOS: macOSFile}[s.Kind]
}

func (s Settings) content() string {
	switch s.Kind {
	case Resolved:
		var servers []string
		for _, server := range s.Nameservers {
			servers = append(servers, server.String())
		}
		return header + "[Resolve]\nDNS=" + strings.Join(servers, " ") + "\nDomains=~" + dns.Zone + "\n"
	case MacOS:
		var b strings.Builder
		b.WriteString(header)
		for _, server := range s.Nameservers {
			b.WriteString("nameserver " + server.String() + "\n")
		}
		return b.String()
	}
	return ""
}

// servers returns what a file tells the resolver.
func (s Settings) servers(content string) []netip.Addr {
	if s.Kind == MacOS {
		return dns.Nameservers(content)
	}
	var servers []netip.Addr
	for line := range strings.Lines(content) {
		value, found := strings.CutPrefix(strings.TrimSpace(line), "DNS=")
		for word := range strings.FieldsSeq(value) {
			if address, err := netip.ParseAddr(word); found && err == nil {
				servers = append(servers, address)
			}
		}
	}
	return servers
}

// Missing says in words what the machine has not been told. The names are those that Made gives.
func (h Host) Missing(s Settings) ([]string, error) {
	var missing []string
	if s.file() != "" {
		content, err := h.read(s.file())
		if err != nil {
			return nil, err
		}
		have := s.servers(content)
		lacks := slices.ContainsFunc(s.Nameservers, func(a netip.Addr) bool { return !slices.Contains(have, a) })
		if lacks && content != "" && !strings.HasPrefix(content, header) {
			return nil, &ForeignFileError{h.path(s.file())}
		}
		if lacks {
			missing = append(missing, "/"+s.file())
		}
	}
	content, err := h.read(hostsFile)
	if err != nil {
		return nil, err
	}
	for _, entry := range hosts.Missing(content, s.Hosts) {
		missing = append(missing, entryPrefix+entry.String())
	}
	return missing, nil
}

func (h Host) read(name string) (string, error) {
	content, err := os.ReadFile(h.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading what the resolver of this machine is told: %w", err)
	}
	return string(content), nil
}

// Set tells the machine. What another environment has told stays: its servers are kept beside the given ones.
func (h Host) Set(ctx context.Context, s Settings) error {
	missing, err := h.Missing(s)
	if err != nil {
		return err
	}
	if err := h.editHosts(func(content string) string { return hosts.Add(content, s.Hosts) }); err != nil {
		return err
	}
	if !slices.Contains(missing, "/"+s.file()) {
		return nil
	}
	before, err := h.read(s.file())
	if err != nil {
		return err
	}
	for _, server := range s.servers(before) {
		if !slices.Contains(s.Nameservers, server) {
			s.Nameservers = append(slices.Clone(s.Nameservers), server)
		}
	}
	path := h.path(s.file())
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", path, err)
	}
	if err := wholefile.Write(path, []byte(s.content()), 0o644, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return s.reload(ctx)
}

// Unset takes back what Set wrote; it succeeds when nothing is there.
func (h Host) Unset(ctx context.Context, s Settings) error {
	if err := h.editHosts(func(content string) string { return hosts.Remove(content, s.Hosts) }); err != nil {
		return err
	}
	if s.file() == "" {
		return nil
	}
	content, err := h.read(s.file())
	if err != nil || !strings.HasPrefix(content, header) {
		return err
	}
	if err := os.Remove(h.path(s.file())); err != nil {
		return fmt.Errorf("removing what the resolver of this machine is told: %w", err)
	}
	return s.reload(ctx)
}

// reload makes the resolver read its configuration. That of macOS looks itself.
func (s Settings) reload(ctx context.Context) error {
	if s.Kind != Resolved {
		return nil
	}
	output, err := exec.CommandContext(ctx, "systemctl", "restart", "systemd-resolved.service").CombinedOutput()
	if err != nil {
		return fmt.Errorf("restarting systemd-resolved: %w: %s", err, strings.TrimSpace(string(output)))
	}
	return nil
}
