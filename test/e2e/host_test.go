// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/enginehost"
	"github.com/gardener/kindling/pkg/masquerade"
	"github.com/gardener/kindling/pkg/steps"
)

// hostFile is an environment with what stands on the engine's host, but for containers that need images of their own.
const hostFile = `apiVersion: kindling.gardener.cloud/v1alpha1
kind: Environment
metadata:
  name: e2e-host
spec:
  networkPlugin: Plain
  nodeImage: %s
  ipFamilies: [IPv4, IPv6]
  registry: {enabled: false}
  dns: {enabled: false}
`

const hostNode = "gardener-local-control-plane"

// TestHost holds what is made on the engine's host to the life of an environment: once, again, after it was lost, and gone at the end.
func TestHost(t *testing.T) {
	s := newSuite(t)
	facts := s.facts()
	if slices.Contains(facts.Addresses, netip.MustParseAddr("172.18.255.224")) {
		s.t.Skip("skipped: the engine's host has the loopback addresses already, so that kindling adds none")
	}
	file := s.write("host.yaml", fmt.Sprintf(hostFile, s.image))
	t.Cleanup(func() { s.run("down", "-f", file) })
	s.upKilledAt([]string{"-f", file}, "loopback", "masquerade")

	s.sub("addresses of load balancers are there", func(s *suite) {
		have := s.facts().Addresses
		for _, text := range []string{"172.18.255.224", "172.18.255.255", "fd00:ff::e0", "fd00:ff::ff"} {
			if !slices.Contains(have, netip.MustParseAddr(text)) {
				s.t.Errorf("%s is missing", text)
			}
		}
	})
	s.sub("a port can be published on one of them", checkPublished)
	s.sub("up again changes nothing", func(s *suite) {
		if r := s.want(0, s.run("up", "-f", file, "-o", "json")); strings.Contains(r.stdout, `"applied"`) {
			s.t.Errorf("something was done again:\n%s", r.stdout)
		}
		s.want(0, s.run("status", "-f", file))
	})
	s.sub("metrics-server is applied", checkMetricsServer)
	s.sub("a rule that was lost is added once, and lost addresses come back", func(s *suite) { checkLost(s, file) })
	s.sub("down leaves nothing", func(s *suite) {
		s.want(0, s.run("down", "-f", file))
		facts := s.facts()
		for _, address := range facts.Addresses {
			if netip.MustParsePrefix("172.18.255.0/24").Contains(address) || netip.MustParsePrefix("fd00:ff::/120").Contains(address) {
				s.t.Errorf("%s is left", address)
			}
		}
		if rules := s.rules(); masquerade.Covers(rules, containerIPv6(), facts.DefaultIPv6) {
			s.t.Errorf("a rule is left:\n%s", rules)
		}
		if _, err := os.Stat(filepath.Join(s.home, "state", "kindling")); !os.IsNotExist(err) {
			s.t.Errorf("the folder is left: %v", err)
		}
	})
}

// TestFactsOfTheHost compares what a container saw with this machine, where that is the engine's host.
func TestFactsOfTheHost(t *testing.T) {
	s := newSuite(t)
	if own, err := os.Hostname(); err != nil || own != s.docker("info", "--format", "{{.Name}}") {
		t.Skip("skipped: the engine's host is not this machine")
	}
	facts := s.facts()
	read := func(path string) string {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(content))
	}
	if want := read("/proc/sys/kernel/random/boot_id"); facts.BootID != want {
		t.Errorf("boot %s, want %s", facts.BootID, want)
	}
	if want := read("/proc/sys/fs/inotify/max_user_watches"); strconv.Itoa(facts.MaxUserWatches) != want {
		t.Errorf("%d watches, want %s", facts.MaxUserWatches, want)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		prefix, err := netip.ParsePrefix(address.String())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(facts.Addresses, prefix.Addr()) {
			t.Errorf("%s is not among %v", prefix.Addr(), facts.Addresses)
		}
	}
	if facts.DiskFree == 0 || facts.DiskFree > facts.DiskTotal {
		t.Errorf("%d bytes free of %d", facts.DiskFree, facts.DiskTotal)
	}
	if _, err := os.Stat("/dev/net/tun"); err == nil && facts.Modules["tun"] == enginehost.Missing {
		t.Errorf("the device tun is there, and the module is not: %v", facts.Modules)
	}
	t.Logf("%+v", facts.Modules)
}

