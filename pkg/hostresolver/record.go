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
		s := Recorded(kind, []string{one})
		content, err := h.read(hostsFile)
		if err != nil {
			return nil, err
		}
		isThere := hosts.Remove(content, s.Hosts) != content
		if s.file() != "" {
			if content, err = h.read(s.file()); err != nil {
				return nil, err
			}
			isThere = strings.HasPrefix(content, header)
		}
		if isThere {
			there = append(there, one)
		}
	}
	return there, nil
}
