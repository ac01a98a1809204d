// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/steps"
)

// bindImage is made by hack/bindimage.
const bindImage = "localhost/kindling/bind9:test"

const (
	dnsCluster = "gardener-local"
	dnsNode    = dnsCluster + "-control-plane"
	dnsServer  = "172.18.255.53"
	zone       = "local.gardener.cloud"
)

func (s *suite) needBIND() {
	s.t.Helper()
	if exec.Command("docker", "image", "inspect", bindImage).Run() == nil {
		return
	}
	if os.Getenv("KINDLING_E2E") != "required" {
		s.t.Skipf("skipped: the engine has no image %s (go run ./hack/bindimage)", bindImage)
	}
	command := exec.Command("go", "run", "./hack/bindimage")
	command.Dir = testutil.Root(s.t)
	if output, err := command.CombinedOutput(); err != nil {
		s.t.Fatalf("making the image of the DNS server: %v\n%s", err, output)
	}
}

func dnsOverride(image, version string) string {
	return fmt.Sprintf(`apiVersion: kindling.gardener.cloud/v1alpha1
kind: Environment
metadata:
  name: e2e-dns
spec:
  gardener: {version: %s}
  networkPlugin: Plain
  nodeImage: %s
  registry: {enabled: false}
  metricsServer: {enabled: false}
  dns: {image: %q}
`, version, image, bindImage)
}

// TestDNS writes a record as provider-local does, and looks it up from everywhere.
func TestDNS(t *testing.T) {
	s := newSuite(t)
	s.needBIND()
	before, err := os.ReadFile("/etc/hosts")
	if err != nil {
		t.Fatal(err)
	}
	file := s.write("dns.yaml", dnsOverride(s.image, "v1.149.0"))
	t.Cleanup(func() { s.run("down", "local", "-f", file) })
	s.upKilledAt([]string{"local", "-f", file}, "dns")
	startTool(s)

	name := "api.x." + zone
	update(t, name, [4]byte{10, 9, 8, 7})
	checkRecord := func(s *suite) {
		s.t.Helper()
		if got := askHost(s.t, name); got != "10.9.8.7" {
			s.t.Errorf("this machine gets %q", got)
		}
		if got := s.docker("exec", dnsNode, "getent", "ahostsv4", name); !strings.HasPrefix(got, "10.9.8.7 ") {
			s.t.Errorf("the node gets %q", got)
		}
		if got, err := s.kubectl(dnsNode, "exec", "tool", "--", "getent", "ahostsv4", name); err != nil || !strings.HasPrefix(got, "10.9.8.7 ") {
			s.t.Errorf("the pod gets %q: %v", got, err)
		}
	}
	s.sub("a record that was written is found from host, node and pod", checkRecord)
	s.sub("names of containers are the engine's", func(s *suite) {
		if got := s.docker("exec", dnsNode, "getent", "ahostsv4", "bind9"); !strings.HasPrefix(got, "172.18.0.") {
			s.t.Errorf("the node gets %q", got)
		}
	})
	s.sub("a restart of the server keeps it", func(s *suite) {
		s.docker("stop", "bind9")
		if state := s.states("local", "-f", file)["dns"]; state.State != steps.Differs {
			s.t.Errorf("status says %v of a server that was stopped", state)
		}
		s.want(0, s.run("up", "local", "-f", file))
		checkRecord(s)
	})
	s.sub("a restart of a node keeps its resolver", func(s *suite) {
		s.docker("restart", dnsNode)
		s.want(0, s.run("up", "local", "-f", file))
		if got := s.docker("exec", dnsNode, "cat", "/etc/resolv.conf"); got != "nameserver "+dnsServer+"\noptions ndots:0" {
			s.t.Errorf("resolv.conf is %q", got)
		}
		// Not all of status: CoreDNS restarts with the node, and takes its time on a busy machine.
		states := s.states("local", "-f", file)
		for _, step := range []string{"dns", "names/" + dnsCluster, "lookup/" + dnsCluster} {
			if states[step].State != steps.AsWanted {
				s.t.Errorf("%s: %+v", step, states[step])
			}
		}
		if output, err := s.kubectl(dnsNode, "wait", "--for=condition=Available", "--timeout=120s", "--namespace=kube-system", "deployment/coredns"); err != nil {
			s.t.Fatalf("%v: %s", err, output)
		}
	})
	s.sub("up again changes nothing, and does not take long", func(s *suite) {
		start := time.Now()
		r := s.want(0, s.run("up", "local", "-f", file, "-o", "json"))
		if strings.Contains(r.stdout, `"applied"`) {
			s.t.Errorf("something was done again:\n%s", r.stdout)
		}
		s.t.Logf("up again took %.1fs", time.Since(start).Seconds())
	})
	s.sub("down leaves nothing", func(s *suite) {
		s.want(0, s.run("down", "local", "-f", file))
		if left := s.docker("ps", "--all", "--quiet", "--filter", "name=^bind9$", "--filter", "name=^"+dnsNode+"$"); left != "" {
			s.t.Errorf("containers are left: %s", left)
		}
		if after, err := os.ReadFile("/etc/hosts"); err != nil || string(after) != string(before) {
			s.t.Errorf("/etc/hosts is otherwise than before: %v\n%s", err, after)
		}
		if entries, _ := os.ReadDir(filepath.Join(s.home, "state", "kindling")); len(entries) > 0 {
			s.t.Errorf("files are left: %v", entries)
		}
	})
}

