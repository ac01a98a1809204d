// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/dns"
	"github.com/gardener/kindling/pkg/enginehost"
	"github.com/gardener/kindling/pkg/hostresolver"
	"github.com/gardener/kindling/pkg/hosts"
	"github.com/gardener/kindling/pkg/privileged"
	"github.com/gardener/kindling/pkg/steps"
)

// The hidden command by which the resolver of this machine is told with the rights of root, and its flags.
const (
	ResolverCommand = "host-resolver"
	ResolverSet     = "set"
	ResolverUnset   = "unset"
	ResolverKind    = "kind"
	ResolverServer  = "nameserver"
	ResolverHost    = "host"
)

func (e *Environment) wantsResolver() bool {
	return *e.spec.Spec.DNS.Enabled && *e.spec.Spec.DNS.HostResolver
}

func (e *Environment) host() hostresolver.Host {
	root := e.HostRoot
	if root == "" {
		root = "/"
	}
	return hostresolver.Host{Root: root, OS: runtime.GOOS}
}

// resolverSettings are what this machine is to be told.
func (e *Environment) resolverSettings() hostresolver.Settings {
	settings := hostresolver.Settings{}
	if e.wantsDNSServer() {
		settings.Kind, settings.Nameservers = e.host().Detect(), e.dnsAddresses()
	}
	if name, ok := dns.HostName(e.plan.Gardener); ok && *e.spec.Spec.Registry.Enabled {
		for _, family := range e.plan.Families {
			loopback := netip.MustParseAddr("127.0.0.1")
			if family.Container.Addr().Is6() {
				loopback = netip.IPv6Loopback()
			}
			settings.Hosts = append(settings.Hosts, hosts.Entry{Address: loopback, Name: name})
		}
	}
	return settings
}

// hostResolver makes this machine know the domain, and the registry by its name. Where it can't, up goes on and says what is to be done.
func (e *Environment) hostResolver(needs ...string) steps.Step {
	return steps.Step{
		Name:    stepResolver,
		Title:   "Resolver of this machine",
		Needs:   needs,
		Observe: e.observeResolver,
		Apply:   e.withShared(stepResolver, e.applyResolver),
		Undo:    e.undoResolver,
	}
}

func (e *Environment) observeResolver(ctx context.Context) (steps.Observation, error) {
	where, err := e.EngineHost(ctx)
	if err != nil {
		return steps.Observation{}, err
	}
	if where.Kind == enginehost.Remote {
		return steps.Observation{State: steps.Skipped, Text: "the engine runs on " + where.String()}, nil
	}
	settings := e.resolverSettings()
	missing, err := e.host().Missing(settings)
	if err != nil {
		return steps.Observation{}, err
	}
	unknown := settings.Kind == hostresolver.Unknown && e.wantsDNSServer()
	if unknown {
		e.notice(fmt.Sprintf("the resolver of this machine is not known: make it ask %s for %s, or ask that server yourself", joinAddresses(e.dnsAddresses()), dns.Zone))
	}
	switch {
	case len(missing) > 0:
		var differences []steps.Difference
		for _, one := range missing {
			differences = append(differences, steps.Difference{Field: one, Have: "missing", Want: "there"})
		}
		return steps.Observation{State: steps.Differs, Text: fmt.Sprintf("%d missing", len(missing)), Differences: differences}, nil
	case unknown && len(settings.Hosts) == 0:
		return steps.Observation{State: steps.Skipped, Text: "resolver unknown"}, nil
	case settings.Kind == hostresolver.Unknown && len(settings.Hosts) == 0:
		return steps.Observation{State: steps.Skipped, Text: "nothing to tell"}, nil
	}
	if uses, err := e.usesShared(stepResolver); err != nil || !uses {
		return steps.Observation{State: steps.Differs, Text: notUsed}, err
	}
	return steps.Observation{State: steps.AsWanted, Text: describeResolver(settings)}, nil
}

func describeResolver(settings hostresolver.Settings) string {
	var parts []string
	if settings.Kind != hostresolver.Unknown {
		parts = append(parts, string(settings.Kind))
	}
	if len(settings.Hosts) > 0 {
		parts = append(parts, settings.Hosts[0].Name)
	}
	return strings.Join(parts, ", ")
}

func (e *Environment) applyResolver(ctx context.Context, report func(string)) (string, error) {
	settings := e.resolverSettings()
	missing, err := e.host().Missing(settings)
	if err != nil {
		return "", err
	}
	if err := e.useShared(ctx, stepResolver, missing...); err != nil {
		return "", err
	}
	err = e.tellResolver(ctx, ResolverSet, settings, report)
	if needed, ok := errors.AsType[*privileged.NeededError](err); ok {
		e.notice(fmt.Sprintf("this machine does not know %s (%s): %s\n  %s", dns.Zone, strings.Join(missing, ", "), needed.Err, needed.Command))
		return "not done: it takes the rights of root", nil
	}
	return describeResolver(settings), err
}

// tellResolver does it here where it may, else by the hidden command.
func (e *Environment) tellResolver(ctx context.Context, change string, settings hostresolver.Settings, report func(string)) error {
	if os.Geteuid() == 0 || e.host().Root != "/" {
		if change == ResolverSet {
			return e.host().Set(ctx, settings)
		}
		return e.host().Unset(ctx, settings)
	}
	args := []string{ResolverCommand, change}
	if settings.Kind != hostresolver.Unknown {
		args = append(args, "--"+ResolverKind+"="+string(settings.Kind))
	}
	for _, server := range settings.Nameservers {
		args = append(args, "--"+ResolverServer+"="+server.String())
	}
	for _, entry := range settings.Hosts {
		args = append(args, "--"+ResolverHost+"="+entry.Address.String()+"="+entry.Name)
	}
	report("sudo tells the resolver of this machine")
	return e.Privileged.Run(ctx, "Telling the resolver of this machine", "Or leave it alone with spec.dns.hostResolver: false.", args...)
}

func (e *Environment) undoResolver(ctx context.Context) (string, error) {
	text := "left: kindling told it nothing"
	others, err := e.releaseShared(ctx, stepResolver, func(made []string) error {
		kind := hostresolver.Resolved
		if runtime.GOOS == "darwin" {
			kind = hostresolver.MacOS
		}
		// It is entered before the deed, for which the rights may not have been had.
		there, err := e.host().There(kind, made)
		if err != nil || len(there) == 0 {
			return err
		}
		text = "taken back: " + strings.Join(slices.Sorted(slices.Values(there)), ", ")
		return e.tellResolver(ctx, ResolverUnset, hostresolver.Recorded(kind, there), func(string) {})
	})
	if len(others) > 0 {
		text = "left: used by " + strings.Join(others, ", ")
	}
	return text, err
}

// resolverTold says whether lookups on this machine reach the server by its own resolver.
func (e *Environment) resolverTold() (bool, error) {
	settings := e.resolverSettings()
	if !e.wantsResolver() || settings.Kind == hostresolver.Unknown || e.host().Root != "/" {
		return false, nil
	}
	missing, err := e.host().Missing(settings)
	return !slices.ContainsFunc(missing, func(one string) bool { return !strings.Contains(one, " ") }), err
}
