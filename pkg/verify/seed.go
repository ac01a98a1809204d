// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// SeedFacts are what gardenlet looks at when it starts.
type SeedFacts struct {
	Now  time.Time
	Seed Seed
	// ShootInfo is the ConfigMap kube-system/shoot-info of a seed that is itself a shoot; nil for others.
	ShootInfo map[string]string
	Nodes     []corev1.Node
	Pods      []corev1.Pod
	Services  []corev1.Service
}

// shownExamples is how many objects of one fault are shown.
const shownExamples = 10

// JudgeSeed makes gardenlet's comparison of the Seed with the cluster. gardenlet looks at the first hundred objects of a kind, and panics
// at the first that does not fit, so that a fault shows or not by chance; here all objects count.
func JudgeSeed(f *SeedFacts) []Result {
	if f.ShootInfo != nil {
		return []Result{
			f.compare(SeedNodes, "nodeNetwork", f.Seed.Networks.Nodes),
			f.compare(SeedPods, "podNetwork", f.Seed.Networks.Pods),
			f.compare(SeedServices, "serviceNetwork", f.Seed.Networks.Services),
		}
	}
	return []Result{f.nodes(), f.pods(), f.services()}
}

// compare holds a range to what the cluster says of itself. Nodes may be missing on one side.
func (f *SeedFacts) compare(check, key string, ranges []netip.Prefix) Result {
	result := Result{Check: check, Part: PartStatic, Status: Passed, Text: list(ranges)}
	said, found := f.ShootInfo[key]
	if check == SeedNodes && (!found || len(ranges) == 0) {
		return result
	}
	if said != list(ranges) {
		result.Status = Failed
		result.Text = fmt.Sprintf("ConfigMap kube-system/shoot-info has %s %q, Seed %s has %q", key, said, f.Seed.Name, list(ranges))
	}
	return result
}

// outside collects objects that don't fit.
type outside struct {
	f *SeedFacts
	Result
	looked, wrong int
}

func (o *outside) look(object, text string, ranges []netip.Prefix, sameFamily bool) {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return
	}
	o.looked++
	if _, inside := holding(ranges, address); inside || sameFamily && !ofFamily(ranges, address) {
		return
	}
	o.wrong++
	if o.wrong <= shownExamples {
		o.Evidence = append(o.Evidence, Evidence{Object: object, Text: fmt.Sprintf("%s is outside %s", address, list(ranges)), Time: o.f.Now})
	}
}

func (o *outside) result(what string) Result {
	o.Part, o.Status, o.Text = PartStatic, Passed, fmt.Sprintf("%d %s", o.looked, what)
	if o.wrong > 0 {
		o.Status, o.Text = Failed, fmt.Sprintf("%d of %d %s are outside", o.wrong, o.looked, what)
	}
	return o.Result
}

func (f *SeedFacts) nodes() Result {
	o := &outside{f: f, Result: Result{Check: SeedNodes}}
	if len(f.Seed.Networks.Nodes) == 0 {
		return Result{Check: SeedNodes, Part: PartStatic, Status: Skipped, Text: "Seed " + f.Seed.Name + " has no networks.nodes"}
	}
	for i := range f.Nodes {
		for _, address := range f.Nodes[i].Status.Addresses {
			if address.Type == corev1.NodeInternalIP {
				o.look("Node "+f.Nodes[i].Name, address.Address, f.Seed.Networks.Nodes, true)
			}
		}
	}
	return o.result("addresses of nodes")
}

// pods passes over pods that name a pool of their own, as gardenlet does: they are machines.
func (f *SeedFacts) pods() Result {
	o := &outside{f: f, Result: Result{Check: SeedPods}}
	for i := range f.Pods {
		pod := &f.Pods[i]
		if !pod.Spec.HostNetwork && !namesPool(pod) {
			o.look(podName(pod), pod.Status.PodIP, f.Seed.Networks.Pods, false)
		}
	}
	return o.result("pods")
}

func (f *SeedFacts) services() Result {
	o := &outside{f: f, Result: Result{Check: SeedServices}}
	for i := range f.Services {
		service := &f.Services[i]
		if service.Spec.Type == corev1.ServiceTypeClusterIP {
			o.look("Service "+service.Namespace+"/"+service.Name, service.Spec.ClusterIP, f.Seed.Networks.Services, false)
		}
	}
	return o.result("services")
}
