// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package hostresolver

import (
	"net/netip"
	"strings"

	"github.com/gardener/kindling/pkg/hosts"
)

// entryPrefix tells entries of the hosts file from files on record.
const entryPrefix = "/" + hostsFile + " "

// Recorded returns what is to be taken back of what Missing named before it was made.
func Recorded(kind Kind, made []string) Settings {
	s := Settings{}
	for _, one := range made {
		text, isEntry := strings.CutPrefix(one, entryPrefix)
		address, name, _ := strings.Cut(text, " ")
		parsed, err := netip.ParseAddr(address)
		switch {
		case isEntry && err == nil:
			s.Hosts = append(s.Hosts, hosts.Entry{Address: parsed, Name: name})
		case !isEntry:
			s.Kind = kind
		}
	}
	return s
}

// There returns what is there of what Missing named before it was made: it may never have been, or be gone since.
func (h Host) There(kind Kind, made []string) ([]string, error) {
	var there []string
	for _, one := range made {
		isThere, err := h.has(Recorded(kind, []string{one}))
		if err != nil {
			return nil, err
		}
		if isThere {
			there = append(there, one)
		}
	}
	return there, nil
}

// has says whether the machine has a file of kindling's or, of settings without one, an entry in its hosts file.
func (h Host) has(s Settings) (bool, error) {
	if file := s.file(); file != "" {
		content, err := h.read(file)
		return strings.HasPrefix(content, header), err
	}
	content, err := h.read(hostsFile)
	return hosts.Remove(content, s.Hosts) != content, err
}
