// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package stubapi is an API server in memory, for tests of commands: it stores what it is given and pretends that everything becomes
// ready.
package stubapi

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
)

// Server is the API server.
type Server struct {
	server  *httptest.Server
	mutex   sync.Mutex
	version int
	missing string                    // an image
	objects map[string]map[string]any // by path
	applied map[string]string
	// dnsServer is what CoreDNS answers for the name of the DNS server of the domain.
	dnsServer netip.Addr
}

// Start starts a server with nodes of these names.
func Start(nodes ...string) *Server {
	s := &Server{objects: map[string]map[string]any{}, applied: map[string]string{}, dnsServer: netip.MustParseAddr("172.18.255.53")}
	s.server = httptest.NewUnstartedServer(s)
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that are interrupted are part of the tests
	s.server.StartTLS()
	s.put("/api/v1/namespaces/kube-system", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "kube-system"}})
	s.put("/apis/apps/v1/namespaces/kube-system/deployments/coredns", map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "coredns", "namespace": "kube-system"},
		"spec": map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"k8s-app": "kube-dns"}}},
	})
	s.put(corefilePath, map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "coredns", "namespace": "kube-system"}, "data": map[string]any{"Corefile": corefileOfKubeadm},
	})
	s.put("/api/v1/namespaces/kube-system/pods/coredns-x", map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "coredns-x", "namespace": "kube-system", "labels": map[string]any{"k8s-app": "kube-dns"}},
	})
	s.put("/apis/storage.k8s.io/v1/storageclasses/standard", map[string]any{
		"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": map[string]any{"name": "standard"}, "provisioner": "rancher.io/local-path",
	})
	s.put(kubeadmConfigPath, map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "kubeadm-config", "namespace": "kube-system"},
		"data": map[string]any{"ClusterConfiguration": "apiVersion: kubeadm.k8s.io/v1beta4\n"},
	})
	s.AddNodes(nodes...)
	return s
}

func labelsOf(object map[string]any) labels.Set {
	found, _, _ := unstructured.NestedStringMap(object, "metadata", "labels")
	return found
}

