// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"strings"
	"testing"
)

// TestStopOfNothing says that there is nothing to stop and nothing to start.
func TestStopOfNothing(t *testing.T) {
	s := newSuite(t)
	file := s.write("plain.yaml", plainOverride(s.image, ""))
	s.want(0, s.run("stop", "ha-single-zone", "-f", file))
	if r := s.want(1, s.run("start", "ha-single-zone", "-f", file)); !strings.Contains(r.stderr, "Start makes no cluster") {
		t.Errorf("start says:\n%s", r.stderr)
	}
}

// checkStopAndStart looks whether nodes get the addresses back that their certificates name, and pods are the ones of before.
func checkStopAndStart(s *suite, file string) {
	s.t.Helper()
	const thief = "e2e-plain-thief"
	pods := func() string {
		return s.mustKubectl(plainNode, "get", "pods", "--namespace", "kube-system", "--selector", "k8s-app in (kube-dns,kube-proxy)",
			"--output", "custom-columns=NAME:.metadata.name,UID:.metadata.uid,READY:.status.conditions[?(@.type=='Ready')].status")
	}
	addresses := func() string {
		return s.docker("inspect", "--format", "{{.Name}} {{with index .NetworkSettings.Networks \"kind\"}}{{.IPAddress}} {{.GlobalIPv6Address}}{{end}}",
			plainNode, plainWorker, plainWorker+"2")
	}
	podsBefore, before := pods(), addresses()
	s.want(0, s.run("stop", "ha-single-zone", "-f", file))
	if running := s.docker("ps", "--quiet", "--filter", "label=io.x-k8s.kind.cluster="+plainCluster); running != "" {
		s.t.Errorf("nodes still run: %s", running)
	}
	s.docker("run", "--detach", "--name", thief, "--network", "kind", "--entrypoint", "sleep", s.image, "600")
	s.t.Cleanup(func() { s.docker("rm", "--force", thief) })
	if r := s.want(0, s.run("start", "ha-single-zone", "-f", file)); !strings.Contains(r.stderr, "which container "+thief+" has now") {
		s.t.Errorf("start does not say who has the address:\n%s", r.stderr)
	}
	checkNodes(s)
	s.want(0, s.run("status", "ha-single-zone", "-f", file))

	s.want(0, s.run("stop", "ha-single-zone", "-f", file))
	s.docker("rm", "--force", thief)
	s.want(0, s.run("start", "ha-single-zone", "-f", file))
	checkNodes(s)
	s.want(0, s.run("status", "ha-single-zone", "-f", file))
	if after := addresses(); after != before {
		s.t.Errorf("addresses before:\n%s\nafter:\n%s", before, after)
	}
	if after := pods(); after != podsBefore {
		s.t.Errorf("pods before:\n%s\nafter:\n%s", podsBefore, after)
	}
}
