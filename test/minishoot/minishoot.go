// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package minishoot makes a shoot in miniature in a kind cluster, of the real parts: etcd, kube-apiserver with the egress that Gardener
// gives it, kube-controller-manager, a machine that is a pod of the seed with a real container runtime, kubelet and kube-proxy, both ends
// of the VPN, and a Service with an APIService behind the tunnel. Objects have the names, labels and containers that Gardener gives them;
// Gardener's own kinds are served without their schemas. What stands in for OpenVPN, Envoy, Istio and metrics-server is the program in
// agent; what Gardener's controllers do is done once.
//
// What is wrong with the shoot is a value, Faults: Set makes it so, and the empty value takes everything back. So one cluster does for all
// faults. See kindling verify, which is tried on it.
//
// The cluster has one node. With Calico, pools and guard are kindling's own. The network plugin Plain knows neither pools nor policies:
// there a plugin of the fixture gives machines addresses outside the seed's pods, as the split has them, and a rule of the node's firewall
// keeps seed pods from kubelets as the guard does; no NetworkPolicy is enforced.
package minishoot

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/pkg/kube"
)

// Names of the shoot, as the local setup has them.
const (
	Project     = "garden-local"
	Name        = "local"
	TechnicalID = "shoot--local--local"
	machineName = "machine-" + TechnicalID + "-local-z1-5d8f7-mini0"
)

// toolsImage is in the node image of hack/nodeimage, and is what the agent runs in.
const toolsImage = "localhost/kindling/nettools:1"

// Options are what a shoot is made of.
type Options struct {
	// Kubeconfig of the kind cluster, with an address that this process reaches.
	Kubeconfig []byte
	// Node of the cluster. The fixture is made for one: everything runs there.
	Node kindcluster.Node
	// NodeAddress is the node's address in the container network. This process must reach it.
	NodeAddress netip.Addr
	// Agent is the program test/minishoot/agent, built without cgo for the node.
	Agent []byte
	// HA makes the VPN highly available.
	HA bool
	// Calico says that the cluster has Calico, and not the network plugin Plain.
	Calico   bool
	Networks Networks
}

// Networks are the ranges of seed and shoot, IPv4 only.
type Networks struct {
	SeedNodes, SeedPods, SeedServices  netip.Prefix
	Machines, ShootPods, ShootServices netip.Prefix
}

// DefaultNetworks are those of the local setup with the split.
func DefaultNetworks() Networks {
	return Networks{
		SeedNodes: netip.MustParsePrefix("172.18.0.0/24"), SeedPods: netip.MustParsePrefix("10.1.0.0/16"), SeedServices: netip.MustParsePrefix("10.2.0.0/16"),
		Machines: netip.MustParsePrefix("10.0.0.0/16"), ShootPods: netip.MustParsePrefix("10.3.0.0/16"), ShootServices: netip.MustParsePrefix("10.4.0.0/16"),
	}
}

// Faults is what is wrong with a shoot.
type Faults struct {
	// NodesEmpty leaves out Shoot.spec.networking.nodes, and so the VPN's route for nodes.
	NodesEmpty bool
	// MachineInSeedPool gives the machine an address of the seed's pods.
	MachineInSeedPool bool
	// Unguarded takes the guard, or what stands in for it, away.
	Unguarded bool
	// PermissivePolicy lets everything connect to machines, were policies enforced.
	PermissivePolicy bool
	// MachinesService makes the Service and the label by which control planes reached kubelets before v1.96.
	MachinesService bool
	// SeedEndDead and ShootEndDead scale one end of the VPN to nothing.
	SeedEndDead, ShootEndDead bool
	// HalfOpen takes away one of two VPN servers, the one in use.
	HalfOpen bool
	// ServicesUnrouted leaves out the VPN's route for services, so that only metrics fail.
	ServicesUnrouted bool
}

// Legacy is the fault that started it all: machines among the seed's pods, no nodes, no guard.
func Legacy() Faults { return Faults{NodesEmpty: true, MachineInSeedPool: true, Unguarded: true} }

// Fixture is a shoot that was made.
type Fixture struct {
	opts     Options
	seed     *kube.Client
	network  network
	images   images
	identity *identity
	// gateway is the fixed address in the seed that machines reach its services by.
	gateway netip.Addr
	// made are the objects in the seed by name, so that those of an earlier fault can be removed.
	made map[string]*unstructured.Unstructured
	// shoot is there once the shoot's API server answers.
	shoot *kube.Client
}

