// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kindcluster_test

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"k8s.io/client-go/tools/clientcmd"
	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/engine/stubengine"
	"github.com/gardener/kindling/pkg/kindcluster"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"docker": stubengine.Main}) }

const nodeImage = "node:v1"

// start gives the test an engine with the node image and the network, and kind for it.
func start(t *testing.T, answers ...stubengine.Answer) (*stubengine.Stub, kindcluster.Provider) {
	t.Helper()
	// kind takes a network's name, an engine and a kubeconfig from the environment; the test has its own.
	t.Setenv("KIND_EXPERIMENTAL_DOCKER_NETWORK", "")
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "user"))
	stub := stubengine.Start(t, stubengine.State{
		Networks: []stubengine.Network{{ID: "1", Name: "kind", IPv6: true, Subnets: []netip.Prefix{
			netip.MustParsePrefix("172.18.0.0/24"), netip.MustParsePrefix("fd00:10::/64"),
		}}},
		Images:  []stubengine.Image{{ID: "sha256:1", Names: []string{nodeImage}}},
		Answers: answers,
	})
	return stub, kindcluster.New(engine.Docker)
}

// config is one control plane and one worker without a network plugin, as kindling makes them.
func config() *kindv1alpha4.Cluster {
	return &kindv1alpha4.Cluster{
		TypeMeta: kindv1alpha4.TypeMeta{Kind: "Cluster", APIVersion: "kind.x-k8s.io/v1alpha4"},
		Nodes: []kindv1alpha4.Node{
			{Role: kindv1alpha4.ControlPlaneRole, Image: nodeImage}, {Role: kindv1alpha4.WorkerRole, Image: nodeImage},
		},
		Networking: kindv1alpha4.Networking{DisableDefaultCNI: true, PodSubnet: "10.0.0.0/15", ServiceSubnet: "10.2.0.0/16", APIServerPort: 40443},
	}
}

// startWithCluster is start with the cluster local in the engine, as kind makes it: one takes some fifty calls.
func startWithCluster(t *testing.T, answers ...stubengine.Answer) (*stubengine.Stub, kindcluster.Provider) {
	t.Helper()
	stub, provider := start(t, answers...)
	err := stub.Change(func(state *stubengine.State) {
		state.Containers = []stubengine.Container{container("worker"), container("control-plane")}
	})
	if err != nil {
		t.Fatal(err)
	}
	return stub, provider
}

func container(role string) stubengine.Container {
	c := stubengine.Container{
		ID: role, Name: "local-" + role, Image: nodeImage, State: "running", Network: "kind",
		Labels:    map[string]string{"io.x-k8s.kind.cluster": "local", "io.x-k8s.kind.role": role},
		Addresses: []netip.Addr{netip.MustParseAddr("172.18.0.2"), netip.MustParseAddr("fd00:10::2")},
	}
	if role == "control-plane" {
		c.Addresses = []netip.Addr{netip.MustParseAddr("172.18.0.3"), netip.MustParseAddr("fd00:10::3")}
		c.Ports = []stubengine.Port{{Container: "6443/tcp", HostIP: "127.0.0.1", HostPort: "40443"}}
	}
	return c
}

// events collects what kind says; kind says it from several goroutines.
type events struct {
	mutex sync.Mutex
	all   []kindcluster.Event
}

func (e *events) add(event kindcluster.Event) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.all = append(e.all, event)
}

func TestTheLifeOfACluster(t *testing.T) {
	stub, provider := start(t)
	wanted := config()
	var said events
	if err := provider.Create(t.Context(), "local", wanted, said.add); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config(), wanted); diff != "" {
		t.Errorf("the caller's configuration was changed: %s", diff)
	}
	if diff := cmp.Diff(stepsOfKind(), said.all); diff != "" {
		t.Error(diff)
	}
	if kubeadm := files(t, stub, "local-control-plane")["/kind/kubeadm.conf"]; !strings.Contains(kubeadm, "podSubnet: 10.0.0.0/15") {
		t.Errorf("kubeadm got another configuration: %s", kubeadm)
	}
	if kubeconfig, err := provider.Kubeconfig(t.Context(), "local", false); err != nil || !strings.Contains(string(kubeconfig), "https://127.0.0.1:40443") {
		t.Errorf("kubeconfig %s: %v", kubeconfig, err)
	}
	if err := provider.Delete(t.Context(), "local"); err != nil {
		t.Fatal(err)
	}
	if state, err := stub.State(); err != nil || len(state.Containers) > 0 || len(state.Networks) != 1 {
		t.Errorf("left are %+v and %+v: %v", state.Containers, state.Networks, err)
	}
	if _, err := os.Stat(os.Getenv("KUBECONFIG")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the user's kubeconfig was touched: %v", err)
	}
	if err := provider.Delete(t.Context(), "local"); err != nil {
		t.Errorf("deleting what is gone: %v", err)
	}
}

