// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package e2e runs kindling against a real engine, kind and API server. It needs the node image of hack/nodeimage in the engine, or
// one that $KINDLING_E2E_NODE_IMAGE names. Calico's images can't be had everywhere: what needs them is skipped by name.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/steps"
)

const defaultNodeImage = "localhost/kindling/node:v1.37.2"

func TestMain(m *testing.M) {
	m.Run()
	_ = os.RemoveAll(sharedCache())
}

// sharedCache is the cache folder of tests that run at once.
func sharedCache() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("kindling-e2e-%d", os.Getpid()))
}

// suite is a built kindling with a home of its own.
type suite struct {
	t      *testing.T
	binary string
	home   string
	// cacheHome has the lock of the container network.
	cacheHome string
	image     string
}

// newParallelSuite is for tests that need no more of what environments share than the container network. They run at once, after all
// others, with one lock for the network: they wait more than they do.
func newParallelSuite(t *testing.T) *suite {
	t.Helper()
	s := newSuite(t)
	s.cacheHome = sharedCache()
	if err := os.MkdirAll(s.cacheHome, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Parallel()
	return s
}

// newSuite skips the test where there is no engine or no node image, unless $KINDLING_E2E=required.
func newSuite(t *testing.T) *suite {
	t.Helper()
	s := &suite{t: t, home: t.TempDir(), image: os.Getenv("KINDLING_E2E_NODE_IMAGE")}
	s.cacheHome = filepath.Join(s.home, "cache")
	if s.image == "" {
		s.image = defaultNodeImage
	}
	skip := t.Skipf
	if os.Getenv("KINDLING_E2E") == "required" {
		skip = t.Fatalf
	}
	if err := exec.Command("docker", "info").Run(); err != nil {
		skip("skipped: no container engine answers (go run ./hack/engine start)")
	}
	if err := exec.Command("docker", "image", "inspect", s.image).Run(); err != nil {
		skip("skipped: the engine has no node image %s (see hack/nodeimage)", s.image)
	}
	s.binary = filepath.Join(t.TempDir(), "kindling")
	build := exec.Command("go", "build", "-o", s.binary, "./cmd/kindling")
	build.Dir = testutil.Root(t)
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building kindling: %v\n%s", err, output)
	}
	return s
}

// sub runs a part of a test under its own name.
func (s *suite) sub(name string, do func(*suite)) {
	s.t.Helper()
	s.t.Run(name, func(t *testing.T) {
		part := *s
		part.t = t
		do(&part)
	})
}

// result is what a run of kindling left.
type result struct {
	code   int
	stdout string
	stderr string
}

func (s *suite) command(args ...string) *exec.Cmd {
	command := exec.Command(s.binary, args...)
	command.Env = append(os.Environ(), "HOME="+s.home, "XDG_STATE_HOME="+filepath.Join(s.home, "state"), "XDG_CACHE_HOME="+s.cacheHome,
		"KUBECONFIG="+filepath.Join(s.home, "user-kubeconfig"))
	return command
}

func (s *suite) run(args ...string) result {
	s.t.Helper()
	return s.finish(s.command(args...))
}

func (s *suite) finish(command *exec.Cmd) result {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	start := time.Now()
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	r := result{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	s.t.Logf("kindling %s: exit code %d after %.1fs", strings.Join(command.Args[1:], " "), r.code, time.Since(start).Seconds())
	return r
}

// want fails the test unless the run ended with an exit code.
func (s *suite) want(code int, r result) result {
	s.t.Helper()
	if r.code != code {
		s.t.Fatalf("exit code %d, want %d\n%s\n%s", r.code, code, r.stdout, r.stderr)
	}
	return r
}

// interrupt runs kindling, sends it signals when a step has started, and returns the exit code; started is false when there was nothing to
// do for the step.
func (s *suite) interrupt(step string, args []string, signals ...syscall.Signal) (code int, started bool) {
	s.t.Helper()
	code = s.onSteps(args, func(kindling *os.Process, begun string) {
		if started || begun != step {
			return
		}
		started = true
		for _, signal := range signals {
			s.signal(kindling, signal)
		}
	})
	return code, started
}

// signal does nothing to a process that is gone.
func (s *suite) signal(process *os.Process, signal syscall.Signal) {
	s.t.Helper()
	if err := process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Fatal(err)
	}
}

