// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/netplan"
)

func node(name, role, address string) engine.Container {
	c := engine.Container{ID: "id-" + name, Name: name, State: running, Labels: map[string]string{kindRoleLabel: role}}
	if address != "" {
		c.Addresses = map[string][]netip.Addr{netplan.ContainerNetwork: {netip.MustParseAddr(address)}}
	}
	return c
}

func placedNodes(t *testing.T, nodes ...engine.Container) (*record, clusterRecord) {
	t.Helper()
	r := &record{path: filepath.Join(t.TempDir(), recordFile)}
	if err := r.enter("c", made, nil); err != nil {
		t.Fatal(err)
	}
	if err := r.placed("c", nodes); err != nil {
		t.Fatal(err)
	}
	known, err := r.cluster("c")
	if err != nil {
		t.Fatal(err)
	}
	return r, known
}

func TestTheRecordKeepsTheFirstAddresses(t *testing.T) {
	t.Parallel()
	r, _ := placedNodes(t, node("a", "control-plane", "172.18.0.2"), node("stopped", "worker", ""))
	if err := r.placed("c", []engine.Container{node("a", "control-plane", "172.18.0.9")}); err != nil {
		t.Fatal(err)
	}
	remade := node("a", "control-plane", "172.18.0.9")
	known, err := r.cluster("c")
	if err != nil || known.addresses(remade)[0].String() != "172.18.0.2" {
		t.Errorf("%v: %v", known, err)
	}
	remade.ID = "another"
	if known.knows([]engine.Container{remade}) || len(known.addresses(remade)) > 0 {
		t.Error("a container of the same name is taken for the one on record")
	}
	if err := r.placed("c", []engine.Container{remade}); err != nil {
		t.Fatal(err)
	}
	if known, err := r.cluster("c"); err != nil || known.addresses(remade)[0].String() != "172.18.0.9" {
		t.Errorf("a node that was made anew is on record as %v: %v", known, err)
	}
	if err := r.enter("c", halfMade, nil); err != nil {
		t.Fatal(err)
	}
	if known, err := r.cluster("c"); err != nil || len(known.Nodes) > 0 {
		t.Errorf("a cluster that is being removed has nodes %v: %v", known.Nodes, err)
	}
}

func TestStartOrder(t *testing.T) {
	t.Parallel()
	nodes := []engine.Container{
		node("balancer", "external-load-balancer", "172.18.0.2"), node("cp", "control-plane", "172.18.0.4"), node("cp2", "control-plane", "172.18.0.3"),
		node("worker", "worker", "172.18.0.6"), node("worker2", "worker", "172.18.0.5"),
	}
	_, known := placedNodes(t, nodes...)
	for name, test := range map[string]struct {
		displaced []string
		want      []string
	}{
		"control planes first, by their addresses":     {nil, []string{"cp2", "cp", "balancer", "worker2", "worker"}},
		"who can't have its own address does not take": {[]string{"cp2"}, []string{"cp", "balancer", "worker2", "worker", "cp2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, names(known.startOrder(nodes, test.displaced))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMovedNodes(t *testing.T) {
	t.Parallel()
	_, known := placedNodes(t, node("cp", "control-plane", "172.18.0.2"), node("worker", "worker", "172.18.0.3"), node("worker2", "worker", "172.18.0.4"))
	now := []engine.Container{node("cp", "control-plane", "172.18.0.3"), node("worker", "worker", ""), node("worker2", "worker", "172.18.0.4"), node("new", "worker", "172.18.0.9")}
	moved := known.moved(now)
	if diff := cmp.Diff([]string{"cp"}, names(moved)); diff != "" {
		t.Fatal(diff)
	}
	others := append(now, node("thief", "", "172.18.0.2"))
	text := movedText(moved[0], known.addresses(moved[0]), others)
	for _, want := range []string{"node cp has address 172.18.0.3, and had 172.18.0.2", "container thief has now", "pki/etcd/server.crt"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
	if text := movedText(node("worker", "worker", "172.18.0.7"), known.addresses(node("worker", "worker", "")), nil); strings.Contains(text, "etcd") || strings.Contains(text, "container") {
		t.Errorf("of a worker it says %q", text)
	}
}
