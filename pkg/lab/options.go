// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package lab plays the fault that kindling prevents with real packets: network namespaces wired as Calico wires pods, a real tunnel
// in the place of the VPN, and servers in the place of kubelet and metrics-server. It needs Linux, no cluster and no container engine.
//
// It does not use pkg/route or pkg/vpn: what they predict is compared with what happens here.
package lab

import (
	"fmt"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
)

// GardenerVersion is the version of Gardener whose VPN the laboratory imitates: the one that the fault was reported for, with plain
// routes for the networks of the shoot, and HTTP CONNECT beside the VPN server without high availability.
const GardenerVersion = "v1.93.0"

// Side of the VPN that is broken.
type Side string

// The sides.
const (
	// SideNone leaves the VPN alone.
	SideNone Side = "none"
	// SideSeed removes the pods of the VPN server, as scaling vpn-seed-server to 0 does.
	SideSeed Side = "seed"
	// SideShoot removes the pod of the VPN client, as scaling vpn-shoot to 0 does.
	SideShoot Side = "shoot"
)

// Options say what is built, and what is done to it.
type Options struct {
	Layout v1alpha1.Layout `json:"layout"`
	// HA is a control plane with high availability: kube-apiserver holds the VPN's devices itself.
	HA    bool `json:"ha"`
	Break Side `json:"break"`
	// Guard forbids seed pods to reach kubelets of machines directly.
	Guard bool `json:"guard"`
}

// Environment returns the environment that is imitated.
func (o Options) Environment() *v1alpha1.Environment {
	shoot := v1alpha1.Shoot{Name: "local"}
	if o.HA {
		shoot.FailureTolerance = v1alpha1.FailureToleranceNode
	}
	env := &v1alpha1.Environment{
		Metadata: v1alpha1.Metadata{Name: "lab"},
		Spec: v1alpha1.EnvironmentSpec{
			Gardener: v1alpha1.Gardener{Version: GardenerVersion}, Layout: o.Layout, Shoots: []v1alpha1.Shoot{shoot},
		},
	}
	env.Spec.Calico.MachinePool.Guard = &o.Guard
	v1alpha1.SetDefaults(env)
	return env
}

// UnsupportedError says that this machine can't hold the laboratory.
type UnsupportedError struct {
	// What was to be made, such as "network namespaces".
	What string
	Err  error
	// Remedy says what to do.
	Remedy string
}

// Error implements error.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("this machine can't hold the laboratory: %s: %v\n%s", e.What, e.Err, e.Remedy)
}

// Unwrap returns the cause.
func (e *UnsupportedError) Unwrap() error { return e.Err }
