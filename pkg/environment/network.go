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
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// ForeignError says that a thing of the same name is there which kindling did not make.
type ForeignError struct {
	What string
	// Have and Want are both sides, in words.
	Have, Want string
	Remedy     string
}

// Error implements error.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s is there, and kindling did not make it\n  there is: %s\n  wanted:   %s\n%s", e.What, e.Have, e.Want, e.Remedy)
}

func (e *Environment) containerNetwork() steps.Step {
	return steps.Step{
		Name:    stepNetwork,
		Title:   "Container network",
		Needs:   e.whatMayBeMissing(),
		Observe: e.observeNetwork,
		Apply:   e.applyNetwork,
		Undo:    e.undoNetwork,
		Recreate: func(ctx context.Context) error {
			text, err := e.undoNetwork(ctx)
			if err == nil && strings.HasPrefix(text, "left") {
				err = fmt.Errorf("the container network %s can't be made again while it is used (%s): take the environments that use it down first", netplan.ContainerNetwork, text)
			}
			return err
		},
	}
}

// whatMayBeMissing are the steps that look for images and files before anything is made.
func (e *Environment) whatMayBeMissing() []string {
	if e.calicoWanted() {
		return []string{stepNodeImages, stepManifest}
	}
	return []string{stepNodeImages}
}

// networkSpec is the network with the ranges of both families, as Gardener's local setup has it for every family of cluster.
func (e *Environment) networkSpec() engine.NetworkSpec {
	spec := engine.NetworkSpec{Name: netplan.ContainerNetwork, Masquerade: true, Labels: map[string]string{render.EnvironmentLabel: e.name()}}
	for _, family := range e.plan.Families {
		spec.Prefixes = append(spec.Prefixes, family.Container)
	}
	// The engine would choose a range of its own for the other family.
	if _, ok := e.plan.Family(v1alpha1.IPv6); !ok {
		spec.Prefixes = append(spec.Prefixes, netip.MustParsePrefix("fd00:10::/64"))
	}
	if _, ok := e.plan.Family(v1alpha1.IPv4); !ok {
		spec.Prefixes = append(spec.Prefixes, netip.MustParsePrefix("172.18.0.0/24"))
	}
	return spec
}

// requiredSpec is the network without IPv6 where the environment does not use it: an engine may have none.
func (e *Environment) requiredSpec() engine.NetworkSpec {
	spec := e.networkSpec()
	if _, ok := e.plan.Family(v1alpha1.IPv6); !ok {
		spec.Prefixes = spec.Prefixes[:len(e.plan.Families)]
	}
	return spec
}

func (e *Environment) observeNetwork(ctx context.Context) (steps.Observation, error) {
	network, err := e.Engine.Network(ctx, netplan.ContainerNetwork)
	if is[*engine.NotFoundError](err) {
		return steps.Observation{State: steps.Missing}, nil
	}
	if err != nil {
		return steps.Observation{}, err
	}
	_, ours := network.Labels[render.EnvironmentLabel]
	if len(network.Differences(e.networkSpec())) > 0 && len(network.Differences(e.requiredSpec())) > 0 {
		if !ours {
			return steps.Observation{}, e.networkError(network)
		}
		observation := steps.Observation{State: steps.Differs, Text: "made with other settings"}
		for _, d := range network.Differences(e.networkSpec()) {
			observation.Differences = append(observation.Differences, steps.Difference{Field: d.Field, Have: d.Have, Want: d.Want, Recreate: true})
		}
		return observation, nil
	}
	text := describePrefixes(network.Prefixes)
	if !ours {
		text += ", made by somebody else: down leaves it"
	}
	return steps.Observation{State: steps.AsWanted, Text: text}, nil
}

// networkError shows both sides. A network with other ranges is never changed: what is attached to it would be cut off.
func (e *Environment) networkError(network *engine.Network) error {
	var have, want []string
	for _, difference := range network.Differences(e.networkSpec()) {
		have = append(have, difference.Field+" "+difference.Have)
		want = append(want, difference.Field+" "+difference.Want)
	}
	remedy := "remove it with: " + e.Engine.Name() + " network rm " + netplan.ContainerNetwork
	if len(network.Containers) > 0 {
		remedy = "it is used by " + strings.Join(network.Containers, ", ") + ": remove these first, then " + remedy
	}
	remedy += "\nor take its ranges over in spec.networks (container)"
	return &ForeignError{
		What: "a network called " + netplan.ContainerNetwork + " with other settings", Have: strings.Join(have, ", "), Want: strings.Join(want, ", "), Remedy: remedy,
	}
}

// applyNetwork makes the network, unless another kindling did since it was observed.
func (e *Environment) applyNetwork(ctx context.Context, report func(string)) (string, error) {
	unlock, err := e.lockNetwork(ctx, false, report)
	if err != nil {
		return "", err
	}
	defer unlock()
	if found, err := e.observeNetwork(ctx); err != nil || found.State != steps.Missing {
		return found.Text, err
	}
	spec := e.networkSpec()
	err = e.Engine.CreateNetwork(ctx, spec)
	if is[*engine.IPv6Error](err) && !slices.ContainsFunc(e.plan.Families, func(f netplan.Family) bool { return f.IPFamily == v1alpha1.IPv6 }) {
		report("the engine has no IPv6: making the network for IPv4 only")
		spec = e.requiredSpec()
		err = e.Engine.CreateNetwork(ctx, spec)
	}
	if err != nil {
		return "", err
	}
	return describePrefixes(spec.Prefixes), nil
}

// undoNetwork removes a network that kindling made for any environment, when the last container has left it.
func (e *Environment) undoNetwork(ctx context.Context) (string, error) {
	unlock, err := e.lockNetwork(ctx, false, func(string) {})
	if err != nil {
		return "", err
	}
	defer unlock()
	network, err := e.Engine.Network(ctx, netplan.ContainerNetwork)
	if is[*engine.NotFoundError](err) {
		return "not there", nil
	}
	if err != nil {
		return "", err
	}
	if _, ours := network.Labels[render.EnvironmentLabel]; !ours {
		return "left: kindling did not make it", nil
	}
	attached, err := e.Engine.ContainersOn(ctx, network.ID)
	if err != nil {
		return "", err
	}
	if len(attached) > 0 {
		return "left: used by " + strings.Join(attached, ", "), nil
	}
	return "removed", e.Engine.RemoveNetwork(ctx, network.ID)
}

func describePrefixes(prefixes []netip.Prefix) string {
	texts := make([]string, len(prefixes))
	for i, prefix := range prefixes {
		texts[i] = prefix.String()
	}
	return strings.Join(texts, ", ")
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
