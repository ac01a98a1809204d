// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"archive/tar"
	"bytes"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/engine/stubengine"
)

// stub starts an engine that has a network and an image.
func stub(t *testing.T) (*engine.Engine, *stubengine.Stub) {
	t.Helper()
	stub := stubengine.Start(t, stubengine.State{
		Networks: []stubengine.Network{{ID: "1", Name: "kind", Subnets: prefixes("172.18.0.0/24")}},
		Images:   []stubengine.Image{{ID: "sha256:1", Names: []string{"registry:3"}}},
	})
	return engine.New(engine.Docker, engine.CLI{Program: "docker"}), stub
}

func TestMakesAContainerAsItIsDescribed(t *testing.T) {
	docker, stub := stub(t)
	id, err := docker.CreateContainer(t.Context(), engine.ContainerSpec{
		Name: "registry", Image: "registry:3", Network: "kind", Aliases: []string{"registry.example"}, Labels: map[string]string{"b": "2", "a": "1"},
		Env: map[string]string{"KEY": "a value"}, Mounts: []engine.BindMount{{Host: "/data", Container: "/var/lib/registry"}, {Host: "/c", Container: "/d", ReadOnly: true}},
		Ports: []engine.PublishedPort{
			{Host: netip.MustParseAddrPort("127.0.0.1:5001"), Container: 5000, Protocol: "tcp"},
			{Host: netip.MustParseAddrPort("[::1]:5001"), Container: 5000, Protocol: "tcp"},
		},
		Restart: true, Privileged: true, Entrypoint: "registry", Args: []string{"serve", "/config.yaml"},
	})
	if err != nil || id == "" {
		t.Fatalf("identity %q: %v", id, err)
	}
	calls, err := stub.Calls()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields("create --name registry --network kind --network-alias registry.example --label a=1 --label b=2 --env KEY=a_value " +
		"--publish 127.0.0.1:5001:5000/tcp --publish [::1]:5001:5000/tcp --volume /data:/var/lib/registry --volume /c:/d:ro " +
		"--privileged --restart unless-stopped --entrypoint registry registry:3 serve /config.yaml")
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], "_", " ")
	}
	if diff := cmp.Diff(want, calls[0]); diff != "" {
		t.Error(diff)
	}
	found, err := docker.Containers(t.Context(), map[string]string{"a": "1"})
	if err != nil || len(found) != 1 || found[0].State != "created" || !found[0].Started.IsZero() {
		t.Fatalf("made was %+v: %v", found, err)
	}
	ports := []engine.PublishedPort{
		{Host: netip.MustParseAddrPort("127.0.0.1:5001"), Container: 5000, Protocol: "tcp"},
		{Host: netip.MustParseAddrPort("[::1]:5001"), Container: 5000, Protocol: "tcp"},
	}
	if diff := cmp.Diff(ports, found[0].Ports, unordered(), cmpopts.EquateComparable(netip.AddrPort{})); diff != "" {
		t.Error(diff)
	}
}

func TestCopiesFilesIntoAContainerThatDoesNotRun(t *testing.T) {
	docker, stub := stub(t)
	if _, err := docker.CreateContainer(t.Context(), engine.ContainerSpec{Name: "dns", Image: "registry:3", Network: "kind"}); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	files := tar.NewWriter(&archive)
	content := "a file\n"
	if err := files.WriteHeader(&tar.Header{Name: "bind/named.conf", Mode: 0o644, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := docker.CopyInto(t.Context(), "dns", "/etc", &archive); err != nil {
		t.Fatal(err)
	}
	state, err := stub.State()
	if err != nil || state.Containers[0].Files["/etc/bind/named.conf"] != content {
		t.Errorf("the container has %v: %v", state.Containers[0].Files, err)
	}
}

func TestAProgramThatRunsOnceLeavesNothing(t *testing.T) {
	docker, _ := stub(t)
	output, err := docker.RunOnce(t.Context(), engine.ContainerSpec{
		Image: "registry:3", Network: engine.HostNetwork, Entrypoint: "cat", Args: []string{"/proc/sys/fs/inotify/max_user_instances"},
	})
	if err != nil || string(output) != "128" {
		t.Errorf("it wrote %q: %v", output, err)
	}
	if left, err := docker.Containers(t.Context(), nil); err != nil || len(left) > 0 {
		t.Errorf("left are %v: %v", left, err)
	}
}
