// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package cli runs kindling as people do, with scripts, against an engine and an API server that are stand-ins.
package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gardener/kindling/internal/stubapi"
	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/engine/stubengine"
)

type key int

const (
	engineKey key = iota
	apiKey
	registryKey
	dnsKey
	watchedKey
)

// TestScripts runs testdata/*.txtar. A script has an engine with the image example.com/node:v1.37.0, an API server with one node,
// and calico.yaml, a file of the shape of Calico's manifest.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata", Condition: condition,
		Setup: func(env *testscript.Env) error {
			api := stubapi.Start("c-control-plane")
			env.Defer(api.Close)
			registry := startRegistry()
			env.Defer(registry.Close)
			stub, err := stubengine.New(filepath.Join(env.WorkDir, "engine"), stubengine.State{
				Published: registry.Listener.Addr().String(),
				Images:    []stubengine.Image{{ID: "sha256:0", Names: []string{"example.com/node:v1.37.0"}}},
				Labels:    map[string]string{"desktop.docker.io/ports/6443/tcp": api.Address()},
				Answers: []stubengine.Answer{
					{Call: "exec cat /etc/kubernetes/admin.conf", Stdout: api.Kubeconfig()},
					{Call: "exec ip link add", Exit: 2, Stderr: "Error: Unknown device type.\n"},
				},
			})
			if err != nil {
				return err
			}
			env.Defer(stub.Close)
			kindling, err := exec.LookPath("kindling")
			if err != nil {
				return err
			}
			env.Setenv("BIN", filepath.Dir(kindling))
			here := &dnsHere{}
			env.Defer(here.stop)
			env.Values[engineKey], env.Values[apiKey], env.Values[registryKey], env.Values[dnsKey], env.Values[watchedKey] = stub, api, registry, here, &watched{}
			env.Vars = append(env.Vars, stub.Environment()...)
			env.Vars = append(env.Vars, "HOME="+filepath.Join(env.WorkDir, "home"), "XDG_STATE_HOME="+filepath.Join(env.WorkDir, "state"),
				"XDG_CACHE_HOME="+filepath.Join(env.WorkDir, "cache"), "KUBECONFIG="+filepath.Join(env.WorkDir, "user-kubeconfig"))
			manifest := testutil.ReadFile(t, filepath.Join(testutil.Root(t), "pkg", "calico", "testdata", "manifest.yaml"))
			return os.WriteFile(filepath.Join(env.WorkDir, "calico.yaml"), manifest, 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": exitCode, "answer": answer, "calls": calls, "pool": pool, "missing-image": missingImage, "wait-for-hang": waitForHang, "unmark": unmark,
			"image": image, "jsonlines": jsonLines, "interrupt": interrupt, "start": start, "expect": expect, "end": end, "disk": disk, "full": fullOutput, "readonly": readOnly, "created": created, "nodes": nodes, "otherpool": otherPool, "taint": taint, "publish": publish,
			"reboot": reboot, "hostrule": hostRule, "host": host, "memory": memory, "clock": clockAhead, "metrics-args": metricsArgs, "metrics-foreign": metricsForeign,
			"registry-health": registryHealth, "published": published,
			"coredns": coreDNS, "corefile": corefile, "engine-here": engineHere, "serve-dns": serveDNS,
			"put": put, "object": object, "api-kubeconfig": apiKubeconfig, "silent-kubeconfig": silentKubeconfig,
		},
	})
}

// exitCode runs a program that must end with a code: exit 2 kindling plan nonsense.
func exitCode(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// answer makes the engine answer a call in another way: answer 'network create' EXIT STDERR, or answer CALL hang. Without more than
// the call the answers for it are taken away; with the word once behind it is given once.
func answer(ts *testscript.TestScript, _ bool, args []string) {
	given := stubengine.Answer{Call: args[0]}
	if len(args) == 2 {
		given.Hang = args[1] == "hang"
	}
	if len(args) == 4 && args[3] == "once" {
		given.Times, args = 1, args[:3]
	}
	if len(args) == 3 {
		code, err := strconv.Atoi(args[1])
		ts.Check(err)
		given.Exit = code
		if code == 0 {
			given.Stdout = args[2] + "\n"
		} else {
			given.Stderr = args[2] + "\n"
		}
	}
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).Change(func(state *stubengine.State) {
		var kept []stubengine.Answer
		for _, other := range state.Answers {
			if other.Call != given.Call {
				kept = append(kept, other)
			}
		}
		state.Answers = kept
		if len(args) > 1 {
			state.Answers = append([]stubengine.Answer{given}, kept...)
		}
	}))
}

// calls holds that the engine's program was called at most so many times since the last time: calls 20.
func calls(ts *testscript.TestScript, _ bool, args []string) {
	most, err := strconv.Atoi(args[0])
	ts.Check(err)
	path := ts.MkAbs("engine/calls.jsonl")
	data, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.Truncate(path, 0))
	if made := strings.Count(string(data), "\n"); made > most {
		ts.Fatalf("%d calls, want at most %d:\n%s", made, most, data)
	}
}

// pool changes a field of the machine pool by hand: pool natOutgoing false.
func pool(ts *testscript.TestScript, _ bool, args []string) {
	var value any = args[1]
	if parsed, err := strconv.ParseBool(args[1]); err == nil {
		value = parsed
	}
	ts.Value(apiKey).(*stubapi.Server).Change("/apis/crd.projectcalico.org/v1/ippools/machine-pods-ipv4", func(object map[string]any) {
		object["spec"].(map[string]any)[args[0]] = value
	})
}

// taint gives a node the taint of control planes: taint c-control-plane.
func taint(ts *testscript.TestScript, _ bool, args []string) {
	ts.Value(apiKey).(*stubapi.Server).Change("/api/v1/nodes/"+args[0], func(object map[string]any) {
		object["spec"] = map[string]any{"taints": []any{map[string]any{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}}}
	})
}

// otherPool makes a pool as provider-local does: otherpool NAME CIDR.
func otherPool(ts *testscript.TestScript, _ bool, args []string) {
	ts.Value(apiKey).(*stubapi.Server).Put("/apis/crd.projectcalico.org/v1/ippools/"+args[0], map[string]any{
		"apiVersion": "crd.projectcalico.org/v1", "kind": "IPPool",
		"metadata": map[string]any{"name": args[0]}, "spec": map[string]any{"cidr": args[1]},
	})
}

// missingImage makes Calico's pods wait for an image that can't be pulled.
func missingImage(ts *testscript.TestScript, _ bool, args []string) {
	ts.Value(apiKey).(*stubapi.Server).SetMissingImage(args[0])
}

// unmark takes away the mark by which kindling knows a cluster.
func unmark(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Value(apiKey).(*stubapi.Server).Remove("/api/v1/namespaces/kube-system/configmaps/kindling")
}

// waitForHang waits until a call hangs.
func waitForHang(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).WaitForHang(context.Background()))
}
