// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/masquerade"
	"github.com/gardener/kindling/pkg/steps"
)

// wantsMasquerade: the network for IPv4 alone has IPv6 too, and nothing that needs it.
func (e *Environment) wantsMasquerade() bool {
	_, ok := e.plan.Family(v1alpha1.IPv6)
	return ok && !e.spec.Spec.ClustersOnly
}

// masquerading lets containers reach IPv6 addresses outside. Engines add such a rule themselves, unless they leave ip6tables alone: Docker
// did by default before version 27.
func (e *Environment) masquerading() steps.Step {
	return steps.Step{
		Name:    stepMasquerade,
		Title:   "Masquerading of IPv6",
		Needs:   []string{stepNetwork},
		Observe: e.observeMasquerade,
		Apply:   e.withShared(stepMasquerade, e.applyMasquerade),
		Undo:    e.undoMasquerade,
	}
}

// observeMasquerade starts no container: a rule stays until the engine's host is started again, and was seen since.
func (e *Environment) observeMasquerade(ctx context.Context) (steps.Observation, error) {
	if uses, err := e.usesShared(stepMasquerade); err != nil || !uses {
		return steps.Observation{State: steps.Missing}, err
	}
	settled, err := e.settled(ctx, stepMasquerade)
	if err != nil || !settled {
		return steps.Observation{State: steps.Differs, Text: "not looked at since the engine's host was started"}, err
	}
	return steps.Observation{State: steps.AsWanted, Text: e.containerIPv6().String() + ", as seen since the engine's host was started"}, nil
}

func (e *Environment) applyMasquerade(ctx context.Context, report func(string)) (string, error) {
	source := e.containerIPv6()
	report("looking at the engine's host")
	facts, err := e.facts(ctx)
	if err != nil {
		return "", err
	}
	if err := e.useShared(ctx, stepMasquerade); err != nil {
		return "", err
	}
	listing, err := e.onHost(ctx, "", masquerade.Program, masquerade.List()...)
	if err != nil {
		return "", masqueradeError(source, err)
	}
	text := source.String() + ": a rule was there"
	if !masquerade.Covers(string(listing), source, facts.DefaultIPv6) {
		if err := e.useShared(ctx, stepMasquerade, source.String()); err != nil {
			return "", err
		}
		if _, err := e.onHost(ctx, "", masquerade.Program, masquerade.Append(source)...); err != nil {
			return "", masqueradeError(source, err)
		}
		text = source.String() + ": a rule added"
	}
	if facts.DefaultIPv6 == "" {
		e.notice(e.withoutIPv6())
		text += "; the engine's host has no way out for IPv6"
	}
	return text, e.settleShared(ctx, stepMasquerade, facts.BootID)
}

// withoutIPv6 says what does not work where the engine's host has no default route for IPv6.
func (e *Environment) withoutIPv6() string {
	if _, dual := e.plan.Family(v1alpha1.IPv4); dual {
		return "the engine's host has no default route for IPv6: what is outside is reached over IPv4 only"
	}
	return "the engine's host has no default route for IPv6: pods reach nothing outside; nodes pull images over the container network's IPv4"
}

func masqueradeError(source netip.Prefix, err error) error {
	return fmt.Errorf("masquerading of %s on the engine's host: %w\nIt is what lets containers reach IPv6 addresses outside. Switch on ip6tables in the engine's "+
		"configuration (daemon.json), or add the rule there: %s %s", source, err, masquerade.Program, strings.Join(masquerade.Append(source), " "))
}

func (e *Environment) undoMasquerade(ctx context.Context) (string, error) {
	removed := 0
	others, err := e.releaseShared(ctx, stepMasquerade, func(made []string) error {
		if len(made) == 0 {
			return nil
		}
		listing, err := e.onHost(ctx, "", masquerade.Program, masquerade.List()...)
		if err != nil {
			return fmt.Errorf("looking for kindling's masquerading rules on the engine's host: %w", err)
		}
		for _, one := range made {
			source, err := netip.ParsePrefix(one)
			if err != nil || !masquerade.Own(string(listing), source) {
				continue // gone with a restart
			}
			if _, err := e.onHost(ctx, "", masquerade.Program, masquerade.Delete(source)...); err != nil {
				return fmt.Errorf("removing kindling's masquerading rule from the engine's host: %w", err)
			}
			removed++
		}
		return nil
	})
	switch {
	case len(others) > 0:
		return "left: used by " + strings.Join(others, ", "), err
	case removed == 0:
		return "left: kindling added none", err
	}
	return "removed", err
}

func (e *Environment) containerIPv6() netip.Prefix {
	family, _ := e.plan.Family(v1alpha1.IPv6)
	return family.Container
}
