// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// Facts are what objects of the seed and of the shoot say.
type Facts struct {
	// Now is when they were read.
	Now   time.Time
	Seed  Seed
	Shoot Shoot
	// PoolsServed says that the seed knows Calico's kinds; without them there are neither pools nor a guard.
	PoolsServed bool
	Pools       []Pool
	// Guard says that kindling's guard is there.
	Guard bool
	// ClassesServed says that the seed knows machine classes.
	ClassesServed bool
	Classes       []Class
	// Machines are the machine pods, ControlPlane all other pods beside the shoot's API server.
	Machines, ControlPlane []corev1.Pod
	// ControlPlaneLabels are those of the namespace of the control plane.
	ControlPlaneLabels map[string]string
	// Policies and Services are those of the namespaces of control plane and machines.
	Policies []networkingv1.NetworkPolicy
	Services []corev1.Service
	// Nodes and Tunnels are nodes of the shoot and its pods of vpn-shoot.
	Nodes   []corev1.Node
	Tunnels []corev1.Pod
}

// Networks are ranges of addresses.
type Networks struct{ Nodes, Pods, Services []netip.Prefix }

// Seed is what its object says.
type Seed struct {
	Name     string
	Networks Networks
}

// Shoot is what its object says.
type Shoot struct {
	Namespace, Name string
	// TechnicalID is the namespace of the control plane in the seed.
	TechnicalID            string
	SeedName               string
	Networks               Networks
	Hibernated, Workerless bool
	// Operation is the last one.
	Operation   Operation
	Annotations map[string]string
}

// Operation is what Gardener did last with a shoot, or does.
type Operation struct{ Type, State string }

// Running says that it goes on or will be tried again, and may undo what is changed meanwhile.
func (o Operation) Running() bool {
	return slices.Contains([]string{"Processing", "Pending", "Error"}, o.State)
}

// String names a shoot as people do.
func (s Shoot) String() string { return s.Namespace + "/" + s.Name }

// Pool is an IPPool of Calico.
type Pool struct {
	Name string
	CIDR netip.Prefix
	// NodeSelector and Manual keep a pool from being chosen by itself.
	NodeSelector string
	Manual       bool
	Created      time.Time
}

// hidden says that only pods that name the pool get addresses of it.
func (p Pool) hidden() bool {
	return p.Manual || strings.ReplaceAll(p.NodeSelector, " ", "") == "!all()"
}

// Class is a MachineClass of provider-local, with the names of the pools that its machines are to have.
type Class struct {
	Name  string
	Pools []string
}

// Annotations by which a pod names its pools.
const (
	AnnotationPoolsIPv4 = "cni.projectcalico.org/ipv4pools"
	AnnotationPoolsIPv6 = "cni.projectcalico.org/ipv6pools"
)

// namesPool says whether a pod names pools.
func namesPool(pod *corev1.Pod) bool {
	return pod.Annotations[AnnotationPoolsIPv4] != "" || pod.Annotations[AnnotationPoolsIPv6] != ""
}

// Addresses returns the addresses of a pod; those that can't be read are left out.
func Addresses(pod *corev1.Pod) []netip.Addr {
	texts := []string{pod.Status.PodIP}
	for _, ip := range pod.Status.PodIPs {
		texts = append(texts, ip.IP)
	}
	var addresses []netip.Addr
	for _, text := range texts {
		if address, err := netip.ParseAddr(text); err == nil && !slices.Contains(addresses, address) {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// ParsePrefixes reads ranges as they stand in objects; empty texts are none.
func ParsePrefixes(texts ...string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for _, text := range texts {
		if text == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%q is no range of addresses: %w", text, err)
		}
		if prefix = prefix.Masked(); !slices.Contains(prefixes, prefix) {
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes, nil
}

// holding returns the first range that holds an address.
func holding(prefixes []netip.Prefix, address netip.Addr) (netip.Prefix, bool) {
	i := slices.IndexFunc(prefixes, func(prefix netip.Prefix) bool { return prefix.Contains(address) })
	if i < 0 {
		return netip.Prefix{}, false
	}
	return prefixes[i], true
}

// ofFamily says whether one of the ranges is of the family of an address.
func ofFamily(prefixes []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(prefix netip.Prefix) bool { return prefix.Addr().Is4() == address.Is4() })
}

// OfWorkload says by its name whether a pod is one of a workload.
func OfWorkload(pod *corev1.Pod, workload string) bool {
	return strings.HasPrefix(pod.Name+"-", workload+"-")
}

func podName(pod *corev1.Pod) string { return "Pod " + pod.Namespace + "/" + pod.Name }

// list writes ranges one after the other.
func list(prefixes []netip.Prefix) string {
	var texts []string
	for _, prefix := range prefixes {
		texts = append(texts, prefix.String())
	}
	return strings.Join(texts, ", ")
}
