// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"strings"

	"github.com/gardener/kindling/pkg/enginehost"
	"github.com/gardener/kindling/pkg/loopback"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// The hidden command by which addresses are changed with the rights of root.
const (
	LoopbackCommand = "loopback-addresses"
	LoopbackAdd     = "add"
	LoopbackRemove  = "remove"
)

// Whose addresses are on record: of this machine, or of the engine's host where that is another one.
const (
	addressHere     = "here "
	addressOfEngine = "engine "
)

func (e *Environment) wantsLoopback() bool {
	return !e.spec.Spec.ClustersOnly && *e.spec.Spec.Loopback.Enabled
}

// loopbackAddresses puts the addresses that ports are published on where the engine publishes them: on this machine, and inside the virtual
// machine or the other one that the engine runs on.
func (e *Environment) loopbackAddresses() steps.Step {
	addresses := loopback.Addresses(e.plan, render.Published(e.spec, e.plan))
	return steps.Step{
		Name:  stepLoopback,
		Title: "Loopback addresses",
		Needs: e.whatMayBeMissing(),
		Observe: func(ctx context.Context) (steps.Observation, error) {
			return e.observeLoopback(ctx, addresses)
		},
		Apply: e.withShared(stepLoopback, func(ctx context.Context, report func(string)) (string, error) {
			return e.applyLoopback(ctx, addresses, report)
		}),
		Undo: e.undoLoopback,
	}
}

func (e *Environment) observeLoopback(ctx context.Context, addresses []netip.Addr) (steps.Observation, error) {
	if len(addresses) == 0 {
		return steps.Observation{State: steps.Skipped, Text: "none needed"}, nil
	}
	where, err := e.EngineHost(ctx)
	if err != nil {
		return steps.Observation{}, err
	}
	if where.Kind != enginehost.Remote {
		missing, err := e.machine().Missing(ctx, addresses)
		switch {
		case err != nil:
			return steps.Observation{}, err
		case len(missing) == len(addresses):
			return steps.Observation{State: steps.Missing, Text: fmt.Sprintf("%d addresses", len(missing))}, nil
		case len(missing) > 0:
			return steps.Observation{State: steps.Differs, Text: "missing: " + loopback.Join(missing, ", ")}, nil
		}
	}
	if uses, err := e.usesShared(stepLoopback); err != nil || !uses {
		return steps.Observation{State: steps.Differs, Text: notUsed}, err
	}
	if where.Kind != enginehost.Local {
		if settled, err := e.settled(ctx, stepLoopback); err != nil || !settled {
			return steps.Observation{State: steps.Differs, Text: "not looked at since the engine's host was started"}, err
		}
	}
	return steps.Observation{State: steps.AsWanted, Text: fmt.Sprintf("%d addresses of %s", len(addresses), where)}, nil
}

func (e *Environment) applyLoopback(ctx context.Context, addresses []netip.Addr, report func(string)) (string, error) {
	where, err := e.EngineHost(ctx)
	if err != nil {
		return "", err
	}
	if err := e.useShared(ctx, stepLoopback); err != nil {
		return "", err
	}
	var added []string
	if where.Kind != enginehost.Remote {
		missing, err := e.machine().Missing(ctx, addresses)
		if err == nil && len(missing) > 0 {
			added = append(added, fmt.Sprintf("%d added to this machine", len(missing)))
			err = e.addHere(ctx, missing, report)
		}
		if err != nil {
			return "", err
		}
	}
	if where.Kind != enginehost.Local {
		report("looking at the engine's host, " + where.String())
		count, err := e.addToEngine(ctx, addresses)
		if err != nil {
			return "", fmt.Errorf("loopback addresses of the engine's host, %s: %w\nAdd them there with ip address add ADDRESS/32 dev lo, or leave them out "+
				"(spec.loopback.enabled: false)", where, err)
		}
		added = append(added, fmt.Sprintf("%d added to the engine's host", count))
	}
	if len(added) == 0 {
		return fmt.Sprintf("%d addresses were there", len(addresses)), nil
	}
	return strings.Join(added, ", "), nil
}

// addHere adds addresses to this machine, with the rights of root where it must be.
func (e *Environment) addHere(ctx context.Context, missing []netip.Addr, report func(string)) error {
	if err := e.useShared(ctx, stepLoopback, onRecord(addressHere, missing)...); err != nil {
		return err
	}
	err := e.machine().Add(ctx, missing)
	if errors.Is(err, fs.ErrPermission) {
		report("sudo puts addresses on the loopback interface")
		err = e.asRoot(ctx, fmt.Sprintf("Putting %d addresses on the loopback interface", len(missing)), LoopbackAdd, missing)
	}
	if err != nil {
		return err
	}
	still, err := e.machine().Missing(ctx, missing)
	if err == nil && len(still) > 0 {
		err = fmt.Errorf("%s were put on the loopback interface, and nothing can listen on them: look whether it is up, and at what filters packets",
			loopback.Join(still, ", "))
	}
	return err
}

func (e *Environment) undoLoopback(ctx context.Context) (string, error) {
	removed := 0
	others, err := e.releaseShared(ctx, stepLoopback, func(made []string) error {
		here, err := e.machine().There(ofRecord(addressHere, made))
		if err != nil {
			return err
		}
		if len(here) > 0 {
			if err := e.removeHere(ctx, here); err != nil {
				return err
			}
		}
		there := ofRecord(addressOfEngine, made)
		if len(there) > 0 {
			shown, err := e.changeOnEngine(ctx, loopback.ScriptRemove, there)
			if err != nil {
				return fmt.Errorf("removing loopback addresses from the engine's host: %w", err)
			}
			if left := loopback.Without(there, loopback.Without(there, shown)); len(left) > 0 {
				return fmt.Errorf("%s could not be removed from the loopback interface of the engine's host", loopback.Join(left, ", "))
			}
		}
		removed = len(here) + len(there)
		return nil
	})
	switch {
	case len(others) > 0:
		return "left: used by " + strings.Join(others, ", "), err
	case removed == 0:
		return "left: kindling added none", err
	}
	return fmt.Sprintf("%d removed", removed), err
}

func (e *Environment) removeHere(ctx context.Context, addresses []netip.Addr) error {
	err := e.machine().Remove(ctx, addresses)
	if errors.Is(err, fs.ErrPermission) {
		err = e.asRoot(ctx, fmt.Sprintf("Removing %d addresses from the loopback interface", len(addresses)), LoopbackRemove, addresses)
	}
	return err
}

// asRoot runs the hidden command.
func (e *Environment) asRoot(ctx context.Context, what, change string, addresses []netip.Addr) error {
	args := []string{LoopbackCommand, change}
	for _, address := range addresses {
		args = append(args, address.String())
	}
	instead := "Or leave the addresses out (spec.loopback.enabled: false), where nothing is published on them."
	if change == LoopbackRemove {
		instead = "They do no harm, and are gone after a restart."
	}
	return e.Privileged.Run(ctx, what, instead, args...)
}
