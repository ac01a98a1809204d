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
	"time"

	"github.com/gardener/kindling/pkg/dns"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/enginehost"
)

// dnsPause is the time between two looks at a server that starts, and dnsLogLines how much of its log is looked at.
const (
	dnsPause    = 200 * time.Millisecond
	dnsLogLines = 15
)

// dnsServing is what named writes at the end of a line of its log once it answers.
const dnsServing = " running"

// waitDNS waits until the server answers.
func (e *Environment) waitDNS(ctx context.Context, started bool) error {
	where, err := e.EngineHost(ctx)
	if err != nil {
		return err
	}
	serves := func(_ context.Context, logs string) error { return saysItServes(started, logs) }
	if where.Kind == enginehost.Local {
		serves = func(ctx context.Context, _ string) error { return e.askDNS(ctx) }
	}
	ticker := time.NewTicker(dnsPause)
	defer ticker.Stop()
	var problem error
	for {
		container, logs, err := e.lookAtDNS(ctx)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err != nil { // a look that time ended says nothing of the server
			return e.dnsNotServing(ctx, problem)
		}
		if container.State != running {
			return dnsStoppedError(container, logs)
		}
		if err = serves(ctx, logs); err == nil {
			return nil
		}
		problem = fmt.Errorf("%w; %s", err, describeDNS(container, logs))
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return e.dnsNotServing(ctx, problem)
		}
	}
}

// dnsNotServing says how the server was when time was up; where no look came to an end before, it looks once more.
func (e *Environment) dnsNotServing(ctx context.Context, problem error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	if problem == nil {
		lookCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
		defer cancel()
		container, logs, err := e.lookAtDNS(lookCtx)
		if problem = err; err == nil {
			problem = errors.New(describeDNS(container, logs))
		}
	}
	return deadline(ctx, problem, "the DNS server starts")
}

func (e *Environment) lookAtDNS(ctx context.Context) (container engine.Container, logs string, err error) {
	if container, err = e.Engine.Container(ctx, dnsContainer); err == nil {
		logs, err = e.Engine.Logs(ctx, dnsContainer, dnsLogLines)
	}
	return container, logs, err
}

// askDNS asks the server at each address that it is published at. What it answers is for lookups to judge.
func (e *Environment) askDNS(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	for _, address := range e.dnsAddresses() {
		server := netip.AddrPortFrom(address, dns.Port)
		if _, err := askServer(ctx, server, dns.ServerName, address.Is6()); err != nil {
			return fmt.Errorf("%s does not answer for %s: %w", server, dns.ServerName, err)
		}
	}
	return nil
}

// saysItServes is for servers that this machine may not reach. The line comes once, and is gone from the log's end after some updates: one
// that ran before is held to answer, as nodes find out in their lookups.
func saysItServes(started bool, logs string) error {
	if !started || slices.ContainsFunc(strings.Split(logs, "\n"), func(line string) bool { return strings.HasSuffix(line, dnsServing) }) {
		return nil
	}
	return errors.New("it has not said that it serves")
}

func dnsStoppedError(container engine.Container, logs string) error {
	return fmt.Errorf("the DNS server does not run: %s\nIs %s an image of BIND 9 with %s?", describeDNS(container, logs), container.Image, dns.Program)
}

func describeDNS(container engine.Container, logs string) string {
	return fmt.Sprintf("container %s is %s; its log ends with\n  %s", dnsContainer, container.State, strings.ReplaceAll(strings.TrimSpace(logs), "\n", "\n  "))
}
