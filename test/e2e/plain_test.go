// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gardener/kindling/pkg/steps"
)

// plainOverride is laid over the profile ha-single-zone: the node image at hand, and the network plugin that needs no images.
func plainOverride(image, more string) string {
	return fmt.Sprintf(`apiVersion: kindling.gardener.cloud/v1alpha1
kind: Environment
metadata:
  name: e2e-plain
spec:
  clustersOnly: true
  networkPlugin: Plain
  nodeImage: %s
%s`, image, more)
}

// The cluster of the profile and its first nodes.
const (
	plainCluster = "gardener-local-ha-single-zone"
	plainNode    = plainCluster + "-control-plane"
	plainWorker  = plainCluster + "-worker"
)

// TestPlain goes through the life of an environment with three nodes: interrupted at each step, brought up, repeated, changed,
// broken and repaired, taken down.
func TestPlain(t *testing.T) {
	s := newSuite(t)
	file := s.write("plain.yaml", plainOverride(s.image, ""))
	t.Cleanup(func() { s.run("down", "ha-single-zone", "-f", file) })

	// Ctrl-C at steps that take time; up goes on each time. The cluster may have become ready meanwhile.
	for _, step := range []string{"plain/", "ready/"} {
		code, started := s.interrupt(step+plainCluster, []string{"up", "ha-single-zone", "-f", file}, syscall.SIGINT)
		if started && code != 130 || !started && step == "plain/" {
			t.Errorf("interrupted at %s: started %t, exit code %d, want 130", step, started, code)
		}
	}
	s.want(0, s.run("up", "ha-single-zone", "-f", file, "--merge"))
	checkNodes(s)
	checkFiles(s)

	s.sub("up again changes nothing", func(s *suite) {
		r := s.want(0, s.run("up", "ha-single-zone", "-f", file, "--merge", "-o", "json"))
		if strings.Contains(r.stdout, `"applied"`) {
			s.t.Errorf("something was done again:\n%s", r.stdout)
		}
		s.want(0, s.run("status", "ha-single-zone", "-f", file))
		s.want(0, s.run("up", "ha-single-zone", "-f", file, "--dry-run"))
	})
	s.sub("pods reach each other across nodes", checkPods)
	s.sub("trace reads the routes of running pods", checkTrace)
	s.sub("logs have what each node told, and no credential", func(s *suite) { checkLogs(s, file) })
	s.sub("a route that was lost is seen and repaired", func(s *suite) {
		route := strings.Fields(s.docker("exec", plainWorker, "ip", "route", "show", "10.1.0.0/24"))
		if len(route) == 0 {
			s.t.Fatal("there is no route to the first node's pods")
		}
		s.docker("exec", plainWorker, "ip", "route", "delete", "10.1.0.0/24")
		if state := s.states("ha-single-zone", "-f", file)["plain/"+plainCluster]; state.State != steps.Differs {
			s.t.Errorf("status says %v", state)
		}
		s.want(0, s.run("up", "ha-single-zone", "-f", file))
		s.want(0, s.run("status", "ha-single-zone", "-f", file))
	})
	s.sub("a stopped node is started", func(s *suite) {
		s.docker("stop", plainWorker+"2")
		s.want(3, s.run("status", "ha-single-zone", "-f", file))
		s.want(0, s.run("up", "ha-single-zone", "-f", file))
	})
	s.sub("stopped and started beside a container that took an address", func(s *suite) { checkStopAndStart(s, file) })
	s.sub("a changed shoot is applied, a changed node is named", func(s *suite) {
		changed := s.write("changed.yaml", plainOverride(s.image, "  shoots: [{name: local, failureTolerance: none}]\n"))
		r := s.want(3, s.run("up", "ha-single-zone", "-f", changed, "--dry-run"))
		if !strings.Contains(r.stdout, "files") {
			s.t.Errorf("the dry run does not name the files:\n%s", r.stdout)
		}
		labelled := s.write("labelled.yaml", plainOverride(s.image, "  clusters: [{name: "+plainCluster+", nodes: [{role: control-plane, zone: \"7\"}, {role: worker}, {role: worker}]}]\n"))
		r = s.want(3, s.run("up", "ha-single-zone", "-f", labelled, "--dry-run"))
		if want := "needs --recreate=cluster/" + plainCluster; !strings.Contains(r.stdout, want) || !strings.Contains(r.stdout, "topology.kubernetes.io/zone") {
			s.t.Errorf("the dry run does not say %q and the field:\n%s", want, r.stdout)
		}
		if r := s.want(1, s.run("up", "ha-single-zone", "-f", labelled)); !strings.Contains(r.stderr, "can't be changed in place") {
			s.t.Errorf("up says:\n%s", r.stderr)
		}
	})
	s.sub("down leaves nothing", func(s *suite) {
		s.want(0, s.run("down", "ha-single-zone", "-f", file))
		checkNothingLeft(s)
	})
}

