// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/dns"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// wantsDNSServer says whether names are those of a server beside the clusters.
func (e *Environment) wantsDNSServer() bool { return render.HasResolvConf(e.spec, e.plan) }

// withDNS adds what is there once for all clusters. Clusters come after the server: their nodes ask it for each other's names.
func (e *Environment) withDNS(list steps.List) steps.List {
	if !e.wantsDNSServer() {
		if _, named := dns.HostName(e.plan.Gardener); named && e.wantsResolver() {
			return append(list, e.hostResolver(stepNetwork))
		}
		return list
	}
	needs := []string{stepNetwork}
	if e.wantsLoopback() {
		needs = append(needs, stepLoopback)
	}
	list = append(list, e.dnsServer(needs...))
	e.beforeNodes = append(e.beforeNodes, stepDNS)
	if e.wantsResolver() {
		list = append(list, e.hostResolver(stepDNS))
	}
	return list
}

// dnsServer is the server that DNSRecords are written to. It outlives clusters, and all environments share it.
func (e *Environment) dnsServer(needs ...string) steps.Step {
	return steps.Step{
		Name:     stepDNS,
		Title:    "DNS server of " + dns.Zone,
		Needs:    needs,
		Observe:  e.observeDNS,
		Apply:    e.withShared(stepDNS, e.applyDNS),
		Undo:     e.undoDNS,
		Recreate: e.recreateDNS,
	}
}

// dnsAddresses are those of the engine's host that the server is published at, in the families of the environment.
func (e *Environment) dnsAddresses() []netip.Addr { return render.DNSAddresses(e.plan) }

