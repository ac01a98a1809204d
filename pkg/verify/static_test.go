// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func noon() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }

func prefixes(texts ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

func pod(name, address string, labels, annotations map[string]string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--local--local", Name: name, Labels: labels, Annotations: annotations, CreationTimestamp: metav1.NewTime(noon())},
		Status: corev1.PodStatus{
			PodIP: address, PodIPs: []corev1.PodIP{{IP: address}}, Phase: corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		},
	}
}

// split are the facts of a shoot in which all is as it should be.
func split() *Facts {
	return &Facts{
		Now:  noon(),
		Seed: Seed{Name: "local", Networks: Networks{prefixes("172.18.0.0/24"), prefixes("10.1.0.0/16"), prefixes("10.2.0.0/16")}},
		Shoot: Shoot{
			Namespace: "garden-local", Name: "local", TechnicalID: "shoot--local--local",
			Networks: Networks{prefixes("10.0.0.0/20"), prefixes("10.3.0.0/16"), prefixes("10.4.0.0/16")},
		},
		PoolsServed: true, Guard: true, ClassesServed: true,
		Pools: []Pool{
			{Name: "default-ipv4-ippool", CIDR: netip.MustParsePrefix("10.1.0.0/16"), NodeSelector: "all()"},
			{Name: "machines", CIDR: netip.MustParsePrefix("10.0.0.0/16"), NodeSelector: "!all()", Created: noon().Add(-time.Hour)},
		},
		Classes:  []Class{{Name: "a", Pools: []string{"machines"}}},
		Machines: []corev1.Pod{pod("machine-a", "10.0.0.7", map[string]string{"app": "machine"}, map[string]string{AnnotationPoolsIPv4: `["machines"]`})},
		ControlPlane: []corev1.Pod{
			pod("kube-apiserver-x", "10.1.0.5", map[string]string{"role": "apiserver"}, nil),
			pod("vpn-seed-server-x", "10.1.0.6", map[string]string{"app": "vpn-seed-server"}, nil),
		},
		ControlPlaneLabels: map[string]string{"gardener.cloud/role": "shoot"},
		Nodes: []corev1.Node{{
			ObjectMeta: metav1.ObjectMeta{Name: "machine-a"},
			Status:     corev1.NodeStatus{Addresses: []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: "machine-a"}, {Type: corev1.NodeInternalIP, Address: "10.0.0.7"}}},
		}},
		Tunnels: []corev1.Pod{pod("vpn-shoot-x", "10.3.0.4", map[string]string{"app": "vpn-shoot"}, nil)},
	}
}

func TestStaticFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*Facts)
		// want are the checks that are not passed, with status and cures.
		want []string
	}{
		"a split with a guard is as it should be": {func(*Facts) {}, nil},
		"no nodes": {func(f *Facts) { f.Shoot.Networks.Nodes = nil }, []string{
			"shoot-nodes failed nodes", "machine-pool failed split", "machine-age skipped",
		}},
		"nodes overlap with the seed's pods": {func(f *Facts) { f.Shoot.Networks.Nodes = prefixes("10.0.0.0/15") }, []string{
			"shoot-seed-networks failed split", "machine-pool failed split",
		}},
		"pods of the shoot overlap with those of the seed, which newer versions map": {func(f *Facts) { f.Shoot.Networks.Pods = prefixes("10.1.0.0/16") }, []string{"shoot-seed-networks warning"}},
		"a seed without networks can't be compared":                                  {func(f *Facts) { f.Seed.Networks = Networks{} }, []string{"shoot-seed-networks skipped"}},
		"no pool for machines":                      {func(f *Facts) { f.Pools = f.Pools[:1] }, []string{"machine-pool failed split", "machine-class failed split", "machine-age skipped"}},
		"a pool that any pod may get an address of": {func(f *Facts) { f.Pools[1].NodeSelector = "all()" }, []string{"machine-pool failed split"}},
		"a pool that is only given on demand":       {func(f *Facts) { f.Pools[1].NodeSelector, f.Pools[1].Manual = "all()", true }, nil},
		"a pool that holds the seed's pods":         {func(f *Facts) { f.Pools[1].CIDR = netip.MustParsePrefix("10.0.0.0/15") }, []string{"machine-pool failed split"}},
		"without Calico there are no pools": {func(f *Facts) { f.PoolsServed, f.Pools, f.Guard = false, nil, false }, []string{
			"machine-pool skipped", "machine-class skipped", "machine-age skipped", "policies warning",
		}},
		"classes of old versions name no pool":    {func(f *Facts) { f.Classes[0].Pools = nil }, []string{"machine-class warning"}},
		"a class names a pool that is gone":       {func(f *Facts) { f.Classes[0].Pools = []string{"gone"} }, []string{"machine-class failed split"}},
		"a machine has the address of a seed pod": {func(f *Facts) { f.setMachine("10.1.0.7") }, []string{"machine-pods failed split"}},
		"a machine is outside nodes":              {func(f *Facts) { f.setMachine("10.0.200.7") }, []string{"machine-pods failed nodes"}},
		"a machine's second family is not that of nodes": {func(f *Facts) {
			f.Machines[0].Status.PodIPs = append(f.Machines[0].Status.PodIPs, corev1.PodIP{IP: "fd00::7"})
		}, nil},
		"a machine names no pool":                           {func(f *Facts) { f.Machines[0].Annotations = nil }, []string{"machine-pods failed split"}},
		"a machine is older than its pool and not in it":    {func(f *Facts) { f.setMachine("10.1.0.7"); f.Pools[1].Created = noon().Add(time.Hour) }, []string{"machine-pods failed split", "machine-age failed split"}},
		"a machine is older than a pool that was made anew": {func(f *Facts) { f.Pools[1].Created = noon().Add(time.Hour) }, nil},
		"a node has another address":                        {func(f *Facts) { f.Nodes[0].Status.Addresses[1].Address = "10.0.0.8" }, []string{"node-address failed"}},
		"no node has joined":                                {func(f *Facts) { f.Nodes = nil }, []string{"node-address failed"}},
		"the label of the old bypass":                       {func(f *Facts) { f.ControlPlane[0].Labels[oldLabel] = labelAllowed }, []string{"old-bypass failed guard"}},
		"the label for shoot networks alone":                {func(f *Facts) { f.ControlPlane[1].Labels[oldNetworkLabel] = labelAllowed }, []string{"old-bypass warning"}},
		"the Service of the old bypass": {func(f *Facts) {
			f.Services = []corev1.Service{{ObjectMeta: metav1.ObjectMeta{Name: "machines"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 10250}}}}}
		}, []string{"old-bypass failed guard"}},
		"a Service for ssh of the same name": {func(f *Facts) {
			f.Services = []corev1.Service{{ObjectMeta: metav1.ObjectMeta{Name: "machines"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 22}}}}}
		}, nil},
		"a policy admits anybody, and no guard is there":  {func(f *Facts) { f.Guard = false; f.admit(networkingv1.NetworkPolicyIngressRule{}) }, []string{"policies failed guard"}},
		"a policy admits anybody, and the guard is there": {func(f *Facts) { f.admit(networkingv1.NetworkPolicyIngressRule{}) }, []string{"policies warning"}},
		"one of two servers is not ready":                 {func(f *Facts) { f.ControlPlane[1].Status.Conditions = nil }, []string{"vpn-workloads warning"}},
		"vpn-shoot is not there":                          {func(f *Facts) { f.Tunnels = nil }, []string{"vpn-workloads warning"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := split()
			test.change(f)
			var got []string
			for _, result := range Static(f) {
				if result.Status == Passed {
					continue
				}
				text := result.Check + " " + string(result.Status)
				for _, cure := range result.Missing {
					text += " " + string(cure)
				}
				got = append(got, text)
				if result.Text == "" {
					t.Errorf("%s says nothing", result.Check)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("not passed (-want +got):\n%s", diff)
			}
		})
	}
}

func (f *Facts) setMachine(address string) {
	f.Machines[0].Status.PodIP, f.Machines[0].Status.PodIPs = address, []corev1.PodIP{{IP: address}}
	f.Nodes[0].Status.Addresses[1].Address = address
}

