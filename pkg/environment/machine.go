// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"net/netip"
	"strings"

	"github.com/gardener/kindling/pkg/loopback"
)

// Machine is the loopback interface of this machine.
type Machine interface {
	// Missing returns the addresses that nothing can listen on.
	Missing(ctx context.Context, addresses []netip.Addr) ([]netip.Addr, error)
	// There returns the addresses that the interface has.
	There(addresses []netip.Addr) ([]netip.Addr, error)
	// Add and Remove fail with fs.ErrPermission where they take the rights of root.
	Add(ctx context.Context, addresses []netip.Addr) error
	Remove(ctx context.Context, addresses []netip.Addr) error
}

func (e *Environment) machine() Machine {
	if e.Machine == nil {
		return thisMachine{}
	}
	return e.Machine
}

// thisMachine is the real one.
type thisMachine struct{}

func (thisMachine) Missing(ctx context.Context, addresses []netip.Addr) ([]netip.Addr, error) {
	return loopback.Missing(ctx, addresses)
}

func (thisMachine) There(addresses []netip.Addr) ([]netip.Addr, error) {
	return loopback.There(addresses)
}

func (thisMachine) Add(ctx context.Context, addresses []netip.Addr) error {
	return loopback.Add(ctx, addresses)
}

func (thisMachine) Remove(ctx context.Context, addresses []netip.Addr) error {
	return loopback.Remove(ctx, addresses)
}

func onRecord(prefix string, addresses []netip.Addr) []string {
	made := make([]string, len(addresses))
	for i, address := range addresses {
		made[i] = prefix + address.String()
	}
	return made
}

func ofRecord(prefix string, made []string) []netip.Addr {
	var addresses []netip.Addr
	for _, one := range made {
		if text, found := strings.CutPrefix(one, prefix); found {
			if address, err := netip.ParseAddr(text); err == nil {
				addresses = append(addresses, address)
			}
		}
	}
	return addresses
}