// TestOlderVersions makes what v1.93 has and newer versions have not: the garden is found by entries in node and CoreDNS, the registry at the
// garden's node, and flags of the API server ask the seed authorizer.
func TestOlderVersions(t *testing.T) {
	s := newSuite(t)
	s.makeRegistryImage()
	registry := fmt.Sprintf("registry: {image: %s, caches: []}", registryImage)
	file, dir := s.write("names.yaml", strings.Replace(dnsOverride(s.image, "v1.93.0"), "registry: {enabled: false}", registry, 1)), olderCheckout(s)
	args := []string{"local", "-f", file, "--gardener-dir", dir}
	run := func(command string) result { return s.run(append([]string{command}, args...)...) }
	t.Cleanup(func() { run("down") })
	s.want(0, run("up"))
	startTool(s)
	s.sub("the seed authorizer is asked last", checkAuthorizer)
	address := s.docker("inspect", "--format", "{{.NetworkSettings.Networks.kind.IPAddress}}", dnsNode)
	for from, got := range map[string]string{
		"node": s.docker("exec", dnsNode, "getent", "ahostsv4", "garden."+zone),
		"pod":  s.mustKubectl(dnsNode, "exec", "tool", "--", "getent", "ahostsv4", "garden."+zone),
	} {
		if !strings.HasPrefix(got, address+" ") {
			t.Errorf("the %s gets %q, want %s", from, got, address)
		}
	}
	s.sub("the registry answers at the garden's name and port, as machines look for it", func(s *suite) {
		s.mustKubectl(dnsNode, "exec", "tool", "--", "curl", "--silent", "--show-error", "--fail", "--max-time", "10", "http://garden."+zone+":5001/v2/")
	})
	s.docker("restart", dnsNode) // the engine writes /etc/hosts anew
	s.want(3, run("status"))
	s.want(0, run("up"))
	s.want(0, run("status"))
	s.sub("the seed authorizer is asked after a restart", checkAuthorizer)
	s.want(0, run("down"))
}

// authorizerFile is where the API server finds the kubeconfig for the authorizer.
const authorizerFile = "/etc/gardener/controlplane/auth-webhook-kubeconfig-ipv4.yaml"