func checkNodes(s *suite) {
	s.t.Helper()
	nodes := s.mustKubectl(plainNode, "get", "nodes", "--no-headers",
		"--output", "custom-columns=ENV:.metadata.labels.kindling\\.gardener\\.cloud/environment,READY:.status.conditions[?(@.type=='Ready')].status")
	if strings.Count(nodes, "e2e-plain") != 3 || strings.Count(nodes, "True") != 3 {
		s.t.Errorf("nodes:\n%s", nodes)
	}
	if taints := s.mustKubectl(plainNode, "get", "nodes", "--output", "jsonpath={.items[*].spec.taints[*].key}"); strings.Contains(taints, "control-plane") {
		s.t.Errorf("nodes are tainted: %s", taints)
	}
	if volumes := s.mustKubectl(plainNode, "get", "storageclass", "standard", "--output", "jsonpath={.metadata.annotations.defaultVolumeType}"); volumes != "local" {
		s.t.Errorf("volumes of the storage class standard are of the type %q, want local", volumes)
	}
	if capacity := s.mustKubectl(plainNode, "patch", "node", plainWorker, "--subresource=status", "--type", "merge", "--patch", `{"status":{"capacity":{"cpu":"2"}}}`,
		"--dry-run=server", "--output", "jsonpath={.status.capacity.cpu} {.status.allocatable.memory}"); capacity != "100 100Gi" {
		s.t.Errorf("a node that reports its capacity has %q then, want 100 100Gi", capacity)
	}
	for limit, least := range map[string]int{"fs.inotify.max_user_instances": 8192, "fs.inotify.max_user_watches": 524288} {
		if have, err := strconv.Atoi(strings.TrimSpace(s.docker("exec", plainNode, "sysctl", "--values", limit))); err != nil || have < least {
			s.t.Errorf("%s is %d, want at least %d: %v", limit, have, least, err)
		}
	}
}

func checkFiles(s *suite) {
	s.t.Helper()
	dir := filepath.Join(s.home, "state", "kindling", "e2e-plain")
	info, err := os.Stat(filepath.Join(dir, "kubeconfig"))
	if err != nil || info.Mode().Perm() != 0o600 {
		s.t.Errorf("kubeconfig: %v, %v", info, err)
	}
	for _, name := range []string{"seed.yaml", "shoot.yaml", "kind-" + plainCluster + ".yaml"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			s.t.Error(err)
		}
	}
	s.want(0, s.run("validate", filepath.Join(dir, "seed.yaml"), filepath.Join(dir, "shoot.yaml"), filepath.Join(dir, "kind-"+plainCluster+".yaml")))
	merged, err := os.ReadFile(filepath.Join(s.home, "user-kubeconfig"))
	if err != nil || !strings.Contains(string(merged), "current-context: kind-"+plainCluster) {
		s.t.Errorf("not merged: %v\n%s", err, merged)
	}
}

