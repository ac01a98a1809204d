// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kindcluster_test

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/engine/stubengine"
	"github.com/gardener/kindling/pkg/kindcluster"
)

// nodes returns the nodes of a cluster: the control plane and the worker.
func nodes(t *testing.T, answers ...stubengine.Answer) (*stubengine.Stub, []kindcluster.Node) {
	t.Helper()
	stub, provider := startWithCluster(t, answers...)
	all, err := provider.Nodes(t.Context(), "local")
	if err != nil {
		t.Fatal(err)
	}
	return stub, all
}

func TestNodes(t *testing.T) {
	type seen struct {
		Name      string
		Addresses []netip.Addr
	}
	want := []seen{
		{"local-control-plane", container("control-plane").Addresses},
		{"local-worker", container("worker").Addresses},
	}
	var got []seen
	_, all := nodes(t)
	for _, node := range all {
		addresses, err := node.Addresses(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, seen{node.Name(), addresses})
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Error(diff)
	}
}

func TestANodeThatIsStoppedHasNoAddresses(t *testing.T) {
	stub, all := nodes(t)
	if err := stub.Change(func(state *stubengine.State) {
		state.Containers[0].State, state.Containers[0].Addresses = "exited", nil
	}); err != nil {
		t.Fatal(err)
	}
	if addresses, err := all[1].Addresses(t.Context()); err != nil || len(addresses) > 0 {
		t.Errorf("addresses %v: %v", addresses, err)
	}
}

// TestTheLoadBalancerIsListedToo: callers know it by its label, and tell it apart without asking the engine for each container.
func TestTheLoadBalancerIsListedToo(t *testing.T) {
	stub, provider := startWithCluster(t)
	if err := stub.Change(func(state *stubengine.State) {
		state.Containers = append(state.Containers, container("external-load-balancer"))
	}); err != nil {
		t.Fatal(err)
	}
	if all, err := provider.Nodes(t.Context(), "local"); err != nil || len(all) != 3 {
		t.Errorf("nodes %v: %v", all, err)
	}
}

func TestAClusterThatIsNotThereHasNoNodes(t *testing.T) {
	_, provider := start(t)
	if all, err := provider.Nodes(t.Context(), "absent"); err != nil || len(all) > 0 {
		t.Errorf("nodes %v: %v", all, err)
	}
}

func TestCommandsInANode(t *testing.T) {
	_, all := nodes(t,
		stubengine.Answer{Call: "exec local-worker uname -r", Stdout: "6.12.0\n"},
		stubengine.Answer{Call: "exec local-worker ip", Exit: 2, Stderr: "RTNETLINK answers: File exists\n"},
	)
	worker := all[1]
	if output, err := worker.Command(t.Context(), nil, "uname", "-r"); err != nil || string(output) != "6.12.0\n" {
		t.Errorf("output %q: %v", output, err)
	}
	_, err := worker.Command(t.Context(), nil, "ip", "route", "add", "a b")
	for _, want := range []string{"local-worker", "ip route add 'a b'", "File exists"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := worker.Command(ctx, nil, "true"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestSeveralCommandsAreOneCall(t *testing.T) {
	stub, all := nodes(t)
	worker := all[1]
	if err := worker.WriteFile(t.Context(), "/etc/x/y", []byte("content\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := stub.Calls()
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := worker.Commands(t.Context(), []string{"cat", "/etc/x/y"}, []string{"true"}, []string{"cat", "/kind/version"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]byte{[]byte("content\n"), {}, []byte("v1.37.0\n")}, outputs); diff != "" {
		t.Error(diff)
	}
	after, err := stub.Calls()
	if err != nil {
		t.Fatal(err)
	}
	if calls := len(after) - len(before); calls != 1 {
		t.Errorf("%d calls of the engine", calls)
	}
	if _, err := worker.Commands(t.Context(), []string{"echo", "it's"}); err == nil {
		t.Error("a quote was taken")
	}
}

func TestWritesAFileWholeOrNotAtAll(t *testing.T) {
	stub, all := nodes(t, stubengine.Answer{Call: "exec mv", Exit: 1, Stderr: "mv: no space left on device", Times: 1})
	worker := all[1]
	if err := worker.WriteFile(t.Context(), "/etc/x/y", []byte("content"), 0o640); err == nil || !strings.Contains(err.Error(), "/etc/x/y") {
		t.Errorf("a file that can't be put in its place: %v", err)
	}
	if _, there := files(t, stub, worker.Name())["/etc/x/y"]; there {
		t.Error("a file that failed is there")
	}
	if err := worker.WriteFile(t.Context(), "/etc/x/y", []byte("content"), 0o640); err != nil {
		t.Fatal(err)
	}
	written := files(t, stub, worker.Name())
	if written["/etc/x/y"] != "content" || written["/etc/x/.y.kindling"] != "" {
		t.Errorf("files %v", written)
	}
	calls, err := stub.Calls()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"exec", "--privileged", "-i", "local-worker", "install", "-D", "--mode=0640", "/dev/stdin", "/etc/x/.y.kindling"},
		{"exec", "--privileged", "local-worker", "mv", "/etc/x/.y.kindling", "/etc/x/y"},
	}
	if diff := cmp.Diff(want, calls[len(calls)-len(want):]); diff != "" {
		t.Error(diff)
	}
}

func TestImagesOfANode(t *testing.T) {
	_, all := nodes(t)
	worker := all[1]
	var archive bytes.Buffer
	if err := engine.New(engine.Docker, engine.CLI{Program: "docker"}).SaveImage(t.Context(), nodeImage, &archive); err != nil {
		t.Fatal(err)
	}
	if err := worker.LoadImage(t.Context(), &archive); err != nil {
		t.Fatal(err)
	}
	got, err := worker.ImageIDs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{nodeImage: "sha256:1"}, got); diff != "" {
		t.Error(diff)
	}
	if err := worker.LoadImage(t.Context(), strings.NewReader("no archive")); err == nil || !strings.Contains(err.Error(), "unrecognized image format") {
		t.Errorf("an archive that is none: %v", err)
	}
}

func TestImagesAreFoundByTagAndDigest(t *testing.T) {
	_, all := nodes(t, stubengine.Answer{Call: "exec crictl images", Stdout: `{"images": [
		{"id": "sha256:1", "repoTags": ["quay.io/calico/node:v3"], "repoDigests": ["quay.io/calico/node@sha256:9"], "size": "1", "pinned": false},
		{"id": "sha256:2", "repoTags": [], "repoDigests": []}
	]}`})
	got, err := all[0].ImageIDs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"quay.io/calico/node:v3": "sha256:1", "quay.io/calico/node@sha256:9": "sha256:1"}, got); diff != "" {
		t.Error(diff)
	}
}