// AddNodes registers nodes, whose kubelets report from then on.
func (s *Server) AddNodes(names ...string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, name := range names {
		spec := map[string]any{}
		if strings.HasSuffix(name, "-control-plane") {
			spec["taints"] = []any{map[string]any{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}}
			s.putAPIServer(name)
		}
		s.put("/api/v1/nodes/"+name, map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": name}, "spec": spec})
	}
}

// Close stops the server.
func (s *Server) Close() { s.server.Close() }

// Address is host and port.
func (s *Server) Address() string { return s.server.Listener.Addr().String() }

// Kubeconfig returns what kubeadm would leave in a node.
func (s *Server) Kubeconfig() string {
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.server.Certificate().Raw})
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: a
clusters: [{name: a, cluster: {server: "https://%s", certificate-authority-data: %s}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
users: [{name: a, user: {token: secret}}]
`, s.Address(), base64.StdEncoding.EncodeToString(certificate))
}

// SetMissingImage makes pods of DaemonSets wait for an image that can't be pulled, until it is empty again.
func (s *Server) SetMissingImage(image string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.missing = image
}

// Change changes a stored object by hand, as kubectl edit does.
func (s *Server) Change(path string, change func(object map[string]any)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	object := s.objects[path]
	change(object)
	delete(s.applied, path)
	s.bump(object)
}

// Put stores an object by hand.
func (s *Server) Put(path string, object map[string]any) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.put(path, object)
}

// Object returns a stored object; nil when there is none.
func (s *Server) Object(path string) map[string]any {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return maps.Clone(s.objects[path])
}

// Remove removes a stored object by hand.
func (s *Server) Remove(path string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.objects, path)
	delete(s.applied, path)
}

func (s *Server) put(path string, object map[string]any) map[string]any {
	s.objects[path] = object
	s.bump(object)
	return object
}

func (s *Server) bump(object map[string]any) {
	s.version++
	metadata, _ := object["metadata"].(map[string]any)
	metadata["resourceVersion"] = strconv.Itoa(s.version)
	metadata["uid"] = "uid-" + fmt.Sprint(metadata["name"])
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/portforward") {
		s.forward(w, r)
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if answer := discover(r.URL.Path); answer != nil {
		write(w, http.StatusOK, answer)
		return
	}
	body := map[string]any{}
	data, err := io.ReadAll(r.Body)
	if err == nil && len(data) > 0 && r.Method != http.MethodDelete {
		err = json.Unmarshal(data, &body)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
		return
	}
	s.serve(w, r, body, string(data))
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, body map[string]any, text string) {
	path := r.URL.Path
	object, found := s.objects[path]
	switch {
	case r.Method == http.MethodPatch && found && r.Header.Get("Content-Type") == "application/merge-patch+json":
		write(w, http.StatusOK, s.put(path, merge(object, body)))
	case r.Method == http.MethodPatch:
		if found && (object["kind"] == "StorageClass" || metadataName(object) == "coredns") {
			body = merge(object, body) // apply of a part of somebody else's object
		}
		s.apply(w, path, body, text)
	case r.Method == http.MethodPut:
		write(w, http.StatusOK, s.put(path, body))
	case r.Method == http.MethodPost:
		s.create(w, path, body, r.URL.Query().Get("dryRun") != "")
	case isList(path):
		s.list(w, path, r.URL.Query().Get("labelSelector"))
	case !found:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, path+" not found")
	case r.Method == http.MethodDelete:
		delete(s.objects, path)
		write(w, http.StatusOK, metav1.Status{Status: metav1.StatusSuccess})
	default:
		write(w, http.StatusOK, s.withStatus(object))
	}
}

// merge returns an object with the fields of a patch; lists are taken whole, null removes a field.
func merge(object, patch map[string]any) map[string]any {
	merged := maps.Clone(object)
	for key, value := range patch {
		inner, isMap := value.(map[string]any)
		before, wasMap := merged[key].(map[string]any)
		if isMap && wasMap {
			value = merge(before, inner)
		}
		if value == nil {
			delete(merged, key)
			continue
		}
		merged[key] = value
	}
	return merged
}

// apply stores an object whole; its version stays when nothing changed. The range of a pool can't be changed.
func (s *Server) apply(w http.ResponseWriter, path string, body map[string]any, text string) {
	before, found := s.objects[path]
	if found && s.applied[path] == text {
		write(w, http.StatusOK, before)
		return
	}
	if found && body["kind"] == "IPPool" && cidr(before) != cidr(body) {
		write(w, http.StatusUnprocessableEntity, metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity,
			Reason: metav1.StatusReasonInvalid, Message: "the pool is invalid",
			Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: "spec.cidr", Message: "Value is immutable"}}},
		})
		return
	}
	s.applied[path] = text
	write(w, http.StatusOK, s.put(path, body))
}

func cidr(object map[string]any) any {
	spec, _ := object["spec"].(map[string]any)
	return spec["cidr"]
}

// create stores a new object; a machine gets the annotation of its pool when the policy for that is there.
func (s *Server) create(w http.ResponseWriter, path string, body map[string]any, dryRun bool) {
	metadata, _ := body["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	_, policy := s.objects["/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/kindling-machine-pool-ipv4"]
	if body["kind"] == "Pod" && labels["app"] == "machine" && metadata["annotations"] == nil && policy {
		metadata["annotations"] = map[string]any{"cni.projectcalico.org/ipv4pools": `["machine-pods-ipv4"]`}
	}
	if !dryRun {
		s.put(path+"/"+fmt.Sprint(metadata["name"]), body)
	}
	write(w, http.StatusCreated, body)
}

// withoutNamespace is the path by which an object is found in the list of all namespaces.
func withoutNamespace(path string) string {
	before, after, found := strings.Cut(path, "/namespaces/")
	_, object, namespaced := strings.Cut(after, "/")
	if !found || !namespaced {
		return path
	}
	return before + "/" + object
}

func (s *Server) list(w http.ResponseWriter, path, selector string) {
	wanted, err := labels.Parse(selector)
	if err != nil {
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
		return
	}
	items := []any{}
	for _, candidate := range slices.Sorted(keys(s.objects)) {
		inside := strings.HasPrefix(candidate, path+"/") || strings.HasPrefix(withoutNamespace(candidate), path+"/")
		if inside && wanted.Matches(labelsOf(s.objects[candidate])) {
			items = append(items, s.withStatus(s.objects[candidate]))
		}
	}
	if strings.HasSuffix(path, "/pods") && s.missing != "" {
		items = append(items, s.waitingPod())
	}
	write(w, http.StatusOK, map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{}, "items": items})
}
