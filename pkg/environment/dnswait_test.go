// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/engine/stubengine"
	"github.com/gardener/kindling/pkg/enginehost"
	"github.com/gardener/kindling/pkg/render"
)

// at says where the engine's host is, which is else asked.
func (e *Environment) at(kind enginehost.Kind) {
	e.whereOnce.Do(func() { e.where = enginehost.Where{Kind: kind} })
}

// withServer is an environment whose DNS server runs, with a log that has only updates at its end.
func withServer(t *testing.T) *Environment {
	t.Helper()
	stubengine.Start(t, stubengine.State{
		Containers: []stubengine.Container{{
			ID: "d0", Name: dnsContainer, State: running, Started: time.Unix(1, 0), Labels: map[string]string{render.EnvironmentLabel: "other"},
		}},
		Answers: []stubengine.Answer{{Call: "logs", Stdout: "updating zone 'local.gardener.cloud/IN'"}},
	})
	e := local(t)
	e.Engine, e.StateDir = engine.New(engine.Docker, engine.CLI{Program: "docker"}), t.TempDir()
	return e
}

func TestAServerThatRanBeforeIsNotTakenByItsLog(t *testing.T) {
	e := withServer(t)
	e.at(enginehost.Remote)
	if err := e.waitDNS(t.Context(), false); err != nil {
		t.Errorf("it ran before: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*dnsPause)
	defer cancel()
	if err := e.waitDNS(ctx, true); err == nil {
		t.Error("one that was just started has not said that it serves")
	}
}

func TestAServerOfThisMachineIsAsked(t *testing.T) {
	e := withServer(t)
	e.at(enginehost.Local)
	for i := range e.plan.Families { // nobody listens there
		e.plan.Families[i].LoadBalancers = netip.MustParsePrefix("127.18.254.0/24")
	}
	if err := e.askDNS(t.Context()); err == nil || !strings.Contains(err.Error(), "127.18.254.53:53 does not answer for ns.local.gardener.cloud") {
		t.Fatalf("%v, want that there is no answer", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*dnsPause)
	defer cancel()
	if err := e.waitDNS(ctx, false); err == nil {
		t.Error("a server that does not answer is taken for one that serves")
	}
}