// onSteps runs kindling, calls do with each step that starts, and returns the exit code: -1 when kindling was killed.
func (s *suite) onSteps(args []string, do func(kindling *os.Process, step string)) int {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Minute)
	defer cancel()
	command := s.command(append(slices.Clone(args), "--progress", "json")...)
	pipe, err := command.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		s.t.Fatal(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = command.Process.Kill() })
	defer stop()
	decoder := json.NewDecoder(skipNotes(pipe))
	for {
		var event struct {
			Event steps.Kind `json:"event"`
			Step  string     `json:"step"`
		}
		if err := decoder.Decode(&event); err != nil {
			break
		}
		if event.Event == steps.Started {
			do(command.Process, event.Step)
		}
	}
	_ = command.Wait()
	return command.ProcessState.ExitCode()
}

// upKilledAt brings an environment up after runs that were killed when they began a step: those that TestFaults does not have.
func (s *suite) upKilledAt(args []string, at ...string) {
	s.t.Helper()
	up := append([]string{"up"}, args...)
	for _, step := range at {
		if code, started := s.interrupt(step, up, syscall.SIGKILL); !started || code != -1 {
			s.t.Errorf("killed at %s: started %t, exit code %d", step, started, code)
		}
	}
	s.want(0, s.run(up...))
	s.want(0, s.run(append([]string{"status"}, args...)...))
}

// upKilledAtEachStep brings an environment up by runs that are killed when they begin a step for the first time. What the last one leaves
// has to be what a single run makes.
func (s *suite) upKilledAtEachStep(args ...string) {
	s.t.Helper()
	up := append([]string{"up"}, args...)
	var begun []string
	for {
		killed := false
		code := s.onSteps(up, func(kindling *os.Process, step string) {
			if killed || slices.Contains(begun, step) {
				return
			}
			killed, begun = true, append(begun, step)
			s.signal(kindling, syscall.SIGKILL)
		})
		if !killed {
			s.t.Logf("killed at %s", strings.Join(begun, ", "))
			s.want(0, result{code: code})
			break
		}
	}
	s.want(0, s.run(append([]string{"status"}, args...)...))
}

// states returns the state of each step as status finds it.
func (s *suite) states(args ...string) map[string]steps.Observation {
	s.t.Helper()
	r := s.run(append([]string{"status", "-o", "json"}, args...)...)
	var status struct{ Steps []steps.Result }
	if err := json.Unmarshal([]byte(r.stdout), &status); err != nil {
		s.t.Fatalf("status printed no JSON: %v\n%s\n%s", err, r.stdout, r.stderr)
	}
	states := map[string]steps.Observation{}
	for _, result := range status.Steps {
		states[result.Step] = result.Observation
	}
	return states
}

// write writes an environment file.
func (s *suite) write(name, content string) string {
	s.t.Helper()
	path := filepath.Join(s.home, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// docker runs the engine's CLI and returns what it printed.
func (s *suite) docker(args ...string) string {
	s.t.Helper()
	output, err := exec.Command("docker", args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output))
}

// kubectl runs kubectl in a node.
func (s *suite) kubectl(node string, args ...string) (string, error) {
	s.t.Helper()
	output, err := exec.Command("docker", append([]string{"exec", "-i", node, "kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf"}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(output)), err
}

func (s *suite) mustKubectl(node string, args ...string) string {
	s.t.Helper()
	output, err := s.kubectl(node, args...)
	if err != nil {
		s.t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return output
}

// apply applies an object given as JSON or YAML.
func (s *suite) apply(node, object string) {
	s.t.Helper()
	command := exec.Command("docker", "exec", "-i", node, "kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf", "apply", "-f", "-")
	command.Stdin = strings.NewReader(object)
	if output, err := command.CombinedOutput(); err != nil {
		s.t.Fatalf("kubectl apply: %v\n%s", err, output)
	}
}
