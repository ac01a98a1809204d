// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"slices"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/enginehost"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/steps"
	"github.com/gardener/kindling/pkg/vpn"
)

// engineHost looks at the engine's host before clusters are made, and says what is little or does not fit. It takes a container's start, so
// it is not done again once they are there. What it finds is no reason not to go on.
func (e *Environment) engineHost() steps.Step {
	return steps.Step{
		Name:  stepEngineHost,
		Title: "Host of the engine",
		Needs: []string{stepNodeImages},
		Observe: func(ctx context.Context) (steps.Observation, error) {
			where, err := e.EngineHost(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			for _, c := range e.clusters {
				if nodes, err := c.knownContainers(ctx); err != nil || len(nodes) == 0 {
					return steps.Observation{State: steps.Missing, Text: "looked at when clusters are made: " + where.String()}, err
				}
			}
			return steps.Observation{State: steps.AsWanted, Text: where.String() + ": " + where.Why}, nil
		},
		Apply: func(ctx context.Context, _ func(string)) (string, error) {
			where, err := e.EngineHost(ctx)
			if err != nil {
				return "", err
			}
			facts, err := e.facts(ctx)
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			if err != nil {
				e.notice("checks of the engine's host are left out: " + err.Error())
				return where.String(), nil //nolint:nilerr // said, and no reason not to go on
			}
			host := enginehost.Architecture(e.Info.Architecture)
			if err := e.noticeArchitectures(ctx, host); err != nil {
				return "", err
			}
			if text := facts.LittleDisk(); text != "" {
				e.notice(text)
			}
			if text := facts.WrongClock(); text != "" {
				e.notice(text)
			}
			for _, text := range facts.Lacks(e.kernelNeeds()) {
				e.notice(text)
			}
			return fmt.Sprintf("%s, %s, %s free", where, host, enginehost.Size(facts.DiskFree)), nil
		},
	}
}

// kernelNeeds says what encapsulation and the VPNs of the shoots take. Whether IPIP can be had is found out where it is not asked for.
func (e *Environment) kernelNeeds() enginehost.Needs {
	needs := enginehost.Needs{IPIP: e.calicoWanted() && e.spec.Spec.Calico.Encapsulation == v1alpha1.EncapsulationIPIP}
	for _, shoot := range e.plan.Shoots {
		network, err := vpn.New(e.plan, shoot, false)
		if err != nil {
			continue // that version has no such VPN, which trace says
		}
		needs.HA = needs.HA || network.HA
		needs.TunnelsIPv6 = needs.TunnelsIPv6 || network.HA && e.plan.Gardener.Has(gardener.VPNByDefault)
		needs.Mapped = needs.Mapped || network.Generation == vpn.GenerationMapped
	}
	return needs
}

// noticeArchitectures says which node images are made for other machines.
func (e *Environment) noticeArchitectures(ctx context.Context, host string) error {
	texts, err := e.otherArchitectures(ctx, host)
	for _, text := range texts {
		e.notice(text)
	}
	return err
}

// otherArchitectures compares the node images with the host: others run slowly by emulation, if at all.
func (e *Environment) otherArchitectures(ctx context.Context, host string) ([]string, error) {
	var texts []string
	for _, name := range e.nodeImageNames() {
		image, err := e.Engine.ImageArchitecture(ctx, name)
		if is[*engine.NotFoundError](err) || image == "" || image == host || host == "" {
			continue
		}
		if err != nil {
			return texts, err
		}
		texts = append(texts, fmt.Sprintf("node image %s is made for %s, and the engine's host is %s: nodes run slowly by emulation, or not at all; use an image for %s",
			name, image, host, host))
	}
	return texts, nil
}

// nodeImageNames are the images of all clusters, each once.
func (e *Environment) nodeImageNames() []string {
	var names []string
	for _, c := range e.clusters {
		names = union(names, c.spec.NodeImage)
	}
	return names
}

// facts are what one container saw of the engine's host in this run.
func (e *Environment) facts(ctx context.Context) (enginehost.Facts, error) {
	e.factsMutex.Lock()
	defer e.factsMutex.Unlock()
	if e.knownFacts == nil {
		facts, err := enginehost.Probe(ctx, e.Engine, e.hostImage(), e.Info.Kernel)
		if err != nil {
			return enginehost.Facts{}, err
		}
		e.knownFacts = &facts
	}
	return *e.knownFacts, nil
}

// notice keeps what a step has to say beside its result.
func (e *Environment) notice(text string) {
	e.noticesMutex.Lock()
	defer e.noticesMutex.Unlock()
	if !slices.Contains(e.notices, text) {
		e.notices = append(e.notices, text)
	}
}