func stepsOfKind() []kindcluster.Event {
	var all []kindcluster.Event
	for _, step := range []string{
		"Ensuring node image (" + nodeImage + ")", "Preparing nodes", "Writing configuration", "Starting control-plane", "Installing StorageClass", "Joining worker nodes",
	} {
		all = append(all, kindcluster.Event{Step: step, State: kindcluster.StepStarted}, kindcluster.Event{Step: step, State: kindcluster.StepDone})
	}
	return all
}

func TestKubeconfig(t *testing.T) {
	_, provider := startWithCluster(t)
	for internal, want := range map[bool]string{false: "https://127.0.0.1:40443", true: "https://local-control-plane:6443"} {
		content, err := provider.Kubeconfig(t.Context(), "local", internal)
		if err != nil {
			t.Fatal(err)
		}
		kubeconfig, err := clientcmd.Load(content)
		if err != nil {
			t.Fatal(err)
		}
		if cluster := kubeconfig.Clusters["kind-local"]; cluster == nil || cluster.Server != want {
			t.Errorf("internal %t: %s, want the server %s", internal, content, want)
		}
	}
	if _, err := provider.Kubeconfig(t.Context(), "absent", false); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("a cluster that is not there: %v", err)
	}
}

func TestErrorsOfCreate(t *testing.T) {
	var long strings.Builder
	for line := range 30 {
		long.WriteString("line " + string(rune('A'+line)) + "\n")
	}
	for name, test := range map[string]struct {
		answer stubengine.Answer
		// image is the one that is to blame, if one is.
		image string
		want  []string
		never string
	}{
		"an image that is missing": {
			answer: stubengine.Answer{Call: "run", Exit: 125, Stderr: "Unable to find image 'node:v1' locally\ndocker: Error response from daemon: manifest unknown\n"},
			image:  nodeImage, want: []string{nodeImage, "manifest unknown", "load it into the engine"},
		},
		"an image that was pulled is not to blame": {
			answer: stubengine.Answer{Call: "run", Exit: 125, Stderr: "Unable to find image 'node:v1' locally\nStatus: Downloaded newer image\ndocker: port is already allocated\n"},
			want:   []string{"local", "port is already allocated"},
		},
		"a disk that is full": {
			answer: stubengine.Answer{Call: "run", Exit: 125, Stderr: "docker: Error response from daemon: no space left on device.\n"},
			want:   []string{"kind could not create cluster local", "no space left on device", "docker run --name"},
		},
		"only the end of a long output": {
			answer: stubengine.Answer{Call: "exec kubeadm init", Exit: 1, Stderr: long.String()},
			want:   []string{"kubeadm init", "line ^", "line K\n"}, never: "line J",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, provider := start(t, test.answer)
			err := provider.Create(t.Context(), "local", config(), nil)
			if err == nil {
				t.Fatal("succeeded")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if test.never != "" && strings.Contains(err.Error(), test.never) {
				t.Errorf("%q says %q", err, test.never)
			}
			blamed, ok := errors.AsType[*kindcluster.ImageError](err)
			if ok != (test.image != "") || ok && blamed.Image != test.image {
				t.Errorf("blames the image: %v", err)
			}
			if _, ok := errors.AsType[*kindcluster.CommandError](err); !ok {
				t.Errorf("the command is lost in %v", err)
			}
		})
	}
}

func TestKeepsWhatAFailedCreationMade(t *testing.T) {
	stub, provider := start(t, stubengine.Answer{Call: "exec kubeadm init", Exit: 1})
	if err := provider.Create(t.Context(), "local", config(), nil); err == nil {
		t.Fatal("succeeded")
	}
	if state, err := stub.State(); err != nil || len(state.Containers) != 2 {
		t.Errorf("kept %d containers: %v", len(state.Containers), err)
	}
}

func TestReturnsWhenTheContextEnds(t *testing.T) {
	stub, provider := start(t, stubengine.Answer{Call: "info", Hang: true}) // the first call: none follows when it fails at last
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- provider.Create(ctx, "local", config(), nil) }()
	if err := stub.WaitForHang(t.Context()); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "*")); err != nil || len(left) > 0 {
		t.Errorf("left are %v: %v", left, err)
	}
	for what, err := range map[string]error{
		"Delete":     provider.Delete(ctx, "local"),
		"Nodes":      second(provider.Nodes(ctx, "local")),
		"Kubeconfig": second(provider.Kubeconfig(ctx, "local", false)),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want that of the context", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func files(t *testing.T, stub *stubengine.Stub, name string) map[string]string {
	t.Helper()
	state, err := stub.State()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(state.Containers, func(c stubengine.Container) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no container %s", name)
	}
	return state.Containers[i].Files
}