func (f *Facts) admit(rule networkingv1.NetworkPolicyIngressRule) {
	f.Policies = append(f.Policies, networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--local--local", Name: "p"},
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"app": "machine"}}, Ingress: []networkingv1.NetworkPolicyIngressRule{rule},
		},
	})
}

func TestPoliciesAdmit(t *testing.T) {
	t.Parallel()
	tcp, udp := corev1.ProtocolTCP, corev1.ProtocolUDP
	number := func(port int32) *intstr.IntOrString { return new(intstr.FromInt32(port)) }
	selector := func(key, value string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	}
	for name, test := range map[string]struct {
		ports []networkingv1.NetworkPolicyPort
		peers []networkingv1.NetworkPolicyPeer
		// want are the pods that are admitted, without the parts that make them unique.
		want string
	}{
		"anybody":                                 {want: "kube-apiserver vpn-seed-server"},
		"machines only":                           {peers: []networkingv1.NetworkPolicyPeer{{PodSelector: selector("app", "machine")}}},
		"the VPN server":                          {peers: []networkingv1.NetworkPolicyPeer{{PodSelector: selector("app", "vpn-seed-server")}}, want: "vpn-seed-server"},
		"control planes":                          {peers: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: selector("gardener.cloud/role", "shoot")}}, want: "kube-apiserver vpn-seed-server"},
		"the VPN server of control planes":        {peers: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: selector("gardener.cloud/role", "shoot"), PodSelector: selector("app", "vpn-seed-server")}}, want: "vpn-seed-server"},
		"other namespaces":                        {peers: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: selector("gardener.cloud/role", "istio")}}},
		"a block of seed pods":                    {peers: []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.1.0.0/16"}}}, want: "kube-apiserver vpn-seed-server"},
		"a block with an exception":               {peers: []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8", Except: []string{"10.1.0.5/32"}}}}, want: "vpn-seed-server"},
		"nodes of the seed":                       {peers: []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "172.18.0.0/24"}}}},
		"the kubelet's port":                      {ports: []networkingv1.NetworkPolicyPort{{Port: number(10250), Protocol: &tcp}}, want: "kube-apiserver vpn-seed-server"},
		"node ports, as provider-local does":      {ports: []networkingv1.NetworkPolicyPort{{Port: number(30000), EndPort: new(int32(32767)), Protocol: &tcp}, {Port: number(10256), Protocol: &tcp}}},
		"a range around the kubelet's port":       {ports: []networkingv1.NetworkPolicyPort{{Port: number(10000), EndPort: new(int32(11000))}}, want: "kube-apiserver vpn-seed-server"},
		"the same port of UDP":                    {ports: []networkingv1.NetworkPolicyPort{{Port: number(10250), Protocol: &udp}}},
		"all ports of TCP":                        {ports: []networkingv1.NetworkPolicyPort{{Protocol: &tcp}}, want: "kube-apiserver vpn-seed-server"},
		"a port by a name that may be any number": {ports: []networkingv1.NetworkPolicyPort{{Port: new(intstr.FromString("kubelet"))}}, want: "kube-apiserver vpn-seed-server"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := split()
			f.admit(networkingv1.NetworkPolicyIngressRule{Ports: test.ports, From: test.peers})
			var got []string
			for _, pod := range f.admitted(&f.Policies[0]) {
				got = append(got, strings.TrimSuffix(pod.Name, "-x"))
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("admitted (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPoliciesForEgressOrOfOtherNamespacesSelectNoMachine(t *testing.T) {
	t.Parallel()
	f := split()
	f.admit(networkingv1.NetworkPolicyIngressRule{})
	policy := f.Policies[0]
	if !selects(&policy, &f.Machines[0]) {
		t.Error("the policy selects the machine, and is said not to")
	}
	policy.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeEgress}
	if selects(&policy, &f.Machines[0]) {
		t.Error("a policy for egress alone is taken for one of ingress")
	}
	policy.Spec.PolicyTypes, policy.Namespace = nil, "infra-shoot--local--local"
	if selects(&policy, &f.Machines[0]) {
		t.Error("a policy of another namespace is taken for one of the machine's")
	}
}
