// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package podroutes reads the routing tables of running pods of a shoot's control plane, and where its machines are. It only reads.
package podroutes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener/kindling/pkg/route"
	"github.com/gardener/kindling/pkg/vpn"
)

// Cluster is what is needed of a seed.
type Cluster interface {
	// Pods lists the pods of a namespace that a selector takes, or all with none.
	Pods(ctx context.Context, namespace string, selector *metav1.LabelSelector) ([]corev1.Pod, error)
	// Exec runs a command in a container and returns its standard output.
	Exec(ctx context.Context, namespace, pod, container string, command ...string) ([]byte, error)
}

// Observed is what was read.
type Observed struct {
	// Namespace is named by the pod, without the parts that make it unique.
	Namespace route.Namespace
	// Pod and Container that were asked.
	Pod, Container string
	HA             bool
	// Machines are the addresses of the machine pods, in the namespace or in the one for infrastructure beside it.
	Machines []netip.Addr
}

// Label of the pods that are machines of Gardener's provider-local.
const (
	MachineLabel = "app"
	MachineValue = "machine"
)

// IsMachine says whether a pod is a machine.
func IsMachine(pod *corev1.Pod) bool { return pod.Labels[MachineLabel] == MachineValue }

// Infrastructure is the namespace of machines from Gardener v1.148 on; before, they are in that of the control plane.
func Infrastructure(namespace string) string { return "infra-" + namespace }

// Read reads the table that decides about the VPN in a namespace such as shoot--local--local. from may be empty: it is then
// kube-apiserver with high availability, where that pod holds the VPN's devices, and vpn-seed-server without. Of several pods, the first is read.
func Read(ctx context.Context, cluster Cluster, namespace, from string) (*Observed, error) {
	observed, err := read(ctx, cluster, namespace, from, 1)
	if err != nil {
		return nil, err
	}
	return observed[0], nil
}

// ReadAll is Read for all running pods that decide about the VPN, of which there are several with high availability.
func ReadAll(ctx context.Context, cluster Cluster, namespace string) ([]*Observed, error) {
	return read(ctx, cluster, namespace, "", math.MaxInt)
}

func read(ctx context.Context, cluster Cluster, namespace, from string, most int) ([]*Observed, error) {
	pods, err := cluster.Pods(ctx, namespace, nil)
	if err != nil {
		return nil, err
	}
	ha := slices.ContainsFunc(pods, holdsVPN)
	if from == "" {
		from = map[bool]string{true: vpn.KubeAPIServer, false: vpn.VPNSeedServer}[ha]
	}
	senders := running(pods, from)
	if len(senders) == 0 {
		return nil, fmt.Errorf("namespace %s has no running pod %s: is it the namespace of a shoot's control plane in the seed, and is the shoot awake?", namespace, from)
	}
	infrastructure, err := cluster.Pods(ctx, Infrastructure(namespace), nil)
	if err != nil {
		return nil, err
	}
	found := machines(append(pods, infrastructure...))
	var all []*Observed
	for _, pod := range senders[:min(most, len(senders))] {
		observed := &Observed{HA: ha, Pod: pod.Name, Machines: found, Namespace: route.Namespace{Name: from}}
		if err := observed.readTable(ctx, cluster, pod); err != nil {
			return nil, err
		}
		all = append(all, observed)
	}
	return all, nil
}

// holdsVPN says whether a pod is a kube-apiserver with the VPN's client beside it.
func holdsVPN(pod corev1.Pod) bool {
	return strings.HasPrefix(pod.Name, vpn.KubeAPIServer+"-") && slices.ContainsFunc(pod.Spec.Containers, func(container corev1.Container) bool {
		return container.Name == pathController
	})
}

// pathController is the container that keeps the routes of the VPN with high availability.
const pathController = "vpn-path-controller"

// running returns the running pods of a workload.
func running(pods []corev1.Pod, workload string) []*corev1.Pod {
	var found []*corev1.Pod
	for i := range pods {
		if strings.HasPrefix(pods[i].Name, workload+"-") && pods[i].Status.Phase == corev1.PodRunning && pods[i].DeletionTimestamp == nil {
			found = append(found, &pods[i])
		}
	}
	return found
}

// readTable asks one container after the other: all share the network of the pod, and not all have the program.
func (o *Observed) readTable(ctx context.Context, cluster Cluster, pod *corev1.Pod) error {
	var failures []error
	for _, container := range containers(pod) {
		output, err := cluster.Exec(ctx, pod.Namespace, pod.Name, container, "ip", "route")
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			failures = append(failures, err)
			continue
		}
		o.Container = container
		routes, err := route.Parse(bytes.NewReader(output))
		if err != nil {
			return fmt.Errorf("reading the routes of pod %s: %w", pod.Name, err)
		}
		ipv6, err := readIPv6(ctx, cluster, pod, container)
		if err != nil {
			return err
		}
		routes = append(routes, ipv6...)
		if o.Namespace.Table, err = route.NewTable(routes); err != nil {
			return fmt.Errorf("reading the routes of pod %s: %w", pod.Name, err)
		}
		return o.readMaps(ctx, cluster, pod, routes)
	}
	return fmt.Errorf("no container of pod %s tells its routes: %w", pod.Name, errors.Join(failures...))
}

// readIPv6 reads the other table; a pod without IPv6 has none.
func readIPv6(ctx context.Context, cluster Cluster, pod *corev1.Pod, container string) ([]route.Route, error) {
	output, err := cluster.Exec(ctx, pod.Namespace, pod.Name, container, "ip", "-6", "route")
	if err != nil {
		return nil, ctx.Err()
	}
	routes, err := route.Parse(bytes.NewReader(output))
	if err != nil && !errors.Is(err, route.ErrNoRoute) {
		return nil, fmt.Errorf("reading the IPv6 routes of pod %s: %w", pod.Name, err)
	}
	return routes, nil
}

// containers lists the container that keeps the routes first.
func containers(pod *corev1.Pod) []string {
	var names []string
	for _, container := range pod.Spec.Containers {
		if container.Name == pathController {
			names = slices.Insert(names, 0, container.Name)
		} else {
			names = append(names, container.Name)
		}
	}
	return names
}

// readMaps reads the rules that rewrite addresses, where the table shows that there must be some: without them the answer would be
// wrong.
func (o *Observed) readMaps(ctx context.Context, cluster Cluster, pod *corev1.Pod, routes []route.Route) error {
	if !slices.ContainsFunc(routes, leadsToMapped) {
		return nil
	}
	output, err := cluster.Exec(ctx, pod.Namespace, pod.Name, o.Container, "iptables", "-t", "nat", "-S", "OUTPUT")
	if err != nil {
		return fmt.Errorf("the VPN maps addresses, and its rules can't be read: %w", err)
	}
	o.Namespace.Maps, err = ParseMaps(output)
	return err
}

// leadsToMapped says whether a route leads to a range that the VPN maps addresses of the shoot to.
func leadsToMapped(r route.Route) bool {
	return slices.ContainsFunc(vpn.MappedRanges(), func(mapped netip.Prefix) bool { return r.Destination.Overlaps(mapped) && r.Destination.Bits() > 0 })
}

func machines(pods []corev1.Pod) []netip.Addr {
	var addresses []netip.Addr
	for i := range pods {
		if !IsMachine(&pods[i]) {
			continue
		}
		for _, ip := range pods[i].Status.PodIPs {
			if address, err := netip.ParseAddr(ip.IP); err == nil {
				addresses = append(addresses, address)
			}
		}
	}
	return addresses
}