// checkPods runs a server on one node and asks it from another.
func checkPods(s *suite) {
	s.t.Helper()
	const node = plainNode
	pod := func(name, host string, command ...string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q},"spec":{"nodeName":%q,"terminationGracePeriodSeconds":0,
			"containers":[{"name":"c","image":"localhost/kindling/nettools:1","imagePullPolicy":"Never","command":["%s"]}]}}`, name, host, strings.Join(command, `","`))
	}
	s.apply(node, pod("server", plainWorker, "nc", "-l", "-k", "-p", "8080"))
	s.apply(node, pod("client", plainWorker+"2", "sleep", "3600"))
	if output, err := s.kubectl(node, "wait", "--for=condition=Ready", "--timeout=90s", "pod/server", "pod/client"); err != nil {
		if images := s.docker("exec", node, "crictl", "images"); !strings.Contains(images, "kindling/nettools") {
			s.t.Skip("skipped: the node image holds no localhost/kindling/nettools:1")
		}
		s.t.Fatalf("%v: %s", err, output)
	}
	address := s.mustKubectl(node, "get", "pod", "server", "--output", "jsonpath={.status.podIP}")
	if !strings.HasPrefix(address, "10.1.") {
		s.t.Errorf("the pod has the address %s, want one of seed pods 10.1.0.0/16", address)
	}
	s.mustKubectl(node, "exec", "client", "--", "nc", "-z", "-w", "5", address, "8080")
	s.mustKubectl(node, "delete", "pod", "server", "client", "--wait=false")
}

// checkTrace makes what a control plane has to do with the VPN, without one: the way to the machine is direct.
func checkTrace(s *suite) {
	s.t.Helper()
	const namespace = "shoot--local--local"
	// On two nodes: to a pod of its own node a pod of this network plugin has another route than the default one.
	pod := func(name, app, container, node string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":%q,"labels":{"app":%q}},"spec":{"nodeName":%q,"terminationGracePeriodSeconds":0,
			"containers":[{"name":%q,"image":"localhost/kindling/nettools:1","imagePullPolicy":"Never","command":["sleep","3600"]}]}}`, name, namespace, app, node, container)
	}
	kubeconfig := filepath.Join(s.home, "state", "kindling", "e2e-plain", "kubeconfig")
	if r := s.want(1, s.run("trace", "--kubeconfig", kubeconfig, "--namespace", namespace)); !strings.Contains(r.stderr, "no running pod vpn-seed-server") {
		s.t.Errorf("without pods trace says:\n%s", r.stderr)
	}
	s.apply(plainNode, fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, namespace))
	s.apply(plainNode, pod("vpn-seed-server-0", "vpn-seed-server", "vpn-seed-server", plainWorker))
	s.apply(plainNode, pod("machine-0", "machine", "node", plainWorker+"2"))
	if output, err := s.kubectl(plainNode, "wait", "--namespace", namespace, "--for=condition=Ready", "--timeout=90s", "pod/vpn-seed-server-0", "pod/machine-0"); err != nil {
		if images := s.docker("exec", plainNode, "crictl", "images"); !strings.Contains(images, "kindling/nettools") {
			s.t.Skip("skipped: the node image holds no localhost/kindling/nettools:1")
		}
		s.t.Fatalf("%v: %s", err, output)
	}
	address := s.mustKubectl(plainNode, "get", "pod", "machine-0", "--namespace", namespace, "--output", "jsonpath={.status.podIP}")
	r := s.want(0, s.run("trace", "--kubeconfig", kubeconfig, "--namespace", namespace))
	for _, want := range []string{"default via 10.1.", address, "is reached DIRECTLY, past the VPN"} {
		if !strings.Contains(r.stdout, want) {
			s.t.Errorf("trace does not say %q:\n%s", want, r.stdout)
		}
	}
	s.mustKubectl(plainNode, "delete", "namespace", namespace, "--wait=false")
}

func checkNothingLeft(s *suite) {
	s.t.Helper()
	if containers := s.docker("ps", "--all", "--quiet", "--filter", "label=io.x-k8s.kind.cluster="+plainCluster); containers != "" {
		s.t.Errorf("containers are left: %s", containers)
	}
	if networks := s.docker("network", "ls", "--quiet", "--filter", "name=^kind$"); networks != "" {
		s.t.Errorf("the network is left: %s", networks)
	}
	if _, err := os.Stat(filepath.Join(s.home, "state", "kindling")); !os.IsNotExist(err) {
		entries, _ := os.ReadDir(filepath.Join(s.home, "state", "kindling", "e2e-plain"))
		s.t.Errorf("the folder is left with %v", entries)
	}
	merged, err := os.ReadFile(filepath.Join(s.home, "user-kubeconfig"))
	if err != nil || strings.Contains(string(merged), plainCluster) {
		s.t.Errorf("the user's kubeconfig still has entries: %v\n%s", err, merged)
	}
}
