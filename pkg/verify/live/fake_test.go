// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/pkg/kube"
)

// fakeCluster is an API server in memory. Pods that are made run at once; workloads that are scaled lose or get back their pods.
type fakeCluster struct {
	mutex    sync.Mutex
	objects  map[string]*unstructured.Unstructured
	unserved []string // kinds
	// lost makes changes fail as when the API server has gone.
	lost func() error
	// exec answers commands in pods, path GET requests, port connections to ports of pods.
	exec func(namespace, pod string, command []string) ([]byte, error)
	path func(ctx context.Context, path string) error
	port func(ctx context.Context) error
	// changed is told of each change.
	changed func(what string)
	log     []string
}

func newFake(text string) *fakeCluster {
	f := &fakeCluster{objects: map[string]*unstructured.Unstructured{}}
	for document := range strings.SplitSeq(text, "\n---\n") {
		object := &unstructured.Unstructured{}
		data, err := yaml.YAMLToJSON([]byte(document))
		if err == nil {
			err = object.UnmarshalJSON(data)
		}
		if err != nil {
			panic(fmt.Sprintf("%v in %s", err, document))
		}
		f.objects[key(object)] = object
	}
	return f
}

func key(object *unstructured.Unstructured) string {
	return strings.Join([]string{object.GetKind(), object.GetNamespace(), object.GetName()}, "/")
}

func (f *fakeCluster) known(object *unstructured.Unstructured) error {
	if f.lost != nil {
		if err := f.lost(); err != nil {
			return err
		}
	}
	if slices.Contains(f.unserved, object.GetKind()) {
		return &meta.NoKindMatchError{GroupKind: schema.GroupKind{Kind: object.GetKind()}}
	}
	return nil
}

func (f *fakeCluster) Get(_ context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	err := f.known(object)
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if live := f.objects[key(object)]; live != nil {
		return live.DeepCopy(), nil
	}
	return nil, nil
}

func (f *fakeCluster) List(_ context.Context, object *unstructured.Unstructured, _ ...func(*metav1.ListOptions)) ([]unstructured.Unstructured, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if err := f.known(object); err != nil {
		return nil, fmt.Errorf("listing %s: %w", object.GetKind(), err)
	}
	var found []unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(f.objects)) {
		live := f.objects[name]
		if live.GetKind() == object.GetKind() && (object.GetNamespace() == "" || live.GetNamespace() == object.GetNamespace()) {
			found = append(found, *live.DeepCopy())
		}
	}
	return found, nil
}

func (f *fakeCluster) ListPaged(ctx context.Context, object *unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	return f.List(ctx, object)
}

func (f *fakeCluster) Pods(ctx context.Context, namespace string, selector *metav1.LabelSelector) ([]corev1.Pod, error) {
	pods, err := list[corev1.Pod](f.List(ctx, kube.Reference("v1", "Pod", namespace, "")))
	if selector == nil || err != nil {
		return pods, err
	}
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return slices.DeleteFunc(pods, func(pod corev1.Pod) bool { return !parsed.Matches(labels.Set(pod.Labels)) }), err
}

func (f *fakeCluster) Create(_ context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if err := f.known(object); err != nil {
		return nil, err
	}
	created := object.DeepCopy()
	switch object.GetKind() {
	case "SelfSubjectAccessReview":
		return created, nil
	case "Pod":
		created.Object["status"] = map[string]any{"phase": "Running", "podIP": "10.0.9.9"}
	}
	f.objects[key(object)] = created
	f.tell("create " + object.GetKind())
	return created, nil
}

func (f *fakeCluster) MergePatch(_ context.Context, object *unstructured.Unstructured, patch map[string]any) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if err := f.known(object); err != nil {
		return err
	}
	live := f.objects[key(object)]
	if live == nil {
		return errors.New("not found")
	}
	merge(live.Object, runtime.DeepCopyJSON(patch))
	if count, set, _ := unstructured.NestedInt64(patch, "spec", "replicas"); set {
		f.scale(live, count)
		f.tell(fmt.Sprintf("scale %s to %d", live.GetName(), count))
	} else {
		f.tell("annotate " + live.GetKind())
	}
	return nil
}

func (f *fakeCluster) tell(what string) {
	f.log = append(f.log, what)
	if f.changed != nil {
		f.changed(what)
	}
}

// scale gives a workload one pod, or none.
func (f *fakeCluster) scale(workload *unstructured.Unstructured, count int64) {
	pod := kube.Reference("v1", "Pod", workload.GetNamespace(), workload.GetName()+"-x")
	if count == 0 {
		delete(f.objects, key(pod))
		return
	}
	pod.SetLabels(map[string]string{"app": workload.GetName()})
	pod.Object["status"] = map[string]any{"phase": "Running"}
	f.objects[key(pod)] = pod
}

func merge(into, patch map[string]any) {
	for name, value := range patch {
		inner, isMap := value.(map[string]any)
		if before, wasMap := into[name].(map[string]any); isMap && wasMap {
			merge(before, inner)
		} else if value == nil {
			delete(into, name)
		} else {
			into[name] = value
		}
	}
}

func (f *fakeCluster) Delete(_ context.Context, object *unstructured.Unstructured) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if err := f.known(object); err != nil {
		return err
	}
	delete(f.objects, key(object))
	f.tell("delete " + object.GetKind())
	return nil
}

func (f *fakeCluster) Exec(ctx context.Context, namespace, pod, _ string, command ...string) ([]byte, error) {
	if f.exec == nil {
		return nil, f.port(ctx)
	}
	return f.exec(namespace, pod, command)
}

func (f *fakeCluster) WithPort(ctx context.Context, _, _ string, _ int, use func(io.ReadWriter) error) error {
	if err := f.port(ctx); err != nil {
		return err
	}
	return use(nil)
}

func (f *fakeCluster) GetPath(ctx context.Context, path string) ([]byte, error) {
	return nil, f.path(ctx, path)
}
