// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package minishoot

import (
	"encoding/json"
	"fmt"
	"net/netip"

	"k8s.io/apimachinery/pkg/runtime"
)

// vpnSecret is what an end of the VPN is known by.
func vpnSecret(authority, own *pair) map[string][]byte {
	return map[string][]byte{"ca.crt": authority.crt, "tls.crt": own.crt, "tls.key": own.keyPEM}
}

// secrets are those in the namespace of the control plane.
func (f *Fixture) secrets(v values) ([]runtime.Object, error) {
	i := f.identity
	user, err := f.userData(v)
	if err != nil {
		return nil, err
	}
	// Gardener's own kubeconfig for the shoot, in the seed.
	own, err := i.kubeconfig("https://kube-apiserver", i.admin)
	if err != nil {
		return nil, err
	}
	return []runtime.Object{
		secret("kube-apiserver", map[string][]byte{
			"ca.crt": i.cluster.crt, "apiserver.crt": i.apiServer.crt, "apiserver.key": i.apiServer.keyPEM,
			"kubelet-client.crt": i.kubeletClient.crt, "kubelet-client.key": i.kubeletClient.keyPEM,
			"front-proxy-ca.crt": i.frontProxy.crt, "front-proxy.crt": i.proxyClient.crt, "front-proxy.key": i.proxyClient.keyPEM,
			"service-account.key": i.serviceAccounts.keyPEM, "service-account.crt": i.serviceAccounts.crt,
		}),
		secret("vpn-seed-server", vpnSecret(i.vpn, i.vpnServer)),
		secret("vpn-seed-client", vpnSecret(i.vpn, i.vpnSeedClient)),
		secret("gardener", map[string][]byte{"kubeconfig": own}),
		secret("gardener-internal", map[string][]byte{"kubeconfig": own}),
		secret(v.Machine, user),
	}, nil
}

// userData is what the machine is set up from. It reaches its API server through the gateway: answers of kube-apiserver with high
// availability to the machine's own address would go into the tunnel.
func (f *Fixture) userData(v values) (map[string][]byte, error) {
	server := "https://" + f.gateway.String()
	kubelet, err := f.identity.kubeconfig(server, f.identity.kubelet)
	if err != nil {
		return nil, err
	}
	proxy, err := f.identity.kubeconfig(server, f.identity.kubeProxy)
	if err != nil {
		return nil, err
	}
	data := map[string][]byte{"kubelet.kubeconfig": kubelet, "kube-proxy.kubeconfig": proxy, "ca.crt": f.identity.cluster.crt}
	if data["containerd.toml"], err = fill("containerd.toml.tmpl", "containerd.toml.tmpl", v); err != nil {
		return nil, err
	}
	for name, config := range map[string]any{
		"cni.conflist": podNetwork(f.opts.Networks.ShootPods), "kubelet.yaml": kubeletConfiguration(), "kube-proxy.yaml": proxyConfiguration(f.opts.Networks.ShootPods),
	} {
		if data[name], err = json.Marshal(config); err != nil {
			return nil, fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return data, nil
}

// podNetwork is the network of the shoot's pods on the machine.
func podNetwork(pods netip.Prefix) map[string]any {
	return map[string]any{
		"cniVersion": "0.3.1", "name": "minishoot",
		"plugins": []any{map[string]any{
			"type": "ptp", "ipMasq": true,
			"ipam": map[string]any{
				"type": "host-local", "dataDir": "/run/cni-ipam-state",
				"ranges": [][]map[string]string{{{"subnet": netip.PrefixFrom(pods.Addr(), machineBits).String()}}},
				"routes": []map[string]string{{"dst": "0.0.0.0/0"}},
			},
		}},
	}
}

// kubeletConfiguration is for a kubelet in a pod: it leaves the cgroups of the node alone, and nothing is evicted for what others use.
func kubeletConfiguration() map[string]any {
	return map[string]any{
		"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
		"authentication": map[string]any{
			"anonymous": map[string]any{"enabled": false}, "webhook": map[string]any{"enabled": true}, "x509": map[string]any{"clientCAFile": userDataFolder + "/ca.crt"},
		},
		"authorization": map[string]any{"mode": "Webhook"},
		"cgroupDriver":  "cgroupfs", "cgroupsPerQOS": false, "enforceNodeAllocatable": []string{}, "failCgroupV1": false, "failSwapOn": false,
		"featureGates":                map[string]bool{"KubeletInUserNamespace": true},
		"containerRuntimeEndpoint":    "unix:///run/containerd/containerd.sock",
		"evictionHard":                map[string]string{"nodefs.available": "0%", "nodefs.inodesFree": "0%", "imagefs.available": "0%"},
		"imageGCHighThresholdPercent": 100, "localStorageCapacityIsolation": false, "registerNode": true,
		"nodeStatusUpdateFrequency": "2s",
	}
}

// userDataFolder is where the machine has its user data.
const userDataFolder = "/etc/machine"

func proxyConfiguration(pods netip.Prefix) map[string]any {
	return map[string]any{
		"apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration", "mode": "iptables", "clusterCIDR": pods.String(),
		"clientConnection": map[string]any{"kubeconfig": userDataFolder + "/kube-proxy.kubeconfig"},
		// Limits of the kernel are the node's.
		"conntrack": map[string]any{"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
	}
}
