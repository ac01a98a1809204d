// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	faultsCluster = "e2e-faults"
	faultsNode    = faultsCluster + "-control-plane"
	faultsWorker  = faultsCluster + "-worker"
)

func faultsFile(image string) string {
	return fmt.Sprintf(`apiVersion: kindling.gardener.cloud/v1alpha1
kind: Environment
metadata:
  name: e2e-faults
spec:
  clustersOnly: true
  networkPlugin: Plain
  nodeImage: %s
  metricsServer: {enabled: false}
  clusters:
  - name: %s
    nodes: [{role: control-plane}, {role: worker}]
`, image, faultsCluster)
}

// TestFaults does to an environment what happens to those of contributors: docs/faults.md has the list.
func TestFaults(t *testing.T) {
	s := newSuite(t)
	file := s.write("faults.yaml", faultsFile(s.image))
	t.Cleanup(func() { s.run("down", "-f", file) })

	s.sub("SIGINT twice ends at once, and up goes on", func(s *suite) {
		code, _ := s.interrupt("cluster/"+faultsCluster, []string{"up", "-f", file}, syscall.SIGINT, syscall.SIGINT)
		if code != 130 && code != -1 {
			s.t.Errorf("exit code %d, want 130, or the signal itself", code)
		}
	})
	s.sub("killed at each step, up goes on", func(s *suite) { s.upKilledAtEachStep("-f", file) })
	s.sub("an API server that does not answer for a minute", func(s *suite) { checkFrozen(s, file) })
	s.sub("a node that is killed", func(s *suite) {
		s.docker("kill", faultsWorker)
		if r := s.want(3, s.run("status", "-f", file)); !strings.Contains(r.stdout, faultsWorker) {
			s.t.Errorf("status does not name it:\n%s", r.stdout)
		}
		s.want(0, s.run("up", "-f", file))
		s.want(0, s.run("status", "-f", file))
	})
	s.sub("two up and one down at once", func(s *suite) { checkAtOnce(s, file) })
}

// checkFrozen drops what comes to the API server for a minute, which is longer than any request may take: status says so in time, and up
// waits.
func checkFrozen(s *suite, file string) {
	s.t.Helper()
	drop := func(action string) {
		s.docker("exec", faultsNode, "iptables", action, "INPUT", "-i", "eth0", "-p", "tcp", "--dport", "6443", "-j", "DROP")
	}
	drop("-I")
	began := time.Now()
	// Whether it is the cluster's step that runs out of time, or the next question, is the machine's to say.
	if r := s.want(5, s.run("status", "-f", file, "--timeout", "10s")); !strings.Contains(r.stdout, "needs cluster/"+faultsCluster) || !strings.Contains(r.stderr, "time is up") {
		s.t.Errorf("status says:\n%s\n%s", r.stdout, r.stderr)
	}
	ended := make(chan result, 1)
	go func() { ended <- s.finish(s.command("up", "-f", file)) }()
	select {
	case r := <-ended:
		s.t.Errorf("up ended with %d before the API server was back:\n%s", r.code, r.stderr)
		ended <- r
	case <-time.After(time.Minute - time.Since(began)):
	}
	drop("-D")
	s.want(0, <-ended)
	s.want(0, s.run("status", "-f", file))
}

// checkAtOnce starts three commands that can't work at once: those that come late say who is at work, and in the end all
// or nothing is there.
func checkAtOnce(s *suite, file string) {
	s.t.Helper()
	commands := []string{"up", "down", "up"}
	results := make([]result, len(commands))
	var all sync.WaitGroup
	for i, command := range commands {
		all.Go(func() { results[i] = s.finish(s.command(command, "-f", file)) })
	}
	all.Wait()
	worked := 0
	for i, r := range results {
		switch {
		case r.code == 0:
			worked++
		case r.code != 1 || !strings.Contains(r.stderr, "another kindling is at work"):
			s.t.Errorf("%s: exit code %d\n%s", commands[i], r.code, r.stderr)
		}
	}
	if worked == 0 {
		s.t.Error("none of them worked")
	}
	left := s.docker("ps", "--all", "--quiet", "--filter", "label=io.x-k8s.kind.cluster="+faultsCluster)
	switch r := s.run("status", "-f", file); {
	case r.code == 0:
	case r.code == 3 && left == "":
	default:
		s.t.Errorf("status says, with containers %q:\n%s\n%s", left, r.stdout, r.stderr)
	}
	s.want(0, s.run("down", "-f", file))
	if left := s.docker("ps", "--all", "--quiet", "--filter", "label=io.x-k8s.kind.cluster="+faultsCluster); left != "" {
		s.t.Errorf("containers are left: %s", left)
	}
	if _, err := os.Stat(filepath.Join(s.home, "state", "kindling")); !os.IsNotExist(err) {
		s.t.Errorf("files are left: %v", err)
	}
}
