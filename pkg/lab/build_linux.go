// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/gardener/kindling/pkg/netplan"
)

// bridgeName is the bridge of the container network, named as the network is.
const bridgeName = netplan.ContainerNetwork

// laboratory is what is built. Everything ends with the process that built it.
type laboratory struct {
	*topology
	ha         bool
	program    Program
	say        func(string)
	identity   identity
	namespaces map[string]*namespace
	// kill ends the processes of each box.
	kill map[string][]func() error
}

// build makes the namespaces of a topology, in a process whose own network namespace has nothing in it yet.
func build(opts Options, program Program, say func(string)) (*laboratory, error) {
	t, err := newTopology(opts)
	if err != nil {
		return nil, err
	}
	l := &laboratory{
		topology: t, ha: opts.HA, program: program, say: say,
		namespaces: map[string]*namespace{}, kill: map[string][]func() error{},
	}
	return l, steps(
		func() (err error) { l.identity, err = newIdentity(time.Now()); return err },
		l.buildNodes,
		l.buildPods,
		l.buildMachine,
		l.buildVPN,
		l.buildGuard,
	)
}

func (l *laboratory) buildNodes() error {
	bridge, err := currentNamespace(ContainerNetwork)
	if err != nil {
		return err
	}
	l.namespaces[ContainerNetwork] = bridge
	if err := steps(
		func() error { return up("lo") },
		func() error {
			return explain(netlink.LinkAdd(&netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: bridgeName}}), "making the bridge %s", bridgeName)
		},
		func() error { return addAddress(bridgeName, l.gateway) },
		func() error { return up(bridgeName) },
	); err != nil {
		return err
	}
	for _, node := range l.nodes {
		if l.namespaces[node.name], err = newNamespace(node.name); err != nil {
			return err
		}
		if err := wireNode(bridge, l.namespaces[node.name], node, l.gateway); err != nil {
			return err
		}
	}
	for _, node := range l.nodes {
		if err := routeBlocks(l.namespaces[node.name], node, l.nodes); err != nil {
			return err
		}
	}
	return nil
}

func (l *laboratory) buildPods() (err error) {
	for _, pod := range l.pods {
		if l.namespaces[pod.name], err = newNamespace(pod.name); err != nil {
			return err
		}
		if err := wirePod(l.namespaces[pod.node], l.namespaces[pod.name], pod); err != nil {
			return err
		}
	}
	return nil
}

// buildMachine makes a node of the shoot of the machine's pod: it forwards for its own pods, hides them behind its address, and
// knows the Service of metrics-server.
func (l *laboratory) buildMachine() error {
	service := netip.AddrPortFrom(l.metricsService, servicePort)
	pod := netip.AddrPortFrom(l.box(MetricsServer).address, metricsPort)
	return l.namespaces[Machine].do(func() error {
		return steps(
			forward,
			func() error { return addMasquerade(l.shootPods, "eth0") },
			func() error { return addService(service, pod) },
		)
	})
}

func (l *laboratory) buildGuard() error {
	if !l.guard {
		return nil
	}
	machine := l.box(Machine)
	return l.namespaces[machine.node].do(func() error { return addGuard(machine, l.seedPods) })
}

// remove ends the processes of a pod and takes its interface away, as the deletion of a pod does.
func (l *laboratory) remove(name string) error {
	for _, kill := range l.kill[name] {
		if err := kill(); err != nil {
			return err
		}
	}
	delete(l.kill, name)
	pod := l.box(name)
	err := l.namespaces[pod.node].do(func() error {
		link, err := netlink.LinkByName(hostSide(name))
		if err != nil {
			return err
		}
		return netlink.LinkDel(link)
	})
	if err := errors.Join(err, l.namespaces[name].close()); err != nil {
		return fmt.Errorf("removing %s: %w", name, err)
	}
	delete(l.namespaces, name)
	return nil
}
