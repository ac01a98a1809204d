// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// apiServer answers as far as applying needs it: discovery, reading and server-side apply of whole objects.
type apiServer struct {
	mutex    sync.Mutex
	groups   map[string]metav1.APIResourceList // by path of the group and version
	objects  map[string]stored                 // by path
	answers  map[string][]error                // given first, by method and path
	requests []string
}

type stored struct {
	version int
	data    string
}

// newAPIServer returns a server of ConfigMaps, Namespaces and CustomResourceDefinitions, and a client for it.
func newAPIServer(t *testing.T) (*apiServer, *Client) {
	t.Helper()
	s := &apiServer{groups: map[string]metav1.APIResourceList{}, objects: map[string]stored{}, answers: map[string][]error{}}
	s.serve("/api/v1", metav1.APIResource{Name: "namespaces", Kind: "Namespace"}, metav1.APIResource{Name: "configmaps", Kind: "ConfigMap", Namespaced: true})
	s.serve("/apis/apiextensions.k8s.io/v1", metav1.APIResource{Name: "customresourcedefinitions", Kind: "CustomResourceDefinition"})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, clientFor(t, server.URL)
}

func clientFor(t *testing.T, url string) *Client {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["a"] = &clientcmdapi.Cluster{Server: url}
	config.Contexts["a"] = &clientcmdapi.Context{Cluster: "a"}
	config.CurrentContext = "a"
	data, err := clientcmd.Write(*config)
	if err != nil {
		t.Fatal(err)
	}
	client, err := NewClient(data)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func (s *apiServer) serve(path string, resources ...metav1.APIResource) {
	group := strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/")
	s.groups[path] = metav1.APIResourceList{GroupVersion: group, APIResources: resources}
}

// ServeHTTP implements http.Handler.
func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if list, found := s.groups[r.URL.Path]; found {
		write(w, http.StatusOK, list)
		return
	}
	switch r.URL.Path {
	case "/api":
		write(w, http.StatusOK, metav1.APIVersions{Versions: []string{"v1"}})
	case "/apis":
		write(w, http.StatusOK, s.groupList())
	case "/version":
		write(w, http.StatusOK, version.Info{GitVersion: "v1.37.2"})
	default:
		s.object(w, r)
	}
}

func (s *apiServer) groupList() metav1.APIGroupList {
	var list metav1.APIGroupList
	for path := range s.groups {
		if name, found := strings.CutPrefix(path, "/apis/"); found {
			group := metav1.GroupVersionForDiscovery{GroupVersion: name, Version: "v1"}
			list.Groups = append(list.Groups, metav1.APIGroup{
				Name: strings.TrimSuffix(name, "/v1"), Versions: []metav1.GroupVersionForDiscovery{group}, PreferredVersion: group,
			})
		}
	}
	return list
}

func (s *apiServer) object(w http.ResponseWriter, r *http.Request) {
	call := r.Method + " " + r.URL.Path
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
	if answers := s.answers[call]; len(answers) > 0 {
		s.answers[call] = answers[1:]
		status := answers[0].(apierrors.APIStatus).Status()
		status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		write(w, int(status.Code), status)
		return
	}
	before, found := s.objects[r.URL.Path]
	if r.Method == http.MethodPatch {
		s.patch(w, r, before)
		return
	}
	if !found {
		status := apierrors.NewNotFound(schema.GroupResource{}, r.URL.Path).ErrStatus
		write(w, http.StatusNotFound, status)
		return
	}
	write(w, http.StatusOK, before.object())
}

func (s *apiServer) patch(w http.ResponseWriter, r *http.Request, before stored) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	after := before
	if string(data) != before.data {
		after = stored{before.version + 1, string(data)}
	}
	s.objects[r.URL.Path] = after
	write(w, http.StatusOK, after.object())
}

func (s stored) object() map[string]any {
	object := map[string]any{}
	if err := json.Unmarshal([]byte(s.data), &object); err != nil {
		panic(err)
	}
	object["metadata"].(map[string]any)["resourceVersion"] = fmt.Sprint(s.version)
	return object
}

func write(w http.ResponseWriter, code int, value any) {
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(value); err != nil {
		panic(err)
	}
}

// patches returns the paths that were patched, in their order.
func (s *apiServer) patches() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.DeleteFunc(slices.Clone(s.requests), func(request string) bool { return !strings.HasPrefix(request, http.MethodPatch) })
}