// Up makes a shoot without faults and waits until its machine is ready and both ends of the VPN run.
func Up(ctx context.Context, opts Options) (*Fixture, error) {
	seed, err := kube.NewClient(opts.Kubeconfig)
	if err != nil {
		return nil, err
	}
	// Far from the first addresses, which kubeadm and the API server give out.
	f := &Fixture{opts: opts, seed: seed, gateway: nth(opts.Networks.SeedServices, 3000), made: map[string]*unstructured.Unstructured{}}
	f.network = f.newNetwork()
	if f.images, err = findImages(ctx, seed); err != nil {
		return nil, err
	}
	if err := f.prepareNode(ctx); err != nil {
		return nil, fmt.Errorf("preparing the node: %w", err)
	}
	if f.identity, err = newIdentity(f.names()); err != nil {
		return nil, err
	}
	if err := f.applyKinds(ctx); err != nil {
		return nil, fmt.Errorf("serving Gardener's kinds: %w", err)
	}
	return f, f.Set(ctx, Faults{})
}

// names are those by which the shoot's API server is reached.
func (f *Fixture) names() (dns []string, addresses []netip.Addr) {
	return []string{"kubernetes", "kube-apiserver", "kube-apiserver." + TechnicalID, "kube-apiserver." + TechnicalID + ".svc"},
		[]netip.Addr{f.gateway, f.opts.NodeAddress, nth(f.opts.Networks.ShootServices, 1), netip.AddrFrom4([4]byte{127, 0, 0, 1})}
}

// Set makes a shoot have these faults and no others, and returns when all that shall run does. What no longer belongs to it is removed.
func (f *Fixture) Set(ctx context.Context, faults Faults) error {
	if err := f.set(ctx, faults); err != nil {
		return fmt.Errorf("setting the shoot up with %+v: %w", faults, err)
	}
	return nil
}

func (f *Fixture) set(ctx context.Context, faults Faults) error {
	values := f.values(faults)
	objects, err := f.seedObjects(values)
	if err != nil {
		return err
	}
	if err := f.network.guard(ctx, !faults.Unguarded); err != nil {
		return err
	}
	if err := f.remove(ctx, objects); err != nil {
		return err
	}
	if _, err := f.seed.Apply(ctx, objects); err != nil {
		return err
	}
	for _, object := range objects {
		f.made[kube.Name(object)] = object
	}
	if err := kube.Wait(ctx, []kube.Condition{settled(f.seed, objects)}, func([]kube.Pending) {}); err != nil {
		return fmt.Errorf("waiting for the control plane and the machine: %w", err)
	}
	return f.setShoot(ctx, values)
}

// remove deletes what an earlier Set made and this one does not want.
func (f *Fixture) remove(ctx context.Context, wanted []*unstructured.Unstructured) error {
	keep := map[string]bool{}
	for _, object := range wanted {
		keep[kube.Name(object)] = true
	}
	var gone []kube.Condition
	for name, object := range f.made {
		if keep[name] {
			continue
		}
		if err := f.seed.Delete(ctx, object); err != nil {
			return err
		}
		delete(f.made, name)
		gone = append(gone, deleted(f.seed, object))
	}
	if len(gone) == 0 {
		return nil
	}
	return kube.Wait(ctx, gone, func([]kube.Pending) {})
}

// setShoot applies what is in the shoot. It has a client of its own, which connects anew when the API server was started again.
func (f *Fixture) setShoot(ctx context.Context, values values) error {
	var err error
	if f.shoot == nil {
		if f.shoot, err = f.connectShoot(ctx); err != nil {
			return err
		}
	}
	if err := kube.Wait(ctx, []kube.Condition{f.shoot.Answers()}, func([]kube.Pending) {}); err != nil {
		return fmt.Errorf("waiting for the shoot's API server: %w", err)
	}
	objects, err := shootObjects(values)
	if err != nil {
		return err
	}
	if _, err := f.shoot.Apply(ctx, objects); err != nil {
		return fmt.Errorf("in the shoot: %w", err)
	}
	conditions := []kube.Condition{f.machineReady(), settled(f.shoot, objects)}
	if err := kube.Wait(ctx, conditions, func([]kube.Pending) {}); err != nil {
		return fmt.Errorf("waiting for the shoot: %w", err)
	}
	return nil
}

// Down removes the shoot and what was put on the node.
func (f *Fixture) Down(ctx context.Context) error {
	var failures []error
	var gone []kube.Condition
	for _, object := range f.made {
		// Namespaces take everything in them along.
		if object.GetNamespace() == "" {
			failures = append(failures, f.seed.Delete(ctx, object))
			gone = append(gone, deleted(f.seed, object))
		}
	}
	failures = append(failures, kube.Wait(ctx, gone, func([]kube.Pending) {}), f.restoreNode(ctx))
	return errors.Join(failures...)
}

// nth is the n-th address of a range.
func nth(prefix netip.Prefix, n uint32) netip.Addr {
	bytes := prefix.Masked().Addr().As4()
	number := uint32(bytes[0])<<24 | uint32(bytes[1])<<16 | uint32(bytes[2])<<8 | uint32(bytes[3])
	number += n
	return netip.AddrFrom4([4]byte{byte(number >> 24), byte(number >> 16), byte(number >> 8), byte(number)})
}

// certificatesLive is how long the fixture's certificates are good for.
const certificatesLive = 24 * time.Hour
