// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/engine/stubengine"
)

func TestDetect(t *testing.T) {
	for name, test := range map[string]struct {
		engine  string
		answers []stubengine.Answer
		// want is part of the reason and of the cause; empty when the engine answers.
		want string
	}{
		"finds the one that is installed":                           {},
		"takes the one that is named":                               {engine: "docker"},
		"refuses names that nobody knows":                           {engine: "lxc", want: "is not known"},
		"says that the program of the one that is named is missing": {engine: "nerdctl", want: "not on the PATH"},
		"says that the daemon does not answer": {
			answers: []stubengine.Answer{{Call: "info", Exit: 1, Stderr: "Cannot connect to the Docker daemon at unix:///var/run/docker.sock."}},
			want:    "Cannot connect",
		},
		"believes the output more than the exit code": {
			answers: []stubengine.Answer{{Call: "info", Stdout: `{"ServerErrors":["Cannot connect to the Docker daemon at tcp://10.0.0.1:2375."]}`}},
			want:    "does not answer",
		},
		"says that the user may not": {
			answers: []stubengine.Answer{{Call: "info", Exit: 1, Stderr: "Permission denied while trying to connect to the docker API"}},
			want:    "you may not use it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			program, err := exec.LookPath("docker")
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", filepath.Dir(program)) // no other engine, whatever this host has
			stubengine.Start(t, stubengine.State{Answers: test.answers})
			found, info, err := engine.Detect(t.Context(), test.engine)
			if test.want == "" {
				if err != nil || found.Name() != engine.Docker || info.CgroupVersion != 2 {
					t.Errorf("found %v with %+v: %v", found, info, err)
				}
				return
			}
			unavailable, ok := errors.AsType[*engine.UnavailableError](err)
			if !ok || !strings.Contains(err.Error(), test.want) || unavailable.Remedy == "" {
				t.Errorf("error %v, want one about %q with a remedy", err, test.want)
			}
		})
	}
}

func TestTheLifeOfContainers(t *testing.T) {
	stubengine.Start(t, stubengine.State{
		Networks: []stubengine.Network{{ID: "1", Name: "kind", Subnets: prefixes("172.18.0.0/24", "fd00:10::/64")}},
		Containers: []stubengine.Container{
			{ID: "c2", Name: "b", Image: "node", State: "exited", Network: "kind", Labels: map[string]string{"cluster": "x"}},
			{ID: "c1", Name: "a", Image: "node", State: "exited", Network: "kind", Labels: map[string]string{"cluster": "x"}},
			{ID: "c3", Name: "other", Image: "node", State: "running"},
		},
	})
	docker := engine.New(engine.Docker, engine.CLI{Program: "docker"})
	label := map[string]string{"cluster": "x"}
	if err := docker.StartContainers(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	got, err := docker.Containers(t.Context(), label)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) > 0 && got[0].Started.IsZero() {
		t.Error("a started container has no time of its start")
	}
	addresses := []netip.Addr{netip.MustParseAddr("172.18.0.2"), netip.MustParseAddr("fd00:10::2")}
	want := []engine.Container{
		{ID: "c1", Name: "a", Image: "node", State: "running", Labels: label, Addresses: map[string][]netip.Addr{"kind": addresses}},
		{ID: "c2", Name: "b", Image: "node", State: "exited", Labels: label, Addresses: map[string][]netip.Addr{"kind": nil}},
	}
	if diff := cmp.Diff(want, got, unordered(), cmpopts.IgnoreFields(engine.Container{}, "Started")); diff != "" {
		t.Error(diff)
	}
	if names, err := docker.ContainersOn(t.Context(), "kind"); err != nil || !cmp.Equal(names, []string{"a", "b"}) {
		t.Errorf("on the network are %v, stopped ones included: %v", names, err)
	}
	if err := docker.RemoveContainers(t.Context(), "a", "b"); err != nil {
		t.Fatal(err)
	}
	if left, err := docker.Containers(t.Context(), nil); err != nil || len(left) != 1 {
		t.Errorf("left are %v: %v", left, err)
	}
}

func TestAsksNothingForNoContainers(t *testing.T) {
	runner := &recorder{}
	docker := engine.New(engine.Docker, runner)
	if err := errors.Join(docker.StartContainers(t.Context()), docker.RemoveContainers(t.Context())); err != nil || len(runner.calls) > 0 {
		t.Errorf("calls %v: %v", runner.calls, err)
	}
}

func TestImages(t *testing.T) {
	there := stubengine.Image{ID: "sha256:1", Names: []string{"node:v1"}}
	stubengine.Start(t, stubengine.State{Images: []stubengine.Image{there}, Pullable: []stubengine.Image{{ID: "sha256:2", Names: []string{"calico"}}}})
	docker := engine.New(engine.Docker, engine.CLI{Program: "docker"})
	if id, err := docker.ImageID(t.Context(), "node:v1"); err != nil || id != "sha256:1" {
		t.Errorf("identity %q: %v", id, err)
	}
	if _, err := docker.ImageID(t.Context(), "calico"); !isNotFound(err) {
		t.Errorf("an image that is not there: %v", err)
	}
	if err := docker.PullImage(t.Context(), "calico"); err != nil {
		t.Fatal(err)
	}
	if id, err := docker.ImageID(t.Context(), "calico"); err != nil || id != "sha256:2" {
		t.Errorf("identity %q after the pull: %v", id, err)
	}
	var archive bytes.Buffer
	if err := docker.SaveImage(t.Context(), "node:v1", &archive); err != nil || archive.Len() == 0 {
		t.Errorf("%d bytes: %v", archive.Len(), err)
	}
}

func TestSavesOnePlatformWhereTheEngineCan(t *testing.T) {
	for name, test := range map[string]struct{ engine, version, want string }{
		"docker since 28":     {engine.Docker, "1.48 linux/arm64", "save --platform linux/arm64 node"},
		"newer docker":        {engine.Docker, "1.52 linux/amd64", "save --platform linux/amd64 node"},
		"older docker":        {engine.Docker, "1.41 linux/amd64", "save node"},
		"podman has one":      {engine.Podman, "", "save node"},
		"nerdctl has its own": {engine.Nerdctl, "", "save node"},
	} {
		t.Run(name, func(t *testing.T) {
			runner := &recorder{answers: map[string]answer{"version": {stdout: test.version + "\n"}}}
			if err := engine.New(test.engine, runner).SaveImage(t.Context(), "node", &bytes.Buffer{}); err != nil {
				t.Fatal(err)
			}
			if got := runner.calls[len(runner.calls)-1]; got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestAFailedCallCanBePastedAndKeepsItsCause(t *testing.T) {
	stubengine.Start(t, stubengine.State{})
	_, err := engine.New(engine.Docker, engine.CLI{Program: "docker"}).ImageID(t.Context(), "a b")
	if !isNotFound(err) {
		t.Fatal(err)
	}
	err = engine.CLI{Program: "docker"}.Run(t.Context(), engine.Command{Args: []string{"start", "a b"}})
	if want := "docker start 'a b': exit status 1\n  Error response from daemon: No such container: a b"; err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		t.Errorf("the cause is lost in %v", err)
	}
}

func TestABrokenOffCallReturnsTheReasonOfTheContext(t *testing.T) {
	stub := stubengine.Start(t, stubengine.State{Answers: []stubengine.Answer{{Call: "pull", Hang: true}}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- engine.New(engine.Docker, engine.CLI{Program: "docker"}).PullImage(ctx, "node") }()
	if err := stub.WaitForHang(t.Context()); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