// observeDNS says of a container that is gone that it differs: clusters that use it can be looked at all the same.
func (e *Environment) observeDNS(ctx context.Context) (steps.Observation, error) {
	container, err := e.Engine.Container(ctx, dnsContainer)
	if is[*engine.NotFoundError](err) {
		return steps.Observation{State: steps.Differs, Text: "there is no container " + dnsContainer}, nil
	}
	if err != nil {
		return steps.Observation{}, err
	}
	differences, err := e.dnsDifferences(container)
	if err != nil || len(differences) > 0 {
		return steps.Observation{State: steps.Differs, Text: "made with other settings", Differences: differences}, err
	}
	if container.State != running {
		return steps.Observation{State: steps.Differs, Text: "its container is " + container.State}, nil
	}
	if uses, err := e.usesShared(stepDNS); err != nil || !uses {
		return steps.Observation{State: steps.Differs, Text: notUsed}, err
	}
	have, err := os.ReadFile(e.path(render.ResolvConfFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return steps.Observation{}, fmt.Errorf("reading what nodes mount: %w", err)
	}
	if !bytes.Equal(have, dns.ResolvConf(e.dnsAddresses())) {
		return steps.Observation{State: steps.Differs, Text: e.path(render.ResolvConfFile) + " is not as wanted"}, nil
	}
	return steps.Observation{State: steps.AsWanted, Text: "at " + joinAddresses(e.dnsAddresses())}, nil
}

// dnsDifferences names what can't be changed in a container, and no error when it is as wanted. More addresses than wanted are another
// environment's.
func (e *Environment) dnsDifferences(container engine.Container) ([]steps.Difference, error) {
	wanted := e.dnsAddresses()
	if _, ours := container.Labels[render.EnvironmentLabel]; !ours {
		return nil, &ForeignError{
			What: "a container called " + dnsContainer, Have: "image " + container.Image + ", " + container.State,
			Want:   "the DNS server of " + dns.Zone + ", image " + e.spec.Spec.DNS.Image,
			Remedy: "remove it with: " + e.Engine.Name() + " rm --force " + dnsContainer + "\nor leave the server out with spec.dns.enabled: false",
		}
	}
	config, err := dnsConfigHash()
	if err != nil {
		return nil, err
	}
	var differences []steps.Difference
	differs := func(field, have, want string) {
		differences = append(differences, steps.Difference{Field: field, Have: orNone(have), Want: want, Recreate: true})
	}
	if container.Image != e.spec.Spec.DNS.Image {
		differs("image", container.Image, e.spec.Spec.DNS.Image)
	}
	have := container.Labels[dnsAddressesLabel]
	if slices.ContainsFunc(wanted, func(a netip.Addr) bool { return !slices.Contains(strings.Split(have, ","), a.String()) }) {
		differs("addresses", have, joinAddresses(wanted))
	}
	if have := container.Labels[dnsConfigLabel]; have != config {
		differs("configuration", have, config)
	}
	return differences, nil
}

func (e *Environment) applyDNS(ctx context.Context, report func(string)) (string, error) {
	// A file that is as wanted stays: nodes have it mounted.
	if have, err := os.ReadFile(e.path(render.ResolvConfFile)); err != nil || !bytes.Equal(have, dns.ResolvConf(e.dnsAddresses())) {
		if err := e.writeFile(render.ResolvConfFile, dns.ResolvConf(e.dnsAddresses()), 0o644); err != nil {
			return "", err
		}
	}
	if err := e.useShared(ctx, stepDNS, dnsContainer); err != nil {
		return "", err
	}
	letGo, err := e.holdNetwork(ctx, report)
	if err != nil {
		return "", err
	}
	defer letGo()
	started, err := e.runDNS(ctx, report)
	if err != nil {
		return "", err
	}
	report("waiting until it serves")
	return "at " + joinAddresses(e.dnsAddresses()), e.waitDNS(ctx, started)
}

// runDNS makes the container run, whatever there is of it, and says whether it did not run before.
func (e *Environment) runDNS(ctx context.Context, report func(string)) (started bool, err error) {
	container, err := e.Engine.Container(ctx, dnsContainer)
	if is[*engine.NotFoundError](err) {
		return true, e.makeDNS(ctx, report)
	}
	if err != nil {
		return false, err
	}
	// Another environment may have made it since it was observed.
	differences, err := e.dnsDifferences(container)
	switch {
	case err != nil:
		return false, err
	case len(differences) > 0:
		return false, &steps.RecreateError{Step: stepDNS, Differences: differences}
	case container.Started.IsZero():
		report("removing what an interrupted run left")
		if err := e.Engine.RemoveContainers(ctx, container.ID); err != nil {
			return false, err
		}
		return true, e.makeDNS(ctx, report)
	case container.State != running:
		return true, e.startDNS(ctx, container.ID)
	}
	return false, nil
}

// recreateDNS does not take the server from under other environments: what Gardener has written to it would be gone for their clusters too.
func (e *Environment) recreateDNS(ctx context.Context) error {
	unlock, err := e.lockOf(ctx, stepDNS, func(string) {})
	if err != nil {
		return err
	}
	defer unlock()
	others, err := e.othersUsing(stepDNS)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return fmt.Errorf("the DNS server is used by %s, and all that Gardener has written to it would be gone: write the same in spec.dns and spec.ipFamilies "+
			"of both, or take the other environment down", strings.Join(others, ", "))
	}
	return e.Engine.RemoveContainers(ctx, dnsContainer)
}

func (e *Environment) undoDNS(ctx context.Context) (string, error) {
	text := "not there"
	others, err := e.releaseShared(ctx, stepDNS, func(made []string) error {
		container, err := e.Engine.Container(ctx, dnsContainer)
		if is[*engine.NotFoundError](err) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, ours := container.Labels[render.EnvironmentLabel]; !ours || !slices.Contains(made, dnsContainer) {
			text = "left: kindling did not make it"
			return nil
		}
		text = "removed"
		return e.Engine.RemoveContainers(ctx, container.ID)
	})
	if len(others) > 0 {
		text = "left: used by " + strings.Join(others, ", ")
	}
	return text, err
}

func joinAddresses(addresses []netip.Addr) string {
	texts := make([]string, len(addresses))
	for i, address := range addresses {
		texts[i] = address.String()
	}
	return strings.Join(texts, ",")
}
