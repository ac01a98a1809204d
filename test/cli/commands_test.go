// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gardener/kindling/internal/stubapi"
	"github.com/gardener/kindling/pkg/cmd"
	"github.com/gardener/kindling/pkg/engine/stubengine"
)

// image gives the engine an image: image quay.io/calico/node:v3.
func image(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).Change(func(state *stubengine.State) {
		state.Images = append(state.Images, stubengine.Image{ID: "sha256:" + args[0], Names: args})
	}))
}

// reboot takes away what the engine's host forgets when it is started again: addresses and rules. Containers run as before.
func reboot(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).Change(func(state *stubengine.State) {
		state.BootID, state.HostAddresses, state.HostRules = state.BootID+"next", nil, nil
	}))
}

// hostRule adds a rule to those of the engine's host, behind the program's name.
func hostRule(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).Change(func(state *stubengine.State) { state.HostRules = append(state.HostRules, args[0]) }))
}

// host changes what the engine's host has: host FREE-BYTES NO-IPV6-ROUTE. Its kernel has no modules for tunnels, and images
// are made for another architecture, from then on.
func host(ts *testscript.TestScript, _ bool, args []string) {
	free, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).Change(func(state *stubengine.State) {
		state.DiskFree, state.NoRouteIPv6, state.FewModules = free, args[1] == "true", true
		for i := range state.Images {
			state.Images[i].Architecture = "arm64"
		}
	}))
}

// memory changes that of the engine's host: memory BYTES.
func memory(ts *testscript.TestScript, _ bool, args []string) {
	bytes, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).Change(func(state *stubengine.State) { state.Memory = bytes }))
}

// clockAhead sets the clock of the engine's host: clock -1h.
func clockAhead(ts *testscript.TestScript, _ bool, args []string) {
	ahead, err := time.ParseDuration(args[0])
	ts.Check(err)
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).Change(func(state *stubengine.State) { state.ClockAhead = ahead }))
}

// metricsPath is where the API server has the Deployment of metrics-server.
const metricsPath = "/apis/apps/v1/namespaces/kube-system/deployments/metrics-server"

// metricsArgs replaces what metrics-server is started with, by hand: metrics-args --kubelet-insecure-tls.
func metricsArgs(ts *testscript.TestScript, _ bool, args []string) {
	ts.Value(apiKey).(*stubapi.Server).Change(metricsPath, func(object map[string]any) {
		pod := object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
		given := make([]any, len(args))
		for i, arg := range args {
			given[i] = arg
		}
		pod["containers"].([]any)[0].(map[string]any)["args"] = given
	})
}

// metricsForeign takes the mark from the Deployment of metrics-server.
func metricsForeign(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Value(apiKey).(*stubapi.Server).Change(metricsPath, func(object map[string]any) {
		delete(object["metadata"].(map[string]any)["labels"].(map[string]any), "kindling.gardener.cloud/environment")
	})
}

// nodes registers more nodes with the API server: nodes c-worker c-worker2.
func nodes(ts *testscript.TestScript, _ bool, args []string) {
	ts.Value(apiKey).(*stubapi.Server).AddNodes(args...)
}

// created makes a container older: created NAME AGE.
func created(ts *testscript.TestScript, _ bool, args []string) {
	age, err := time.ParseDuration(args[1])
	ts.Check(err)
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).Change(func(state *stubengine.State) {
		for i, container := range state.Containers {
			if container.Name == args[0] {
				state.Containers[i].Created = time.Now().Add(-age)
			}
		}
	}))
}

// jsonLines holds that an output of the last command is one JSON object a line: jsonlines stderr.
func jsonLines(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if text == "" {
		ts.Fatalf("%s is empty", args[0])
	}
	for line := range strings.Lines(text) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			ts.Fatalf("%s has a line that is no JSON object: %q", args[0], line)
		}
	}
}

// interrupt sends Ctrl-C to a program when a call of the engine hangs, and holds that it ends with 130: interrupt kindling up.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	program := exec.Command(path, args[1:]...)
	program.Dir = ts.Getenv("WORK")
	program.Env = scriptEnvironment(ts)
	var stderr strings.Builder
	program.Stderr = &stderr
	ts.Check(program.Start())
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).WaitForHang(context.Background()))
	ts.Check(program.Process.Signal(os.Interrupt))
	err = program.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 130 {
		ts.Fatalf("%v, want exit code 130\n%s", err, stderr.String())
	}
	if !strings.Contains(stderr.String(), "interrupted; run the same command again") {
		ts.Fatalf("does not say how to go on: %s", stderr.String())
	}
}

// condition is for scripts that need more than an ordinary user may: [disks] holds where small disks can be mounted, [lab] where the kernel lets a
// laboratory be built.
func condition(name string) (bool, error) {
	switch name {
	case "disks":
		return canMount()
	case "lab":
		return canHoldLab()
	case "dns":
		return canServeDNS(), nil
	default:
		return false, fmt.Errorf("unknown condition %s", name)
	}
}

// canHoldLab says whether the kernel lets the laboratory be built; any other failure is left to the script.
func canHoldLab() (bool, error) {
	err := exec.Command("kindling", "lab", "shell", "machine", "--", "true").Run()
	exit, ok := errors.AsType[*exec.ExitError](err)
	return !ok || exit.ExitCode() != cmd.ExitHost, nil
}

func canMount() (bool, error) {
	dir, err := os.MkdirTemp("", "disk")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.Remove(dir) }()
	if err := mountTmpfs(dir, "16k"); err != nil {
		return false, nil
	}
	return true, unmount(dir)
}

// disk mounts a disk of a size, or gives the one that is there another size: disk state 32k.
func disk(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	if resizeTmpfs(dir, args[1]) == nil {
		return
	}
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(mountTmpfs(dir, args[1]))
	ts.Defer(func() { _ = unmount(dir) })
}

// readOnly lets nobody write to a disk, not even root: readonly state.
func readOnly(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(protectTmpfs(ts.MkAbs(args[0])))
}

// fullOutput runs a program whose standard output is a disk that is full, and holds that it says so: full kindling plan.
func fullOutput(ts *testscript.TestScript, _ bool, args []string) {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	ts.Check(err)
	defer func() { _ = device.Close() }()
	program := exec.Command(path, args[1:]...)
	program.Dir, program.Env, program.Stdout = ts.Getenv("WORK"), scriptEnvironment(ts), device
	var stderr strings.Builder
	program.Stderr = &stderr
	err = program.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 || !strings.Contains(stderr.String(), "no space left on device") {
		ts.Fatalf("%v, want exit code 1 and words\n%s", err, stderr.String())
	}
}

// publish adds a running container that has a port of the host: publish NAME 127.0.0.1:443.
func publish(ts *testscript.TestScript, _ bool, args []string) {
	host, port, err := net.SplitHostPort(args[1])
	ts.Check(err)
	ts.Check(ts.Value(engineKey).(*stubengine.Stub).Change(func(state *stubengine.State) {
		state.Containers = append(state.Containers, stubengine.Container{
			ID: "published-" + args[0], Name: args[0], Image: "example.com/other", State: "running",
			Ports: []stubengine.Port{{Container: port + "/tcp", HostIP: host, HostPort: port}},
		})
	}))
}
