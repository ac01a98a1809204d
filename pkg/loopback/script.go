// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package loopback

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// The ways in which a script for ip changes addresses.
const (
	ScriptAdd    = "replace"
	ScriptRemove = "delete"
)

// Script returns what ip -json -force -batch - shall do with the loopback interface of a Linux host: change the addresses, and show what
// is there then. What is there already, or no more, does not end it.
func Script(change string, addresses []netip.Addr) (string, error) {
	if err := allAllowed(addresses); err != nil {
		return "", err
	}
	var script strings.Builder
	for _, address := range addresses {
		fmt.Fprintf(&script, "address %s %s dev lo", change, netip.PrefixFrom(address, address.BitLen()))
		switch {
		case change != ScriptAdd:
		case address.Is4():
			script.WriteString(" scope host")
		default: // see Add
			script.WriteString(" nodad")
		}
		script.WriteString("\n")
	}
	script.WriteString("address show dev lo\n")
	return script.String(), nil
}

// Shown reads what such a script showed.
func Shown(output []byte) ([]netip.Addr, error) {
	var interfaces []struct {
		Addresses []struct {
			Local string `json:"local"`
		} `json:"addr_info"`
	}
	if err := json.Unmarshal(output, &interfaces); err != nil {
		return nil, fmt.Errorf("reading the addresses of the engine's host: %w", err)
	}
	var addresses []netip.Addr
	for _, one := range interfaces {
		for _, info := range one.Addresses {
			if address, err := netip.ParseAddr(info.Local); err == nil && !slices.Contains(addresses, address) {
				addresses = append(addresses, address)
			}
		}
	}
	return addresses, nil
}

// Without returns the addresses that are not among others.
func Without(addresses, others []netip.Addr) []netip.Addr {
	return slices.DeleteFunc(slices.Clone(addresses), func(address netip.Addr) bool { return slices.Contains(others, address) })
}
