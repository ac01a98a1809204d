// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubapi

import (
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
)

// resources are the kinds that are served, by path of their group and version. Those marked with a slash are namespaced.
func resources() map[string][]string {
	return map[string][]string{
		"/api/v1":       {"namespaces Namespace", "nodes Node", "pods/ Pod", "events/ Event", "configmaps/ ConfigMap", "serviceaccounts/ ServiceAccount", "services/ Service"},
		"/apis/apps/v1": {"daemonsets/ DaemonSet", "deployments/ Deployment"},
		"/apis/rbac.authorization.k8s.io/v1": {
			"clusterroles ClusterRole", "clusterrolebindings ClusterRoleBinding", "rolebindings/ RoleBinding",
		},
		"/apis/apiregistration.k8s.io/v1":   {"apiservices APIService"},
		"/apis/core.gardener.cloud/v1beta1": {"seeds Seed", "shoots/ Shoot"},
		"/apis/discovery.k8s.io/v1":         {"endpointslices/ EndpointSlice"},
		"/apis/storage.k8s.io/v1":           {"storageclasses StorageClass"},
		"/apis/certificates.k8s.io/v1":      {"certificatesigningrequests CertificateSigningRequest"},
		"/apis/apiextensions.k8s.io/v1":     {"customresourcedefinitions CustomResourceDefinition"},
		"/apis/crd.projectcalico.org/v1": {
			"ippools IPPool", "felixconfigurations FelixConfiguration", "tiers Tier", "globalnetworkpolicies GlobalNetworkPolicy",
		},
		"/apis/admissionregistration.k8s.io/v1": {
			"mutatingadmissionpolicies MutatingAdmissionPolicy", "mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding",
		},
	}
}

// discover answers what is asked about kinds; nil for other paths.
func discover(path string) any {
	if names, found := resources()[path]; found {
		list := metav1.APIResourceList{GroupVersion: strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/")}
		for _, name := range names {
			plural, kind, _ := strings.Cut(name, " ")
			plural, namespaced := strings.CutSuffix(plural, "/")
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: plural, Kind: kind, Namespaced: namespaced})
		}
		return list
	}
	switch path {
	case "/version":
		return version.Info{GitVersion: "v1.37.0"}
	case "/api":
		return metav1.APIVersions{Versions: []string{"v1"}}
	case "/apis":
		return groups()
	}
	return nil
}

func groups() metav1.APIGroupList {
	var list metav1.APIGroupList
	for path := range resources() {
		if name, found := strings.CutPrefix(path, "/apis/"); found {
			group, version, _ := strings.Cut(name, "/")
			served := metav1.GroupVersionForDiscovery{GroupVersion: name, Version: version}
			list.Groups = append(list.Groups, metav1.APIGroup{
				Name: group, Versions: []metav1.GroupVersionForDiscovery{served}, PreferredVersion: served,
			})
		}
	}
	return list
}

// isList says whether a path ends in the plural of a kind.
func isList(path string) bool {
	last := path[strings.LastIndex(path, "/")+1:]
	for _, names := range resources() {
		for _, name := range names {
			plural, _, _ := strings.Cut(name, " ")
			if strings.TrimSuffix(plural, "/") == last {
				return true
			}
		}
	}
	return false
}

// withStatus returns an object with the status of one that is ready.
func (s *Server) withStatus(object map[string]any) map[string]any {
	object = maps.Clone(object)
	condition := func(kind string) map[string]any {
		return map[string]any{"conditions": []any{map[string]any{"type": kind, "status": "True"}}}
	}
	metadata, _ := object["metadata"].(map[string]any)
	switch object["kind"] {
	case "CustomResourceDefinition":
		object["status"] = condition("Established")
	case "Node":
		object["status"] = condition("Ready")
		object["status"].(map[string]any)["conditions"].([]any)[0].(map[string]any)["lastHeartbeatTime"] = metav1.Now()
		object["status"].(map[string]any)["images"] = []any{map[string]any{"names": []any{"example.com/pause:1"}}}
	case "Deployment":
		object["status"] = map[string]any{"availableReplicas": 1, "updatedReplicas": 1, "replicas": 1, "readyReplicas": 1}
	case "DaemonSet":
		available := 1
		if s.missing != "" {
			available = 0
		}
		object["status"] = map[string]any{"desiredNumberScheduled": 1, "updatedNumberScheduled": 1, "numberAvailable": available}
	case "Pod":
		if labelsOf(object)["component"] == apiServer {
			spec, _ := object["spec"].(map[string]any)
			object["spec"] = s.apiServerSpec(spec)
		}
		address := "10.1.0.7"
		if metadata["annotations"] != nil {
			address = "10.0.0.7"
		}
		running := map[string]any{"running": map[string]any{"startedAt": metav1.Now()}}
		object["status"] = condition("Ready")
		maps.Copy(object["status"].(map[string]any), map[string]any{
			"phase": "Running", "podIPs": []any{map[string]any{"ip": address}}, "containerStatuses": []any{map[string]any{"name": "c", "state": running}},
		})
	}
	return object
}

func (s *Server) waitingPod() map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "calico-node-x", "namespace": "kube-system", "uid": "x"},
		"status": map[string]any{"phase": "Pending", "containerStatuses": []any{map[string]any{
			"name": "calico-node", "image": s.missing, "state": map[string]any{"waiting": map[string]any{"reason": "ImagePullBackOff"}},
		}}},
	}
}

func write(w http.ResponseWriter, code int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(answer)
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, text string) {
	write(w, code, metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: text,
	})
}

func keys(objects map[string]map[string]any) iter.Seq[string] { return maps.Keys(objects) }
