// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	calicov3 "github.com/projectcalico/api/pkg/apis/projectcalico/v3"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/inspect"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/render"
)

var _ = flag.Bool("update", false, "write the golden files")

// example is an environment in example/ with everything that it renders to.
type example struct {
	dir   string
	env   *v1alpha1.Environment
	plan  *netplan.Plan
	opts  render.Options
	files []render.File
}

func eachExample(t *testing.T, do func(*testing.T, example)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(testutil.Root(t), "example", "*", "environment.yaml"))
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d examples, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			env, err := v1alpha1.LoadFile(path, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := netplan.New(env)
			if err != nil {
				t.Fatal(err)
			}
			opts := render.Options{Encapsulation: render.Resolve(env.Spec.Calico.Encapsulation)}
			files, err := render.Files(env, plan, opts)
			if err != nil {
				t.Fatal(err)
			}
			do(t, example{filepath.Dir(path), env, plan, opts, files})
		})
	}
}

func TestExamples(t *testing.T) {
	eachExample(t, func(t *testing.T, e example) {
		known := map[string]bool{"environment.yaml": true, "plan.txt": true, "trace.txt": true, "plan.svg": true, "mirrors.txt": true}
		testutil.Golden(t, filepath.Join(e.dir, "mirrors.txt"), mirrors(e.files))
		for _, file := range e.files {
			if isMirror(file) {
				continue
			}
			testutil.Golden(t, filepath.Join(e.dir, file.Name), file.Content)
			known[file.Name] = true
		}
		entries, err := os.ReadDir(e.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if !known[entry.Name()] {
				t.Errorf("%s is not rendered any more: remove it", entry.Name())
			}
		}
	})
}

func isMirror(file render.File) bool { return strings.HasPrefix(file.Name, render.MirrorsDir) }

// mirrors puts all of them into one file: their names, with colons, can't be part of a Go module.
func mirrors(files []render.File) []byte {
	var all bytes.Buffer
	for _, file := range files {
		if isMirror(file) {
			fmt.Fprintf(&all, "# %s\n%s\n", file.Name, file.Content)
		}
	}
	return all.Bytes()
}

// TestExamplesBreakNoRule holds the rendered files, read back as anybody's, to the strict rules.
func TestExamplesBreakNoRule(t *testing.T) {
	eachExample(t, func(t *testing.T, e example) {
		var files []inspect.File
		for _, file := range e.files {
			if strings.HasSuffix(file.Name, ".yaml") && !strings.HasPrefix(file.Name, "node-capacity") && !strings.HasPrefix(file.Name, "metrics-server") { // others hold no addresses
				files = append(files, inspect.File{Name: file.Name, Content: file.Content})
			}
		}
		read, err := inspect.Read(files)
		if err != nil {
			t.Fatal(err)
		}
		read.Subject.Version, read.Subject.Layout = e.plan.Gardener, e.plan.Layout
		if len(e.env.Spec.Clusters) > 1 {
			read.Subject.Pools = read.Subject.Pools[:len(read.Subject.Pools)/2] // the clusters have the same pools
		}
		findings := append(read.Findings, netplan.Check(read.Subject, netplan.ModeStrict)...)
		for _, violation := range netplan.WithLevel(findings, netplan.LevelViolation) {
			t.Errorf("%+v", violation)
		}
		for _, violation := range netplan.WithLevel(netplan.Check(read.Subject, netplan.ModeGardener), netplan.LevelViolation) {
			t.Errorf("gardener %s: %+v", e.plan.Gardener, violation)
		}
	})
}

// apiService has the fields of apiregistration.k8s.io/v1 that are used, whose Go type is in a module of the API server's.
type apiService struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Group                 string `json:"group"`
		Version               string `json:"version"`
		GroupPriorityMinimum  int32  `json:"groupPriorityMinimum"`
		VersionPriority       int32  `json:"versionPriority"`
		InsecureSkipTLSVerify bool   `json:"insecureSkipTLSVerify"`
		Service               struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"service"`
	} `json:"spec"`
}

// TestObjectsDecodeStrictly decodes every rendered object into its type: no field is misspelt or misplaced.
func TestObjectsDecodeStrictly(t *testing.T) {
	types := map[string]func() any{
		"IPPool":                         func() any { return &calicov3.IPPool{} },
		"FelixConfiguration":             func() any { return &calicov3.FelixConfiguration{} },
		"Tier":                           func() any { return &calicov3.Tier{} },
		"GlobalNetworkPolicy":            func() any { return &calicov3.GlobalNetworkPolicy{} },
		"MutatingAdmissionPolicy":        func() any { return &admissionv1.MutatingAdmissionPolicy{} },
		"MutatingAdmissionPolicyBinding": func() any { return &admissionv1.MutatingAdmissionPolicyBinding{} },
		"ServiceAccount":                 func() any { return &corev1.ServiceAccount{} },
		"Service":                        func() any { return &corev1.Service{} },
		"Deployment":                     func() any { return &appsv1.Deployment{} },
		"ClusterRole":                    func() any { return &rbacv1.ClusterRole{} },
		"ClusterRoleBinding":             func() any { return &rbacv1.ClusterRoleBinding{} },
		"RoleBinding":                    func() any { return &rbacv1.RoleBinding{} },
		"APIService":                     func() any { return &apiService{} },
	}
	eachExample(t, func(t *testing.T, e example) {
		for _, cluster := range e.env.Spec.Clusters {
			if _, err := render.KindCluster(e.env, e.plan, cluster, e.opts); err != nil {
				t.Error(err)
			}
		}
		for _, file := range e.files {
			if !strings.HasPrefix(file.Name, "calico-pools") && !strings.HasPrefix(file.Name, "node-capacity") && !strings.HasPrefix(file.Name, "metrics-server") {
				continue
			}
			for _, object := range documents(t, file.Content) {
				var meta struct{ Kind string }
				if err := json.Unmarshal(object, &meta); err != nil {
					t.Fatal(err)
				}
				newType, known := types[meta.Kind]
				if !known {
					t.Errorf("%s: no type for kind %s", file.Name, meta.Kind)
					continue
				}
				decoder := json.NewDecoder(bytes.NewReader(object))
				decoder.DisallowUnknownFields()
				if err := decoder.Decode(newType()); err != nil {
					t.Errorf("%s: %s: %v", file.Name, meta.Kind, err)
				}
			}
		}
	})
}

func documents(t *testing.T, content []byte) []json.RawMessage {
	t.Helper()
	decoder := utilyaml.NewYAMLToJSONDecoder(bytes.NewReader(content))
	var all []json.RawMessage
	for {
		var object map[string]any
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(object) == 0 {
			continue
		}
		data, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
}
