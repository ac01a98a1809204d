// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/gardener/kindling/pkg/loopback"
)

// addToEngine adds what the engine's host lacks, by one container, after one that looks. It returns how many these are.
func (e *Environment) addToEngine(ctx context.Context, addresses []netip.Addr) (int, error) {
	facts, err := e.facts(ctx)
	if err != nil {
		return 0, err
	}
	missing := slices.DeleteFunc(loopback.Without(addresses, facts.Addresses), func(address netip.Addr) bool {
		return address.Is4() && address.IsLoopback() // Linux has them all
	})
	if !facts.IPv6 && slices.ContainsFunc(missing, netip.Addr.Is6) {
		return 0, &loopback.NoIPv6Error{Addresses: missing}
	}
	if len(missing) > 0 {
		if err := e.useShared(ctx, stepLoopback, onRecord(addressOfEngine, missing)...); err != nil {
			return 0, err
		}
		shown, err := e.changeOnEngine(ctx, loopback.ScriptAdd, missing)
		if err != nil {
			return 0, err
		}
		if lacking := loopback.Without(missing, shown); len(lacking) > 0 {
			return 0, fmt.Errorf("%s could not be added", loopback.Join(lacking, ", "))
		}
	}
	return len(missing), e.settleShared(ctx, stepLoopback, facts.BootID)
}

// changeOnEngine returns the addresses that are on the interface afterwards. Single changes that fail do not end the program: what is there
// in the end counts.
func (e *Environment) changeOnEngine(ctx context.Context, change string, addresses []netip.Addr) ([]netip.Addr, error) {
	script, err := loopback.Script(change, addresses)
	if err != nil {
		return nil, err
	}
	output, err := e.onHost(ctx, script, "ip", "-json", "-force", "-batch", "-")
	shown, readErr := loopback.Shown(output)
	if readErr != nil {
		return nil, errors.Join(err, readErr)
	}
	return shown, ctx.Err()
}