func (s *suite) facts() enginehost.Facts {
	s.t.Helper()
	docker, info, err := engine.Detect(s.t.Context(), engine.Docker)
	if err != nil {
		s.t.Fatal(err)
	}
	facts, err := enginehost.Probe(s.t.Context(), docker, s.image, info.Kernel)
	if err != nil {
		s.t.Fatal(err)
	}
	return facts
}

func containerIPv6() netip.Prefix { return netip.MustParsePrefix("fd00:10::/64") }

// onHost runs a program in the network of the engine's host.
func (s *suite) onHost(program string, args ...string) string {
	s.t.Helper()
	return s.docker(append([]string{"run", "--rm", "--privileged", "--network", "host", "--entrypoint", program, s.image}, args...)...)
}

func (s *suite) rules() string { return s.onHost(masquerade.Program, masquerade.List()...) }

func checkPublished(s *suite) {
	s.t.Helper()
	id := s.docker("run", "--detach", "--publish", "172.18.255.230:8080:8080", "--entrypoint", "sleep", s.image, "60")
	defer s.docker("rm", "--force", id)
	if ports := s.docker("port", id); !strings.Contains(ports, "172.18.255.230:8080") {
		s.t.Errorf("published are %s", ports)
	}
}

func checkMetricsServer(s *suite) {
	s.t.Helper()
	if service := s.mustKubectl(hostNode, "get", "apiservice", "v1beta1.metrics.k8s.io", "--output", "jsonpath={.spec.service.name}"); service != "metrics-server" {
		s.t.Errorf("metrics are served by %q", service)
	}
	args := s.mustKubectl(hostNode, "get", "deployment", "metrics-server", "--namespace", "kube-system", "--output", "jsonpath={.spec.template.spec.containers[0].args}")
	if !strings.Contains(args, "--kubelet-certificate-authority=") || strings.Contains(args, "insecure") {
		s.t.Errorf("started with %s", args)
	}
	const image = "registry.k8s.io/metrics-server/metrics-server:v0.9.0"
	if s.docker("image", "ls", "--quiet", image) == "" {
		s.t.Skip("skipped: the engine has no image " + image + ", so nothing is served")
	}
	if output, err := s.kubectl(hostNode, "wait", "--for=condition=Available", "--timeout=120s", "apiservice/v1beta1.metrics.k8s.io"); err != nil {
		s.t.Fatalf("%v: %s\n%s", err, output, s.mustKubectl(hostNode, "logs", "--namespace", "kube-system", "deployment/metrics-server"))
	}
	if top := s.mustKubectl(hostNode, "top", "nodes", "--no-headers"); !strings.HasPrefix(top, hostNode) {
		s.t.Errorf("use of nodes: %s", top)
	}
	if state := s.states("-f", filepath.Join(s.home, "host.yaml"))["metrics-server/gardener-local"]; state.Text != "available" {
		s.t.Errorf("status says %v", state)
	}
}

// checkLost takes away what a restart of the engine's host would, and the memory of this boot.
func checkLost(s *suite, file string) {
	s.t.Helper()
	for line := range strings.Lines(s.rules()) {
		if masquerade.Covers(line, containerIPv6(), "") {
			s.onHost(masquerade.Program, append([]string{"--table", "nat", "--delete"}, strings.Fields(line)[1:]...)...)
		}
	}
	s.onHost("ip", "address", "delete", "172.18.255.230/32", "dev", "lo")
	path := filepath.Join(s.home, "state", "kindling", "shared.json")
	content, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	var shared map[string]map[string]any
	if err := json.Unmarshal(content, &shared); err != nil {
		s.t.Fatal(err)
	}
	shared["masquerade"]["boot"] = "an earlier one"
	if content, err = json.Marshal(shared); err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	states := s.states("-f", file)
	for _, name := range []string{"masquerade", "loopback"} {
		if states[name].State != steps.Differs {
			s.t.Errorf("status says of %s: %v", name, states[name])
		}
	}
	for range 2 {
		s.want(0, s.run("up", "-f", file))
	}
	s.want(0, s.run("status", "-f", file))
	count := 0
	for line := range strings.Lines(s.rules()) {
		if masquerade.Own(line, containerIPv6()) {
			count++
		}
	}
	if count != 1 {
		s.t.Errorf("%d rules of kindling's after two ups, want one:\n%s", count, s.rules())
	}
	if !slices.Contains(s.facts().Addresses, netip.MustParseAddr("172.18.255.230")) {
		s.t.Error("the lost address is not back")
	}
}
