// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// selects says whether a policy judges what comes to a pod.
func selects(policy *networkingv1.NetworkPolicy, pod *corev1.Pod) bool {
	if policy.Namespace != pod.Namespace || !matches(&policy.Spec.PodSelector, pod.Labels) {
		return false
	}
	return len(policy.Spec.PolicyTypes) == 0 || slices.Contains(policy.Spec.PolicyTypes, networkingv1.PolicyTypeIngress)
}

// matches says whether a selector takes labels. One that can't be read takes none, as the API server admits no such selector.
func matches(selector *metav1.LabelSelector, set map[string]string) bool {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && parsed.Matches(labels.Set(set))
}

// admitted returns the pods of the control plane that a policy admits to the port of kubelets.
func (f *Facts) admitted(policy *networkingv1.NetworkPolicy) []*corev1.Pod {
	var admitted []*corev1.Pod
	for i := range f.ControlPlane {
		pod := &f.ControlPlane[i]
		if pod.Spec.HostNetwork {
			continue // a node, which no policy stops
		}
		if slices.ContainsFunc(policy.Spec.Ingress, func(rule networkingv1.NetworkPolicyIngressRule) bool {
			return coversPort(rule.Ports) && f.coversPeer(policy.Namespace, rule.From, pod)
		}) {
			admitted = append(admitted, pod)
		}
	}
	return admitted
}

// coversPort says whether one of the ports may be the kubelet's. A port with a name may be, as names are the pods'.
func coversPort(ports []networkingv1.NetworkPolicyPort) bool {
	if len(ports) == 0 {
		return true
	}
	return slices.ContainsFunc(ports, func(port networkingv1.NetworkPolicyPort) bool {
		switch {
		case port.Protocol != nil && *port.Protocol != corev1.ProtocolTCP:
			return false
		case port.Port == nil || port.Port.Type == intstr.String:
			return true
		case port.EndPort != nil:
			return port.Port.IntVal <= KubeletPort && KubeletPort <= *port.EndPort
		default:
			return port.Port.IntVal == KubeletPort
		}
	})
}

func (f *Facts) coversPeer(namespace string, peers []networkingv1.NetworkPolicyPeer, pod *corev1.Pod) bool {
	if len(peers) == 0 {
		return true
	}
	return slices.ContainsFunc(peers, func(peer networkingv1.NetworkPolicyPeer) bool {
		if peer.IPBlock != nil {
			return slices.ContainsFunc(Addresses(pod), func(address netip.Addr) bool { return inBlock(peer.IPBlock, address) })
		}
		if peer.NamespaceSelector == nil {
			return pod.Namespace == namespace && matches(peer.PodSelector, pod.Labels)
		}
		return matches(peer.NamespaceSelector, f.ControlPlaneLabels) && (peer.PodSelector == nil || matches(peer.PodSelector, pod.Labels))
	})
}

func inBlock(block *networkingv1.IPBlock, address netip.Addr) bool {
	contains := func(text string) bool {
		prefix, err := netip.ParsePrefix(text)
		return err == nil && prefix.Contains(address)
	}
	return contains(block.CIDR) && !slices.ContainsFunc(block.Except, contains)
}
