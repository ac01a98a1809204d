// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
)

// Folders in the nodes for files of a checkout of Gardener.
const (
	controlPlaneDir  = "/etc/gardener/controlplane"
	authorizationDir = "/etc/gardener-local/kube-apiserver"
)

// oneAuthorizerKubeconfig: the seed authorizer has one kubeconfig for both families.
const oneAuthorizerKubeconfig gardener.Feature = 129

// kubeadmV4Kubernetes is the first version that kind configures by kubeadm.k8s.io/v1beta4, where extraArgs are a list.
const kubeadmV4Kubernetes = "1.36"

// hasWebhookFlags says whether the seed authorizer of Gardener's control plane is asked by flags of the kind cluster's API server.
func (w wiring) hasWebhookFlags() bool {
	return w.env.Spec.Gardener.Dir != "" && w.has(v1alpha1.PartControlPlane) && !w.plan.Gardener.Has(structuredAuthorization)
}

// webhookKubeconfig is the file of the checkout, at the same path in node and API server.
func (w wiring) webhookKubeconfig() string {
	return controlPlaneDir + "/auth-webhook-kubeconfig-" + w.firstFamily() + ".yaml"
}

// AuthorizationWebhook returns the file, in the API server of a cluster, with the kubeconfig for Gardener's seed authorizer; empty where flags do
// not name it.
func AuthorizationWebhook(env *v1alpha1.Environment, plan *netplan.Plan, cluster v1alpha1.Cluster) string {
	w := wiring{env, plan, cluster}
	if !w.hasWebhookFlags() {
		return ""
	}
	return w.webhookKubeconfig()
}

func (w wiring) firstFamily() string {
	if w.plan.Families[0].IPFamily == v1alpha1.IPv6 {
		return "ipv6"
	}
	return "ipv4"
}

// hasAuthorizationConfig says whether it is asked by an AuthorizationConfiguration.
func (w wiring) hasAuthorizationConfig() bool {
	return w.env.Spec.Gardener.Dir != "" && w.plan.Gardener.Has(structuredAuthorization) && !w.plan.Gardener.Has(gardener.GardenletResource)
}

// extraVolume is a file of the node in the API server.
type extraVolume struct {
	Name      string `json:"name"`
	HostPath  string `json:"hostPath"`
	MountPath string `json:"mountPath"`
	ReadOnly  bool   `json:"readOnly"`
	PathType  string `json:"pathType"`
}

type extraArg struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// apiServerPatch returns what kubeadm's ClusterConfiguration has more for the parts of Gardener on the cluster; empty for nothing.
func (w wiring) apiServerPatch() (string, error) {
	names := w.certificateNames()
	args, volumes := w.authorization()
	if len(names)+len(args) == 0 {
		return "", nil
	}
	server := map[string]any{}
	if len(names) > 0 {
		server["certSANs"] = names
	}
	if len(args) > 0 {
		server["extraArgs"], server["extraVolumes"] = w.extraArgs(args), volumes
	}
	patch, err := yaml.Marshal(map[string]any{"kind": "ClusterConfiguration", "apiServer": server})
	if err != nil {
		return "", fmt.Errorf("encoding the settings of the API server: %w", err)
	}
	return string(patch), nil
}

// certificateNames of the API server beside those of kind.
func (w wiring) certificateNames() []string {
	var names []string
	if w.has(v1alpha1.PartControlPlane) {
		names = append(names, "garden.local.gardener.cloud")
	}
	if w.has(v1alpha1.PartAPIServerRelay) {
		names = append(names, "gardener-apiserver.relay.svc.cluster.local")
	}
	return names
}

// authorization asks the seed authorizer of gardener-admission-controller after RBAC and Node. The files are those of the checkout; what
// the authorizer said is not kept, as a seed's rights change with each object. An AuthorizationConfiguration asks it about seeds only; the
// flags of before ask about everything that RBAC does not allow, and kubeadm can't make a cluster while nobody answers: there the API server gets
// the file, and the flags once the cluster is ready (see AuthorizationWebhook).
func (w wiring) authorization() (args []extraArg, volumes []extraVolume) {
	file := func(name, hostPath, mountPath string) {
		volumes = append(volumes, extraVolume{Name: name, HostPath: hostPath, MountPath: mountPath, ReadOnly: true, PathType: "File"})
	}
	switch {
	case w.hasWebhookFlags():
		file("gardener", w.webhookKubeconfig(), w.webhookKubeconfig())
		return []extraArg{
			{"authorization-webhook-cache-authorized-ttl", "0"},
			{"authorization-webhook-cache-unauthorized-ttl", "0"},
		}, volumes
	case w.hasAuthorizationConfig():
		config := authorizationDir + "/authz-config.yaml"
		source := authorizationDir + "/authz-config-without-seedauthorizer.yaml"
		if w.has(v1alpha1.PartControlPlane) {
			source = authorizationDir + "/authz-config-with-seedauthorizer.yaml"
			webhook := authorizationDir + "/authz-webhook-kubeconfig-" + w.firstFamily() + ".yaml"
			if w.plan.Gardener.Has(oneAuthorizerKubeconfig) {
				webhook = authorizationDir + "/authz-webhook-kubeconfig.yaml"
			}
			file("authz-webhook-kubeconfig", webhook, authorizationDir+"/authz-webhook-kubeconfig.yaml")
		}
		file("authz-config", source, config)
		return []extraArg{{"authorization-config", config}}, volumes
	}
	return nil, nil
}

// extraArgs has the form of the kubeadm API that kind uses for the cluster's Kubernetes.
func (w wiring) extraArgs(args []extraArg) any {
	if atLeastKubernetes(w.cluster.NodeImage, kubeadmV4Kubernetes) {
		return args
	}
	form := map[string]string{}
	for _, arg := range args {
		form[arg.Name] = arg.Value
	}
	return form
}
