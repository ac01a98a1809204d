// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/engine/stubengine"
	"github.com/gardener/kindling/pkg/enginehost"
	"github.com/gardener/kindling/pkg/hosts"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/steps"
)

// atOnce are environments that come up at the same time, with both families.
func atOnce(t *testing.T, count int, kind enginehost.Kind) []*Environment {
	t.Helper()
	state := filepath.Join(t.TempDir(), "state")
	all := make([]*Environment, count)
	for i := range all {
		spec := local(t).spec
		spec.Spec.IPFamilies = []v1alpha1.IPFamily{v1alpha1.IPv4, v1alpha1.IPv6}
		plan, err := netplan.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		e := New(spec, plan, Options{
			Engine: engine.New(engine.Docker, engine.CLI{Program: "docker"}), StateDir: state, Dir: filepath.Join(state, string(rune('a'+i))),
			CacheDir: filepath.Join(state, "cache"),
		})
		e.at(kind)
		if err := os.MkdirAll(e.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(e.Dir, recordFile), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		all[i] = e
	}
	return all
}

func applyAll(t *testing.T, all []*Environment, step func(*Environment) steps.Step) {
	t.Helper()
	var group errgroup.Group
	for _, e := range all {
		group.Go(func() error {
			_, err := step(e).Apply(t.Context(), func(string) {})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

func TestEnvironmentsThatComeUpAtOnceAddOneRule(t *testing.T) {
	all := atOnce(t, 4, enginehost.Remote)
	stub := stubengine.Start(t, stubengine.State{Images: []stubengine.Image{{Names: []string{all[0].hostImage()}}}})
	applyAll(t, all, (*Environment).masquerading)
	state, err := stub.State()
	if err != nil || len(state.HostRules) != 1 {
		t.Errorf("rules %q, want one: %v", state.HostRules, err)
	}
}

func TestEnvironmentsThatComeUpAtOnceMakeOneServer(t *testing.T) {
	all := atOnce(t, 4, enginehost.Remote)
	stub := stubengine.Start(t, stubengine.State{Images: []stubengine.Image{{Names: []string{all[0].spec.Spec.DNS.Image}}}})
	if _, err := all[0].applyNetwork(t.Context(), func(string) {}); err != nil { // else one makes it while all others wait
		t.Fatal(err)
	}
	applyAll(t, all, func(e *Environment) steps.Step { return e.dnsServer() })
	calls, err := stub.Calls()
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, call := range calls {
		if call[0] == "create" {
			made++
		}
		if call[0] == "rm" {
			t.Errorf("one removed what another was making: %q", call)
		}
	}
	if made != 1 {
		t.Errorf("%d servers were made, want one", made)
	}
}

func TestEnvironmentsThatComeUpAtOnceKeepEachOthersNames(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "etc"), 0o700); err != nil {
		t.Fatal(err)
	}
	all := atOnce(t, 8, enginehost.Local)
	for i, e := range all {
		e.HostRoot = root
		if i%2 == 0 {
			e.plan.Families = e.plan.Families[:1]
		} else {
			e.plan.Families = e.plan.Families[1:]
		}
	}
	applyAll(t, all, func(e *Environment) steps.Step { return e.hostResolver() })
	content, err := os.ReadFile(filepath.Join(root, "etc/hosts"))
	if err != nil {
		t.Fatal(err)
	}
	addresses := hosts.Addresses(string(content), "registry.local.gardener.cloud")
	for _, want := range []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()} {
		if !slices.Contains(addresses, want) {
			t.Errorf("%s is lost:\n%s", want, content)
		}
	}
	if got := strings.Count(string(content), "\n"); got != 2 {
		t.Errorf("%d lines, want each once:\n%s", got, content)
	}
}

func TestTheServerIsNotMadeAgainUnderOthers(t *testing.T) {
	all := atOnce(t, 2, enginehost.Remote)
	stub := stubengine.Start(t, stubengine.State{Images: []stubengine.Image{{Names: []string{all[0].spec.Spec.DNS.Image}}}})
	applyAll(t, all, func(e *Environment) steps.Step { return e.dnsServer() })
	if err := all[0].dnsServer().Recreate(t.Context()); err == nil || !strings.Contains(err.Error(), "used by "+all[1].Dir) {
		t.Errorf("error %v, want who uses it", err)
	}
	if state, err := stub.State(); err != nil || len(state.Containers) != 1 {
		t.Errorf("%d containers, want the server: %v", len(state.Containers), err)
	}
	if _, err := all[1].undoDNS(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := all[0].dnsServer().Recreate(t.Context()); err != nil {
		t.Errorf("nobody else uses it: %v", err)
	}
	if state, err := stub.State(); err != nil || len(state.Containers) != 0 {
		t.Errorf("%d containers, want none: %v", len(state.Containers), err)
	}
}
