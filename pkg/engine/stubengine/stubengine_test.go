// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gardener/kindling/pkg/engine/stubengine"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"docker": stubengine.Main}) }

// docker returns what a call wrote to each side, and its exit code.
func docker(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errOut bytes.Buffer
	command := exec.CommandContext(t.Context(), "docker", args...)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &out, &errOut
	if err := command.Run(); err != nil && command.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), command.ProcessState.ExitCode()
}

// must returns what a call wrote, and fails the test if the call failed.
func must(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, code := docker(t, "", args...)
	if code != 0 {
		t.Fatalf("docker %s: exit code %d: %s", strings.Join(args, " "), code, stderr)
	}
	return strings.TrimSpace(stdout)
}

func nodeImage() stubengine.State {
	return stubengine.State{Images: []stubengine.Image{{ID: "sha256:1", Names: []string{"node"}}}}
}

func TestContainersGetTheNextFreeAddresses(t *testing.T) {
	stubengine.Start(t, nodeImage())
	must(t, "network", "create", "--ipv6", "--subnet", "172.18.0.0/24", "--subnet", "fd00:10::/64", "kind")
	must(t, "run", "--name", "a", "--net", "kind", "node")
	must(t, "run", "--name", "b", "--net", "kind", "node")
	addresses := "{{range .NetworkSettings.Networks}}{{.IPAddress}},{{.GlobalIPv6Address}}{{end}}"
	if got, want := must(t, "inspect", "-f", addresses, "a", "b"), "172.18.0.2,fd00:10::2\n172.18.0.3,fd00:10::3"; got != want {
		t.Errorf("addresses %q, want %q", got, want)
	}
	must(t, "stop", "a", "b")
	must(t, "start", "b", "a")
	if got, want := must(t, "inspect", "-f", addresses, "a", "b"), "172.18.0.3,fd00:10::3\n172.18.0.2,fd00:10::2"; got != want {
		t.Errorf("addresses after a restart in the other order %q, want %q", got, want)
	}
}

// Calls are killed when the step beside them fails: what the next one reads must not be half of a file.
func TestTheStateIsReplacedAsAWhole(t *testing.T) {
	stub := stubengine.Start(t, nodeImage())
	must(t, "network", "create", "before")
	file, err := os.Open(filepath.Join(stub.Dir, "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	must(t, "network", "create", "after")
	data, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	var state stubengine.State
	if err := json.Unmarshal(data, &state); err != nil {
		t.Fatal(err)
	}
	if len(state.Networks) != 1 || state.Networks[0].Name != "before" {
		t.Errorf("a state that was being read holds the networks %v, want the one of then", state.Networks)
	}
}

func TestListsWhatFitsAllFilters(t *testing.T) {
	stubengine.Start(t, nodeImage())
	must(t, "network", "create", "kind")
	must(t, "run", "--name", "a", "--net", "kind", "--label", "cluster=x", "--label", "role=worker", "node")
	must(t, "run", "--name", "b", "--net", "kind", "--label", "cluster=y", "node")
	must(t, "stop", "b")
	for filters, want := range map[string]string{
		"":                                "a",
		"-a":                              "a\nb",
		"-a --filter label=cluster":       "a\nb",
		"-a --filter label=cluster=y":     "b",
		"--filter label=cluster=y":        "",
		"-a --filter label=role=worker":   "a",
		"-a --filter network=kind":        "a\nb",
		"-a --filter network=other":       "",
		"-a --filter status=exited":       "b",
		"--filter name=a --filter name=b": "",
	} {
		if got := must(t, append([]string{"ps", "--format", "{{.Names}}"}, strings.Fields(filters)...)...); got != want {
			t.Errorf("ps %s: %q, want %q", filters, got, want)
		}
	}
}

func TestFailsAsDockerDoes(t *testing.T) {
	stubengine.Start(t, nodeImage())
	must(t, "network", "create", "--subnet", "10.9.0.0/16", "kind")
	must(t, "run", "--name", "a", "--net", "kind", "node")
	for call, want := range map[string]struct {
		code int
		text string
	}{
		"network create kind":                      {1, "Error response from daemon: network with name kind already exists\n"},
		"network create --subnet 10.9.1.0/24 more": {1, "Error response from daemon: Pool overlaps with other one on this address space\n"},
		"network rm kind":                          {1, "Error response from daemon: error while removing network: network kind has active endpoints\n"},
		"network inspect absent":                   {1, "Error response from daemon: network absent not found\n"},
		"inspect absent":                           {1, "Error: No such object: absent\n"},
		"image inspect absent":                     {1, "Error response from daemon: No such image: absent\n"},
		"pull absent":                              {1, "Error response from daemon: manifest for absent not found: manifest unknown: manifest unknown\n"},
		"run --net kind absent":                    {125, "Unable to find image 'absent' locally\ndocker: Error response from daemon: manifest unknown\n"},
		"run --net absent node":                    {125, "docker: Error response from daemon: network absent not found\n"},
		"exec absent true":                         {1, "Error response from daemon: No such container: absent\n"},
		"network prune":                            {1, "stub engine: the stub engine has no network prune\n"},
		"swarm init":                               {1, "stub engine: unknown command \"swarm\" for \"docker\"\n"},
	} {
		_, stderr, code := docker(t, "", strings.Fields(call)...)
		if code != want.code || stderr != want.text {
			t.Errorf("%s: exit code %d and %q, want %d and %q", call, code, stderr, want.code, want.text)
		}
	}
}

func TestAnswersTakeThePlaceOfCalls(t *testing.T) {
	state := nodeImage()
	state.Answers = []stubengine.Answer{
		{Call: "network create", Exit: 1, Stderr: "no\n", Times: 1},
		{Call: "exec a uname", Stdout: "6.1\n"},
		{Call: "exec uname", Stdout: "6.12\n"},
	}
	stub := stubengine.Start(t, state)
	if _, stderr, code := docker(t, "", "network", "create", "kind"); code != 1 || stderr != "no\n" {
		t.Errorf("exit code %d and %q", code, stderr)
	}
	must(t, "network", "create", "kind")
	must(t, "run", "--name", "a", "--net", "kind", "node")
	must(t, "run", "--name", "b", "--net", "kind", "node")
	if got := must(t, "exec", "--privileged", "a", "uname", "-r") + must(t, "exec", "b", "uname", "-r") + must(t, "exec", "b", "true"); got != "6.16.12" {
		t.Errorf("answers %q", got)
	}
	calls, err := stub.Calls()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"exec", "--privileged", "a", "uname", "-r"}, calls[4]); diff != "" {
		t.Error(diff)
	}
}