// olderCheckout has of a checkout what kindling reads, and the kubeconfig for the authorizer. Nobody answers at its address.
func olderCheckout(s *suite) string {
	s.t.Helper()
	dir := filepath.Join(s.home, "gardener")
	for name, content := range map[string]string{
		"go.mod": "module github.com/gardener/gardener\n", "VERSION": "v1.93.0\n",
		"example/gardener-local/controlplane/" + filepath.Base(authorizerFile): `{apiVersion: v1, kind: Config, current-context: a, users: [{name: a, user: {}}],
			contexts: [{name: a, context: {cluster: a, user: a}}], clusters: [{name: a, cluster: {insecure-skip-tls-verify: true, server: "https://10.2.2.10/webhooks/auth/seed"}}]}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	return dir
}

// checkAuthorizer asks the process itself: what RBAC allows is still allowed, and what it does not is nobody's to allow.
func checkAuthorizer(s *suite) {
	s.t.Helper()
	process := s.docker("exec", dnsNode, "pgrep", "--list-full", "--full", "^kube-apiserver ")
	for _, flag := range []string{"--authorization-mode=Node,RBAC,Webhook ", "--authorization-webhook-config-file=" + authorizerFile + " "} {
		if !strings.Contains(process+" ", flag) {
			s.t.Errorf("the API server has no %s: %s", flag, process)
		}
	}
	if said, err := s.kubectl(dnsNode, "auth", "can-i", "list", "secrets", "--as", "nobody"); err == nil || !strings.HasPrefix(said, "no") {
		s.t.Errorf("may nobody list secrets? %q, %v", said, err)
	}
}

// startTool starts a pod that looks names up as all pods do.
func startTool(s *suite) {
	s.t.Helper()
	s.apply(dnsNode, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"tool"},"spec":{"terminationGracePeriodSeconds":0,"containers":[{"name":"c",
		"image":"localhost/kindling/nettools:1","imagePullPolicy":"Never","command":["sleep","3600"]}]}}`)
	if output, err := s.kubectl(dnsNode, "wait", "--for=condition=Ready", "--timeout=90s", "pod/tool"); err != nil {
		if images := s.docker("exec", dnsNode, "crictl", "images"); !strings.Contains(images, "kindling/nettools") {
			s.t.Skip("skipped: the node image holds no localhost/kindling/nettools:1")
		}
		s.t.Fatalf("%v: %s", err, output)
	}
}

// updateOpCode is that of RFC 2136: zone, prerequisites and updates stand where questions, answers and authorities do.
const updateOpCode = 5

func update(t *testing.T, name string, address [4]byte) {
	t.Helper()
	record := dnsmessage.Resource{
		Header: dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(name + "."), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET, TTL: 30},
		Body:   &dnsmessage.AResource{A: address},
	}
	message := dnsmessage.Message{
		Header:      dnsmessage.Header{ID: 7, OpCode: updateOpCode},
		Questions:   []dnsmessage.Question{{Name: dnsmessage.MustNewName(zone + "."), Type: dnsmessage.TypeSOA, Class: dnsmessage.ClassINET}},
		Authorities: []dnsmessage.Resource{record},
	}
	packed, err := message.Pack()
	if err != nil {
		t.Fatal(err)
	}
	connection, err := net.Dial("udp", net.JoinHostPort(dnsServer, "53"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	if err := connection.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 512)
	if _, err := connection.Write(packed); err != nil {
		t.Fatal(err)
	}
	n, err := connection.Read(answer)
	if err != nil {
		t.Fatalf("no answer to the update: %v", err)
	}
	var parsed dnsmessage.Message
	if err := parsed.Unpack(answer[:n]); err != nil || parsed.RCode != dnsmessage.RCodeSuccess {
		t.Fatalf("the update was answered with %v: %v", parsed.RCode, err)
	}
}

// askHost asks the server from this machine by UDP.
func askHost(t *testing.T, name string) string {
	t.Helper()
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(dnsServer, "53"))
	}}
	addresses, err := resolver.LookupHost(t.Context(), name+".")
	if err != nil {
		t.Errorf("asking the server: %v", err)
		return ""
	}
	return strings.Join(addresses, " ")
}
