// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package calico

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/gardener/kindling/internal/expansion"
)

// Where the manifest has what is adapted.
const (
	namespace       = "kube-system"
	nodeDaemonSet   = "calico-node"
	configConfigMap = "calico-config"
)

// ManifestError says that a file is no manifest of Calico's.
type ManifestError struct{ Problem string }

// Error implements error.
func (e *ManifestError) Error() string {
	return "not a manifest of Calico's: " + e.Problem + ": give its calico.yaml (manifests/calico.yaml of a release)"
}

// Manifest holds the objects of calico.yaml in the order in which they must be applied.
type Manifest struct {
	CRDs    []*unstructured.Unstructured
	Objects []*unstructured.Unstructured
}

// Parse reads a manifest. The error is a *ManifestError.
func Parse(data []byte) (*Manifest, error) {
	if err := expansion.Check(data, maxManifest); err != nil {
		return nil, &ManifestError{err.Error()}
	}
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	manifest := &Manifest{}
	for i := 0; ; i++ {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, &ManifestError{fmt.Sprintf("document %d is no YAML object (%v)", i, err)}
		}
		if len(object.Object) == 0 {
			continue
		}
		if object.GetKind() == "" || object.GetAPIVersion() == "" || object.GetName() == "" {
			return nil, &ManifestError{fmt.Sprintf("document %d has no apiVersion, kind or name", i)}
		}
		if object.GetKind() == "CustomResourceDefinition" {
			manifest.CRDs = append(manifest.CRDs, object)
		} else {
			manifest.Objects = append(manifest.Objects, object)
		}
	}
	for _, required := range [][2]string{{"DaemonSet", nodeDaemonSet}, {"ConfigMap", configConfigMap}} {
		if _, err := manifest.find(required[0], required[1]); err != nil {
			return nil, err
		}
	}
	return manifest, nil
}

func (m *Manifest) find(kind, name string) (*unstructured.Unstructured, error) {
	for _, object := range m.Objects {
		if object.GetKind() == kind && object.GetName() == name && object.GetNamespace() == namespace {
			return object, nil
		}
	}
	return nil, &ManifestError{fmt.Sprintf("it lacks the %s %s/%s", kind, namespace, name)}
}

// Images returns the images of all pods in the manifest, sorted.
func (m *Manifest) Images() []string {
	images := map[string]bool{}
	for _, object := range m.Objects {
		for _, list := range []string{"initContainers", "containers"} {
			for _, container := range containers(object, list) {
				if image, ok := container["image"].(string); ok {
					images[image] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(images))
}

// containers returns the containers of a workload's pod template; changes to them change the object.
func containers(object *unstructured.Unstructured, list string) []map[string]any {
	template, _, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "template", "spec", list)
	items, _ := template.([]any)
	var result []map[string]any
	for _, item := range items {
		if container, ok := item.(map[string]any); ok {
			result = append(result, container)
		}
	}
	return result
}
