// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/kube"
)

// TestEngineKilled kills the engine while a cluster is made, and while one runs. It is for an engine of hack/engine alone: those of others
// have other containers, too.
func TestEngineKilled(t *testing.T) {
	s := newSuite(t)
	if output, err := runEngine(t, "status"); err != nil || !strings.Contains(output, "started from here") {
		t.Skip("skipped: the engine was not started by hack/engine, so that killing it is not the test's to do")
	}
	file := s.write("killed.yaml", strings.ReplaceAll(faultsFile(s.image), faultsCluster, "e2e-killed"))
	t.Cleanup(func() {
		_, _ = runEngine(t, "start")
		s.run("down", "-f", file)
	})

	s.sub("while a cluster is made", func(s *suite) {
		code := s.onSteps([]string{"up", "-f", file}, func(_ *os.Process, step string) {
			if step != "cluster/e2e-killed" {
				return
			}
			if err := kube.Wait(t.Context(), []kube.Condition{nodeRuns("e2e-killed-control-plane")}, func([]kube.Pending) {}); err != nil {
				t.Error(err)
			}
			s.hackEngine("crash")
		})
		if code <= 0 || code == 130 {
			s.t.Errorf("exit code %d, want a failure", code)
		}
		s.want(4, s.run("status", "-f", file))
		s.hackEngine("start")
		s.want(0, s.run("up", "-f", file))
		s.want(0, s.run("status", "-f", file))
	})
	s.sub("while one runs", func(s *suite) {
		s.hackEngine("crash")
		if r := s.want(4, s.run("up", "-f", file)); !strings.Contains(r.stderr, "Cannot connect to the Docker daemon") {
			s.t.Errorf("up says:\n%s", r.stderr)
		}
		s.hackEngine("start")
		s.want(0, s.run("up", "-f", file))
		s.want(0, s.run("status", "-f", file))
	})
}

// runEngine runs the program that started the engine.
func runEngine(t *testing.T, action string) (string, error) {
	t.Helper()
	command := exec.Command("go", "run", "./hack/engine", action)
	command.Dir = testutil.Root(t)
	output, err := command.CombinedOutput()
	return string(output), err
}

func (s *suite) hackEngine(action string) {
	s.t.Helper()
	if output, err := runEngine(s.t, action); err != nil {
		s.t.Fatalf("engine %s: %v\n%s", action, err, output)
	}
}

// nodeRuns holds when the engine has made the node: then it is killed in the middle of what kind does.
func nodeRuns(node string) kube.Condition {
	return kube.Condition{Name: "node", Check: func(ctx context.Context) ([]kube.Pending, error) {
		output, err := exec.CommandContext(ctx, "docker", "ps", "--quiet", "--filter", "name=^"+node+"$").Output()
		if err == nil && len(output) == 0 {
			return []kube.Pending{{Object: node, Reason: "is not made yet"}}, nil
		}
		return nil, err
	}}
}
