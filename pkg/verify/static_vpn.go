// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/vpn"
)

// KubeletPort is where kubelets serve.
const KubeletPort = 10250

// What Gardener's local setup reached kubelets with, past the VPN, before v1.96.
const (
	oldService      = "machines"
	oldLabel        = "networking.resources.gardener.cloud/to-machines-tcp-10250"
	oldNetworkLabel = "networking.gardener.cloud/to-shoot-networks"
	labelAllowed    = "allowed"
)

// oldBypass looks for the Service and the labels. The label for the shoot's networks alone, which vpn-seed-server has as well, lets
// nothing through that no policy of machines admits.
func oldBypass(f *Facts) Result {
	r := f.finding(OldBypass, "neither is there")
	for i := range f.Services {
		service := &f.Services[i]
		for _, port := range service.Spec.Ports {
			if service.Name == oldService && port.Port == KubeletPort {
				r.against(Failed, CureGuard, "Service "+service.Namespace+"/"+service.Name, "has port %d, so that a policy for it is generated", port.Port)
			}
		}
	}
	for i := range f.ControlPlane {
		pod := &f.ControlPlane[i]
		if pod.Labels[oldLabel] == labelAllowed {
			r.against(Failed, CureGuard, podName(pod), "has the label %s", oldLabel)
		}
		if pod.Labels[oldNetworkLabel] == labelAllowed {
			r.against(Warning, "", podName(pod), "has the label %s", oldNetworkLabel)
		}
	}
	switch r.Status {
	case Failed:
		r.Text = "the old bypass is there"
	case Warning:
		r.Text = "a label of versions before v1.96 is there, which opens nothing by itself"
	}
	return r.Result
}

// policies asks of each policy that selects machines whether it admits pods of the control plane to kubelets. With the guard, none
// of them counts.
func policies(f *Facts) Result {
	r := f.finding(Policies, "none does")
	status := Failed
	if f.Guard {
		status = Warning
	}
	selected := false
	for i := range f.Policies {
		policy := &f.Policies[i]
		for j := range f.Machines {
			machine := &f.Machines[j]
			if !selects(policy, machine) {
				continue
			}
			selected = true
			for _, source := range f.admitted(policy) {
				r.Text = "a policy admits seed pods to kubelets"
				r.against(status, CureGuard, "NetworkPolicy "+policy.Namespace+"/"+policy.Name, "admits %s to %s, port %d", podName(source), podName(machine), KubeletPort)
			}
		}
	}
	if f.Guard {
		r.see("GlobalNetworkPolicy "+render.GuardPolicy, "forbids it, whatever policies admit")
	} else if !selected {
		r.Text = "no policy selects machines, and there is no guard: part " + string(PartControl) + " says whether anything stops seed pods"
		r.against(Warning, "", "NetworkPolicy", "none selects machines")
	}
	return r.Result
}

// vpnWorkloads warns of ends of the VPN that don't run: one of two may be gone with high availability, and the paths say whether the
// rest is enough.
func vpnWorkloads(f *Facts) Result {
	r := f.finding(VPNWorkloads, "")
	servers, clients := f.ready(r, f.ControlPlane, vpn.VPNSeedServer), f.ready(r, f.Tunnels, vpn.VPNShoot)
	r.Text = fmt.Sprintf("%d %s, %d %s are ready", servers, vpn.VPNSeedServer, clients, vpn.VPNShoot)
	if servers == 0 {
		r.against(Warning, "", vpn.VPNSeedServer, "no pod is ready")
	}
	if clients == 0 {
		r.against(Warning, "", vpn.VPNShoot, "no pod is ready")
	}
	return r.Result
}

// ready counts the pods of a workload that are ready, and warns of the others.
func (f *Facts) ready(r *finding, pods []corev1.Pod, workload string) int {
	count := 0
	for i := range pods {
		pod := &pods[i]
		if !OfWorkload(pod, workload) {
			continue
		}
		if isReady(pod) {
			count++
		} else {
			r.against(Warning, "", podName(pod), "is not ready: phase %s", pod.Status.Phase)
		}
	}
	return count
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
