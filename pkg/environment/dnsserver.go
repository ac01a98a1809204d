// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/gardener/kindling/pkg/dns"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/portowner"
	"github.com/gardener/kindling/pkg/render"
)

// The container of the DNS server. Gardener's documentation calls it by this name.
const (
	dnsContainer = "bind9"
	// dnsAddressesLabel and dnsConfigLabel say what it was made for: an engine does not tell the ports of a container that is stopped.
	dnsAddressesLabel = "kindling.gardener.cloud/dns-addresses"
	dnsConfigLabel    = "kindling.gardener.cloud/dns-config"
)

// dnsConfigHash tells configurations apart. The zone is none of it: it is what the server and Gardener have made of it.
func dnsConfigHash() (string, error) {
	config, err := dns.Config()
	return fmt.Sprintf("%x", sha256.Sum256(config))[:12], err
}

// makeDNS makes the container whole or not at all.
func (e *Environment) makeDNS(ctx context.Context, report func(string)) error {
	image := e.spec.Spec.DNS.Image
	if _, err := e.Engine.ImageID(ctx, image); is[*engine.NotFoundError](err) {
		report("pulling " + image)
		if err := e.Engine.PullImage(ctx, image); err != nil {
			return deadline(ctx, fmt.Errorf("image of the DNS server %s: %w\nCheck spec.dns.image, load the image into the engine, or leave the server out "+
				"with spec.dns.enabled: false", image, err), "pulling "+image)
		}
	} else if err != nil {
		return err
	}
	addresses := e.dnsAddresses()
	archive, err := dns.Archive(addresses)
	if err != nil {
		return err
	}
	spec, err := e.dnsSpec()
	if err != nil {
		return err
	}
	id, err := e.Engine.CreateContainer(ctx, spec)
	if err != nil {
		return err
	}
	if err = e.Engine.CopyInto(ctx, id, "/", bytes.NewReader(archive)); err == nil {
		err = e.startDNS(ctx, id)
	}
	if err != nil {
		// Nothing has been written to it yet. The context may have ended: what is left then is known by never having been started.
		removeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
		defer cancel()
		err = errors.Join(err, e.Engine.RemoveContainers(removeCtx, id))
	}
	return err
}

func (e *Environment) dnsSpec() (engine.ContainerSpec, error) {
	config, err := dnsConfigHash()
	spec := engine.ContainerSpec{
		Name: dnsContainer, Image: e.spec.Spec.DNS.Image, Network: netplan.ContainerNetwork, Restart: true, Entrypoint: dns.Program, Args: dns.Args(),
		Labels: map[string]string{render.EnvironmentLabel: e.name(), dnsAddressesLabel: joinAddresses(e.dnsAddresses()), dnsConfigLabel: config},
	}
	for _, address := range e.dnsAddresses() {
		for _, protocol := range []string{"tcp", "udp"} {
			spec.Ports = append(spec.Ports, engine.PublishedPort{Host: netip.AddrPortFrom(address, dns.Port), Container: dns.Port, Protocol: protocol})
		}
	}
	return spec, err
}

func (e *Environment) startDNS(ctx context.Context, id string) error {
	err := e.Engine.StartContainers(ctx, id)
	switch {
	case is[*engine.NoAddressError](err):
		return fmt.Errorf("the DNS server can't be published at %s: the engine's host has no such address: let kindling add it (spec.loopback.enabled: true), or "+
			"leave the server out with spec.dns.enabled: false: %w", joinAddresses(e.dnsAddresses()), err)
	case is[*engine.PortTakenError](err):
		holder := e.portHolder(ctx, id, e.dnsPorts(), portowner.TCP, portowner.UDP)
		return &ServerPortError{Ports: e.dnsPorts(), By: holder, Remedy: "or leave the server out with spec.dns.enabled: false", Err: err}
	}
	return err
}

func (e *Environment) dnsPorts() []netip.AddrPort {
	var ports []netip.AddrPort
	for _, address := range e.dnsAddresses() {
		ports = append(ports, netip.AddrPortFrom(address, dns.Port))
	}
	return ports
}

// ServerPortError says that something else has a port that a container shall be published at.
type ServerPortError struct {
	Ports []netip.AddrPort
	// By says who has it; empty when that can't be told.
	By string
	// Remedy beside stopping that.
	Remedy string
	Err    error
}

// Error implements error.
func (e *ServerPortError) Error() string {
	ports := make([]string, len(e.Ports))
	for i, port := range e.Ports {
		ports[i] = port.String()
	}
	by := "by " + e.By
	if e.By == "" {
		by = fmt.Sprintf("by a program of the engine's host that can't be told from here (sudo ss -lnptu sport = :%d tells it there)", e.Ports[0].Port())
	}
	return fmt.Sprintf("%s is taken %s: stop that, %s\n%s", strings.Join(ports, ", "), by, e.Remedy, e.Err)
}

// Unwrap returns the cause.
func (e *ServerPortError) Unwrap() error { return e.Err }
