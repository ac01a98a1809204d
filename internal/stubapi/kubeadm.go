// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubapi

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const kubeadmConfigPath = "/api/v1/namespaces/kube-system/configmaps/kubeadm-config"

const apiServer = "kube-apiserver"

// putAPIServer registers the API server of a control plane, as a pod.
func (s *Server) putAPIServer(node string) {
	name := apiServer + "-" + node
	s.put("/api/v1/namespaces/kube-system/pods/"+name, map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": name, "namespace": "kube-system", "labels": map[string]any{"component": apiServer}},
		"spec":     map[string]any{"nodeName": node},
	})
}

// apiServerSpec has the flags of kubeadm's configuration, as if kubeadm upgraded a node by itself whenever that changes.
func (s *Server) apiServerSpec(spec map[string]any) map[string]any {
	config := map[string]any{}
	text, _, _ := unstructured.NestedString(s.objects[kubeadmConfigPath], "data", "ClusterConfiguration")
	_ = yaml.Unmarshal([]byte(text), &config) // one that can't be read has no flags
	args, _, _ := unstructured.NestedSlice(config, "apiServer", "extraArgs")
	command := []any{apiServer}
	for _, arg := range args {
		name, _, _ := unstructured.NestedString(arg.(map[string]any), "name")
		value, _, _ := unstructured.NestedString(arg.(map[string]any), "value")
		command = append(command, "--"+name+"="+value)
	}
	return map[string]any{"nodeName": spec["nodeName"], "containers": []any{map[string]any{"name": apiServer, "command": command}}}
}
