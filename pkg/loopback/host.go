// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package loopback

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// TakenError says that an address belongs to another interface.
type TakenError struct {
	Address   netip.Addr
	Interface string
}

// Error implements error.
func (e *TakenError) Error() string {
	return fmt.Sprintf("address %s is taken: the interface %s has it. Ports would be published there, for others to reach: remove it from there, "+
		"or move the range (spec.networks, loadBalancers)", e.Address, e.Interface)
}

// NoIPv6Error says that this machine has no IPv6.
type NoIPv6Error struct{ Addresses []netip.Addr }

// Error implements error.
func (e *NoIPv6Error) Error() string {
	return fmt.Sprintf("%s can't be put on the loopback interface: IPv6 is switched off on this machine. Enable it (sysctl -w net.ipv6.conf.lo.disable_ipv6=0), "+
		"or leave IPv6 out of spec.ipFamilies", Join(e.Addresses, ", "))
}

// held is an address of an interface.
type held struct {
	name     string
	loopback bool
}

// Missing returns the addresses that nothing can listen on at this machine. It tries: an address of 127.0.0.0/8 can be had on Linux and not on
// macOS without being on the interface. One that another interface has is a *TakenError.
func Missing(ctx context.Context, addresses []netip.Addr) ([]netip.Addr, error) {
	interfaces, err := addressesOfInterfaces()
	if err != nil {
		return nil, err
	}
	return missing(addresses, interfaces, func(address netip.Addr) bool { return binds(ctx, address) == nil })
}

// missing has what it looks at as arguments. Where the kernel lets anybody listen on any address, being able to proves nothing.
func missing(addresses []netip.Addr, interfaces map[netip.Addr]held, canBind func(netip.Addr) bool) ([]netip.Addr, error) {
	var lacking []netip.Addr
	for _, address := range addresses {
		holder, isHeld := interfaces[address]
		switch {
		case isHeld && !holder.loopback:
			return nil, &TakenError{address, holder.name}
		case !isHeld && !besideLoopback(address), !canBind(address):
			lacking = append(lacking, address)
		}
	}
	return lacking, nil
}

// binds listens on an address for a moment, as an engine does that publishes ports.
func binds(ctx context.Context, address netip.Addr) error {
	var config net.ListenConfig
	at := netip.AddrPortFrom(address, 0).String()
	listener, err := config.Listen(ctx, "tcp", at)
	if err != nil {
		return err
	}
	packets, err := config.ListenPacket(ctx, "udp", at)
	if err == nil {
		err = packets.Close()
	}
	if closeErr := listener.Close(); err == nil {
		err = closeErr
	}
	return err
}

func addressesOfInterfaces() (map[netip.Addr]held, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("listing the interfaces of this machine: %w", err)
	}
	all := map[netip.Addr]held{}
	for _, one := range interfaces {
		addresses, err := one.Addrs()
		if err != nil {
			continue // it went meanwhile
		}
		for _, address := range addresses {
			prefix, err := netip.ParsePrefix(address.String())
			if err == nil {
				all[prefix.Addr().Unmap()] = held{one.Name, one.Flags&net.FlagLoopback != 0}
			}
		}
	}
	return all, nil
}

// There keeps the addresses that the loopback interface has.
func There(addresses []netip.Addr) ([]netip.Addr, error) {
	interfaces, err := addressesOfInterfaces()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(addresses), func(address netip.Addr) bool { return !interfaces[address].loopback }), nil
}

// allAllowed is an error when one of the addresses may not be put on a loopback interface.
func allAllowed(addresses []netip.Addr) error {
	for _, address := range addresses {
		if !Allowed(address) {
			return fmt.Errorf("%s is no address for a loopback interface: private ones are, and those beside 127.0.0.1 and ::1", address)
		}
	}
	return nil
}

// Join writes addresses with something between them.
func Join(addresses []netip.Addr, between string) string {
	texts := make([]string, len(addresses))
	for i, address := range addresses {
		texts[i] = address.String()
	}
	return strings.Join(texts, between)
}
