// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// secondNode is the node of the second environment's cluster.
const secondNode = "e2e-second-control-plane"

// secondOverride is an environment of one node beside that of TestPlain.
func secondOverride(image, name, family string) string {
	return fmt.Sprintf(`apiVersion: kindling.gardener.cloud/v1alpha1
kind: Environment
metadata:
  name: %[2]s
spec:
  clustersOnly: true
  networkPlugin: Plain
  ipFamilies: [%[3]s]
  nodeImage: %[1]s
  clusters: [{name: %[2]s}]
`, image, name, family)
}

// TestTwoEnvironments brings up one environment of IPv4 and one of IPv6 at the same time: they share the container network, nodes of one
// reach those of the other by the internal kubeconfig's name, and down of one leaves the other whole.
func TestTwoEnvironments(t *testing.T) {
	s := newSuite(t)
	first := s.write("first.yaml", secondOverride(s.image, "e2e-first", "IPv4"))
	second := s.write("second.yaml", secondOverride(s.image, "e2e-second", "IPv6"))
	t.Cleanup(func() {
		s.run("down", "-f", first)
		s.run("down", "-f", second)
	})
	results := make([]result, 2)
	var both sync.WaitGroup
	for i, file := range []string{first, second} {
		both.Go(func() { results[i] = s.finish(s.command("up", "-f", file)) })
	}
	both.Wait()
	for _, r := range results {
		s.want(0, r)
	}
	s.sub("each has pods and nodes of its own family", func(s *suite) {
		for node, is4 := range map[string]bool{"e2e-first-control-plane": true, secondNode: false} {
			addresses := s.mustKubectl(node, "get", "pods", "--namespace", "kube-system", "--output", "jsonpath={.items[*].status.podIP}")
			for text := range strings.FieldsSeq(addresses) {
				if address, err := netip.ParseAddr(text); err != nil || address.Is4() != is4 {
					s.t.Errorf("a pod of %s has the address %s", node, text)
				}
			}
		}
	})
	s.sub("nodes of one reach the API server of the other by its internal name", func(s *suite) {
		answer := s.docker("exec", secondNode, "curl", "--silent", "--insecure", "https://e2e-first-control-plane:6443/livez")
		if answer != "ok" {
			s.t.Errorf("the API server answers %q", answer)
		}
	})
	s.sub("down of the second leaves the first whole", func(s *suite) {
		s.want(0, s.run("down", "-f", second))
		s.want(0, s.run("status", "-f", first))
		s.want(0, s.run("down", "-f", first))
		if networks := s.docker("network", "ls", "--quiet", "--filter", "name=^kind$"); networks != "" {
			s.t.Errorf("the network is left: %s", networks)
		}
	})
}