func TestProgramsThatWriteAndReadFiles(t *testing.T) {
	stub := stubengine.Start(t, nodeImage())
	must(t, "network", "create", "kind")
	must(t, "run", "--name", "a", "--net", "kind", "node")
	if _, stderr, code := docker(t, "content", "exec", "-i", "a", "cp", "/dev/stdin", "/etc/x"); code != 0 {
		t.Fatal(stderr)
	}
	must(t, "exec", "a", "mv", "/etc/x", "/etc/y")
	if got := must(t, "exec", "a", "cat", "/etc/y"); got != "content" {
		t.Errorf("read %q", got)
	}
	state, err := stub.State()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"/etc/y": "content"}, state.Containers[0].Files); diff != "" {
		t.Error(diff)
	}
}

// The two ends of a pipe must not wait for each other's lock.
func TestSavedImagesCanBeImported(t *testing.T) {
	stubengine.Start(t, nodeImage())
	must(t, "network", "create", "kind")
	must(t, "run", "--name", "a", "--net", "kind", "node")
	save := exec.CommandContext(t.Context(), "docker", "save", "node")
	load := exec.CommandContext(t.Context(), "docker", "exec", "-i", "a", "ctr", "--namespace=k8s.io", "images", "import", "-")
	pipe, err := save.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	load.Stdin = pipe
	if err := load.Start(); err != nil {
		t.Fatal(err)
	}
	if err := save.Run(); err != nil {
		t.Fatal(err)
	}
	if err := load.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, want := must(t, "exec", "a", "crictl", "images", "-o", "json"), `{"images":[{"id":"sha256:1","repoTags":["node"]}]}`; got != want {
		t.Errorf("images %s, want %s", got, want)
	}
}

func TestCallsAtTheSameTimeDoNotLoseEachOther(t *testing.T) {
	stub := stubengine.Start(t, stubengine.State{})
	const callers = 8
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			if _, stderr, code := docker(t, "", "network", "create", fmt.Sprintf("n%d", i)); code != 0 {
				t.Error(stderr)
			}
		})
	}
	group.Wait()
	calls, err := stub.Calls()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(must(t, "network", "ls", "--format", "{{.Name}}"))
	slices.Sort(names)
	if len(calls) != callers || len(slices.Compact(names)) != callers {
		t.Errorf("%d calls made the networks %v", len(calls), names)
	}
}

func TestAHangingCallEndsWithItsStub(t *testing.T) {
	stub := stubengine.Start(t, stubengine.State{Answers: []stubengine.Answer{{Call: "pull", Hang: true, Stderr: "interrupted\n"}}})
	command := exec.CommandContext(t.Context(), "docker", "pull", "node")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if err := stub.WaitForHang(t.Context()); err != nil {
		t.Fatal(err)
	}
	stub.Close()
	if err := command.Wait(); err == nil {
		t.Error("a call that hung succeeded")
	}
}

func TestACallWithoutAFolderFails(t *testing.T) {
	t.Setenv(stubengine.Variable, "")
	if _, stderr, code := docker(t, "", "ps"); code != 1 || !strings.Contains(stderr, stubengine.Variable) {
		t.Errorf("exit code %d and %q", code, stderr)
	}
}

func TestWaitingForAHangEndsWithTheContext(t *testing.T) {
	stub := stubengine.Start(t, stubengine.State{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := stub.WaitForHang(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script"), RequireExplicitExec: true, Setup: func(env *testscript.Env) error {
		stub, err := stubengine.New(filepath.Join(env.WorkDir, "engine"), stubengine.State{})
		if err != nil {
			return err
		}
		env.Defer(stub.Close)
		env.Vars = append(env.Vars, stub.Environment()...)
		return nil
	}})
}
