// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	"sigs.k8s.io/yaml"
)

// fakeClient is a client whose cluster is a map of objects. Its apply does not merge and its lists ignore field selectors; tests of
// these use apiServer.
func fakeClient(t *testing.T, objects ...*unstructured.Unstructured) (*Client, *fake.FakeDynamicClient) {
	t.Helper()
	mapper := meta.NewDefaultRESTMapper(nil)
	lists := map[schema.GroupVersionResource]string{}
	for _, kind := range []schema.GroupVersionKind{
		{Version: "v1", Kind: "Pod"},
		{Version: "v1", Kind: "Event"},
		{Version: "v1", Kind: "ConfigMap"},
		{Group: "apps", Version: "v1", Kind: "DaemonSet"},
		{Group: "apps", Version: "v1", Kind: "Deployment"},
	} {
		mapper.Add(kind, meta.RESTScopeNamespace)
	}
	for _, kind := range []schema.GroupVersionKind{
		{Version: "v1", Kind: "Node"},
		{Version: "v1", Kind: "Namespace"},
		{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"},
		{Group: "certificates.k8s.io", Version: "v1", Kind: "CertificateSigningRequest"},
	} {
		mapper.Add(kind, meta.RESTScopeRoot)
	}
	for _, kind := range []string{"Pod", "Event", "Node"} {
		plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Version: "v1", Kind: kind})
		lists[plural] = kind + "List"
	}
	lists[schema.GroupVersionResource{Group: "certificates.k8s.io", Version: "v1", Resource: "certificatesigningrequests"}] = "CertificateSigningRequestList"
	all := make([]runtime.Object, 0, len(objects))
	for _, object := range objects {
		all = append(all, object)
	}
	cluster := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, all...)
	return New(cluster, meta.MultiRESTMapperWithContext{meta.ToRESTMapperWithContext(mapper)}, nil), cluster
}

// parse decodes one object.
func parse(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return object
}
