// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package podroutes_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener/kindling/pkg/podroutes"
	"github.com/gardener/kindling/pkg/route"
)

// cluster answers from maps: pods by namespace, output by container and command.
type cluster struct {
	pods   map[string][]corev1.Pod
	output map[string]string
}

func (c cluster) Pods(_ context.Context, namespace string, _ *metav1.LabelSelector) ([]corev1.Pod, error) {
	return c.pods[namespace], nil
}

func (c cluster) Exec(_ context.Context, _, pod, container string, command ...string) ([]byte, error) {
	if output, ok := c.output[pod+"/"+container+": "+strings.Join(command, " ")]; ok {
		return []byte(output), nil
	}
	return nil, errors.New("executable file not found in $PATH")
}

func pod(name string, phase corev1.PodPhase, containers ...string) corev1.Pod {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Status: corev1.PodStatus{Phase: phase}}
	for _, container := range containers {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: container})
	}
	return pod
}

func machine(name, address string) corev1.Pod {
	pod := pod(name, corev1.PodRunning, "node")
	pod.Labels = map[string]string{"app": "machine"}
	pod.Status.PodIPs = []corev1.PodIP{{IP: address}}
	return pod
}

const namespace = "shoot--local--local"

const podRoutes = "default via 169.254.1.1 dev eth0\n169.254.1.1 dev eth0 scope link\n"

func TestWithHighAvailabilityKubeAPIServerDecides(t *testing.T) {
	t.Parallel()
	observed, err := podroutes.Read(t.Context(), cluster{
		pods: map[string][]corev1.Pod{
			namespace: {
				pod("kube-apiserver-old", corev1.PodPending, "kube-apiserver", "vpn-path-controller"),
				pod("kube-apiserver-1", corev1.PodRunning, "kube-apiserver", "vpn-client-0", "vpn-path-controller"),
				machine("machine-old", "10.0.0.9"),
			},
			"infra-" + namespace: {machine("machine-1", "10.0.0.7")},
		},
		output: map[string]string{"kube-apiserver-1/vpn-path-controller: ip route": podRoutes + "10.0.0.0/20 dev bond0-ip6tnl0 scope link\n"},
	}, namespace, "")
	if err != nil {
		t.Fatal(err)
	}
	if !observed.HA || observed.Pod != "kube-apiserver-1" || observed.Container != "vpn-path-controller" || observed.Namespace.Name != "kube-apiserver" {
		t.Errorf("observed %+v", observed)
	}
	if want := []netip.Addr{netip.MustParseAddr("10.0.0.9"), netip.MustParseAddr("10.0.0.7")}; !slices.Equal(observed.Machines, want) {
		t.Errorf("machines %v, want %v: both namespaces", observed.Machines, want)
	}
	if class := observed.Namespace.Decide(netip.MustParseAddr("10.0.0.7")).Class; class != route.ClassVPN {
		t.Errorf("class %s, want VPN", class)
	}
}

func TestWithoutItTheMappedVPNServerDecides(t *testing.T) {
	t.Parallel()
	control := map[string][]corev1.Pod{namespace: {pod("kube-apiserver-1", corev1.PodRunning, "kube-apiserver"), pod("vpn-seed-server-1", corev1.PodRunning, "envoy-proxy", "vpn-seed-server")}}
	output := map[string]string{
		"vpn-seed-server-1/vpn-seed-server: ip route":    podRoutes + "242.0.0.0/8 dev tun0 scope link\n",
		"vpn-seed-server-1/vpn-seed-server: ip -6 route": "fe80::/64 dev eth0 proto kernel metric 256\n",
	}
	if _, err := podroutes.Read(t.Context(), cluster{control, output}, namespace, ""); err == nil || !strings.Contains(err.Error(), "maps addresses") {
		t.Errorf("error %v; without the rules the answer would be wrong", err)
	}
	output["vpn-seed-server-1/vpn-seed-server: iptables -t nat -S OUTPUT"] = "-P OUTPUT ACCEPT\n-A OUTPUT -d 10.0.0.0/20 -m owner --gid-owner 31415 -j NETMAP --to 242.0.0.0/20\n-A OUTPUT -d 10.9.0.0/16 -j DROP\n"
	observed, err := podroutes.Read(t.Context(), cluster{control, output}, namespace, "")
	if err != nil {
		t.Fatal(err)
	}
	if decision := observed.Namespace.Decide(netip.MustParseAddr("10.0.0.7")); decision.Class != route.ClassVPN || decision.Destination.String() != "242.0.0.7" {
		t.Errorf("decision %+v, want the VPN by 242.0.0.7", decision)
	}
}

func TestWhatCanNotBeRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pods   []corev1.Pod
		output map[string]string
		want   string
	}{
		"no pod":            {nil, nil, "no running pod vpn-seed-server"},
		"hibernated":        {[]corev1.Pod{pod("vpn-seed-server-1", corev1.PodSucceeded, "vpn")}, nil, "is the shoot awake"},
		"no program":        {[]corev1.Pod{pod("vpn-seed-server-1", corev1.PodRunning, "a", "b")}, nil, "no container of pod vpn-seed-server-1 tells"},
		"something else":    {[]corev1.Pod{pod("vpn-seed-server-1", corev1.PodRunning, "a")}, map[string]string{"vpn-seed-server-1/a: ip route": "usage: ip\n"}, "line 1"},
		"NETMAP to nowhere": {[]corev1.Pod{pod("vpn-seed-server-1", corev1.PodRunning, "a")}, map[string]string{"vpn-seed-server-1/a: ip route": "242.0.0.0/8 dev tun0\n", "vpn-seed-server-1/a: iptables -t nat -S OUTPUT": "-A OUTPUT -d 10.0.0.0/20 -j NETMAP\n"}, "line 1: a NETMAP rule without a range"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := podroutes.Read(t.Context(), cluster{map[string][]corev1.Pod{namespace: test.pods}, test.output}, namespace, "")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
		})
	}
}
