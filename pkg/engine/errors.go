// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"net/netip"
)

// UnavailableError says that there is no engine to work with.
type UnavailableError struct {
	Engine string
	Reason string
	Remedy string
	Err    error
}

// Error implements error.
func (e *UnavailableError) Error() string {
	text := fmt.Sprintf("container engine %s: %s", e.Engine, e.Reason)
	if e.Err != nil {
		text += fmt.Sprintf(" (%s)", e.Err)
	}
	return text + "\n" + e.Remedy
}

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }

// NotFoundError says that the engine has no such thing.
type NotFoundError struct{ Kind, Name string }

// Error implements error.
func (e *NotFoundError) Error() string { return fmt.Sprintf("the engine has no %s %s", e.Kind, e.Name) }

// OverlapError says that a network can't be made because another one has part of its range.
type OverlapError struct {
	Network  string
	Prefixes []netip.Prefix
	// Others are the engine's networks that overlap, each with its ranges; empty when it is something of the host's.
	Others []string
	Err    error
}

// Error implements error.
func (e *OverlapError) Error() string {
	text := fmt.Sprintf("network %s can't have the ranges %v: ", e.Network, e.Prefixes)
	if len(e.Others) == 0 {
		return text + "they overlap with a network of the host; see kindling plan --host, and move the container network"
	}
	return text + fmt.Sprintf("they overlap with %v; remove what nobody needs, or move the container network", e.Others)
}

// Unwrap returns the cause.
func (e *OverlapError) Unwrap() error { return e.Err }

// IPv6Error says that the engine can't make a network with IPv6.
type IPv6Error struct{ Err error }

// Error implements error.
func (e *IPv6Error) Error() string {
	return fmt.Sprintf("the engine can't make a network with IPv6: %s\nEnable IPv6 on its host (sysctl net.ipv6.conf.all.disable_ipv6=0, kernel module "+
		"ip6table_nat) and, for Docker older than 27, ip6tables in daemon.json", e.Err)
}

// Unwrap returns the cause.
func (e *IPv6Error) Unwrap() error { return e.Err }

// PortTakenError says that a container could not be started because somebody has one of its ports.
type PortTakenError struct {
	// Address on the engine's host; not valid when the engine does not tell it.
	Address netip.AddrPort
	Err     error
}

// Error implements error.
func (e *PortTakenError) Error() string {
	if !e.Address.IsValid() {
		return fmt.Sprintf("a port is taken: %s", e.Err)
	}
	return fmt.Sprintf("port %d is taken at %s", e.Address.Port(), e.Address.Addr())
}

// Unwrap returns the cause.
func (e *PortTakenError) Unwrap() error { return e.Err }

// NoAddressError says that a container could not be started because an address to publish on is none of the engine's host.
type NoAddressError struct{ Err error }

// Error implements error.
func (e *NoAddressError) Error() string {
	return fmt.Sprintf("the engine's host lacks an address: %s", e.Err)
}

// Unwrap returns the cause.
func (e *NoAddressError) Unwrap() error { return e.Err }

func asCommandError(err error) (*CommandError, bool) { return errors.AsType[*CommandError](err) }
