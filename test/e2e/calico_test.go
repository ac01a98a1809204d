// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"archive/tar"
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/calico"
	"github.com/gardener/kindling/pkg/steps"
)

// calicoVersion of the suite: the newest whose manifest is pinned.
func calicoVersion() string { return calico.PinnedVersions()[0] }

func calicoEnvironment(t *testing.T, image, machinePool string) string {
	manifest, err := filepath.Abs(testutil.Shared(t, "calico/calico-"+calicoVersion()+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`apiVersion: kindling.gardener.cloud/v1alpha1
kind: Environment
metadata:
  name: e2e-calico
spec:
  clustersOnly: true
  calico:
    version: %s
    manifest:
      path: %s
%s
  clusters:
  - name: e2e-calico
    nodeImage: %s
    nodes:
    - role: control-plane
    - role: worker
    - role: worker
  shoots:
  - name: local
    failureTolerance: node
`, calicoVersion(), manifest, machinePool, image)
}

const calicoNode = "e2e-calico-control-plane"

// TestCalico brings an environment with Calico up. Where the engine has Calico's images, it must become ready, and addresses and guard
// are tried; elsewhere everything up to the API objects is held, and the wait must end in time with the missing images named.
func TestCalico(t *testing.T) {
	s := newParallelSuite(t)
	file := s.write("calico.yaml", calicoEnvironment(t, s.image, ""))
	t.Cleanup(func() { s.run("down", "-f", file) })
	complete := s.hasCalicoImages()
	preloaded := "quay.io/calico/kube-controllers:" + calicoVersion()
	if !complete {
		s.importImage(preloaded)
	}
	s.applyCalico(file)
	if !complete {
		r := s.want(5, s.run("up", "-f", file, "--timeout", "90s"))
		for _, want := range []string{"quay.io/calico/", "DaemonSet kube-system/calico-node: 0 of 3 pods are available", "Node e2e-calico-worker", "last event"} {
			if !strings.Contains(r.stderr, want) {
				t.Errorf("the time-out does not name %q:\n%s", want, r.stderr)
			}
		}
	}
	s.sub("an image of the engine is in every node", func(s *suite) {
		for _, node := range []string{calicoNode, "e2e-calico-worker", "e2e-calico-worker2"} {
			if images := s.docker("exec", node, "crictl", "inspecti", "--output", "go-template", "--template", "{{.status.repoTags}}", preloaded); !strings.Contains(images, preloaded) {
				s.t.Errorf("node %s: %s", node, images)
			}
		}
	})
	s.sub("pools as planned", checkPools)
	s.sub("the DaemonSet makes no pools of its own", func(s *suite) {
		env := s.mustKubectl(calicoNode, "-n", "kube-system", "get", "daemonset", "calico-node", "--output", "jsonpath={.spec.template.spec.containers[0].env[*].name}")
		if !strings.Contains(env, "NO_DEFAULT_POOLS") || strings.Contains(env, "POOL_") && strings.Contains(env, "CALICO_IPV4POOL") {
			s.t.Errorf("environment of calico-node: %s", env)
		}
	})
	s.sub("machines are put into their pool on admission", checkAdmission)
	s.sub("a pool changed by hand is seen and repaired", func(s *suite) { checkDrift(s, file) })
	s.sub("the guard can be switched off and on", func(s *suite) { checkGuardSwitch(s, file) })
	s.sub("a switch of Felix that another encapsulation does not want is seen", checkFelixSwitch)
	s.sub("a changed machines range is named", func(s *suite) {
		changed := s.write("changed.yaml", strings.Replace(calicoEnvironment(s.t, s.image, ""), "spec:", "spec:\n  networks: {ipv4: {machines: 10.0.0.0/17}}", 1))
		r := s.run("up", "-f", changed, "--dry-run")
		s.want(3, r)
		if !strings.Contains(r.stdout, "spec.cidr is 10.0.0.0/16, wanted 10.0.0.0/17 (needs --recreate=calico-pools/e2e-calico)") {
			s.t.Errorf("the dry run says:\n%s", r.stdout)
		}
	})
	s.sub("addresses and guard with real packets", func(s *suite) {
		if !complete {
			s.t.Skipf("skipped: the engine has no images of Calico %s (quay.io/calico/cni, node and kube-controllers)", calicoVersion())
		}
		checkAddresses(s)
		checkGuard(s)
	})
}

// applyCalico brings the environment up. Where Calico's images are missing, it is interrupted when nothing is left but to wait for them.
func (s *suite) applyCalico(file string) {
	s.t.Helper()
	if s.hasCalicoImages() {
		s.want(0, s.run("up", "-f", file, "--timeout", "10m"))
		return
	}
	if code, waits := s.interrupt("ready/e2e-calico", []string{"up", "-f", file, "--timeout", "10m"}, syscall.SIGINT); code != 130 || !waits {
		s.t.Fatalf("exit code %d, want 130; the wait for Calico began: %t", code, waits)
	}
}

func (s *suite) hasCalicoImages() bool {
	for _, name := range []string{"cni", "node", "kube-controllers"} {
		if exec.Command("docker", "image", "inspect", "quay.io/calico/"+name+":"+calicoVersion()).Run() != nil {
			return false
		}
	}
	return true
}

// importImage gives the engine an image of that name with one file in it, and takes it away after the test.
func (s *suite) importImage(name string) {
	s.t.Helper()
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	content := []byte("nothing runs from this image\n")
	if err := writer.WriteHeader(&tar.Header{Name: "README", Mode: 0o644, Size: int64(len(content))}); err != nil {
		s.t.Fatal(err)
	}
	if _, err := writer.Write(content); err != nil {
		s.t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		s.t.Fatal(err)
	}
	command := exec.Command("docker", "import", "-", name)
	command.Stdin = &archive
	if output, err := command.CombinedOutput(); err != nil {
		s.t.Fatalf("docker import: %v\n%s", err, output)
	}
	s.t.Cleanup(func() { _ = exec.Command("docker", "image", "rm", name).Run() })
}

func checkPools(s *suite) {
	s.t.Helper()
	pools := s.mustKubectl(calicoNode, "get", "ippools.crd.projectcalico.org", "--no-headers", "--output",
		"custom-columns=N:.metadata.name,C:.spec.cidr,S:.spec.nodeSelector,U:.spec.allowedUses,B:.spec.blockSize,NAT:.spec.natOutgoing")
	for _, want := range []string{
		"default-ipv4-ippool   10.1.0.0/16   all()    [Workload Tunnel]   26    true",
		"machine-pods-ipv4     10.0.0.0/16   !all()   [Workload]          26    true",
	} {
		if !strings.Contains(pools, want) {
			s.t.Errorf("pools lack %q:\n%s", want, pools)
		}
	}
	modes := s.mustKubectl(calicoNode, "get", "ippools.crd.projectcalico.org", "--output", "jsonpath={.items[*].spec.ipipMode} {.items[*].spec.vxlanMode}")
	vxlan, ipip := strings.Fields("Never Never CrossSubnet CrossSubnet"), strings.Fields("Always Always Never Never")
	if have := strings.Fields(modes); !slices.Equal(have, vxlan) && !slices.Equal(have, ipip) {
		s.t.Errorf("encapsulation of the pools: %s", modes)
	}
	guard := s.mustKubectl(calicoNode, "get", "tiers.crd.projectcalico.org,globalnetworkpolicies.crd.projectcalico.org", "--output", "name")
	if !strings.Contains(guard, "/kindling\n") || !strings.Contains(guard, "/kindling.forbid-seed-to-machines") {
		s.t.Errorf("guard: %s", guard)
	}
}

// checkAdmission makes pods that are stored but need not start.
func checkAdmission(s *suite) {
	s.t.Helper()
	for name, test := range map[string]struct{ labels, annotations, want string }{
		"machine":      {`{"app":"machine"}`, `{}`, `["machine-pods-ipv4"]`},
		"named":        {`{"app":"machine"}`, `{"cni.projectcalico.org/ipv4pools":"[\"another\"]"}`, `["another"]`},
		"other":        {`{"app":"other"}`, `{}`, ""},
		"with-another": {`{"app":"machine"}`, `{"example.com/a":"b"}`, `["machine-pods-ipv4"]`},
	} {
		s.apply(calicoNode, fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"admission-%s","labels":%s,"annotations":%s},
			"spec":{"containers":[{"name":"c","image":"example.invalid/none"}]}}`, name, test.labels, test.annotations))
		have := s.mustKubectl(calicoNode, "get", "pod", "admission-"+name, "--output", `jsonpath={.metadata.annotations.cni\.projectcalico\.org/ipv4pools}`)
		if have != test.want {
			s.t.Errorf("pod %s has pools %q, want %q", name, have, test.want)
		}
		s.mustKubectl(calicoNode, "delete", "pod", "admission-"+name, "--wait=false")
	}
}

func checkDrift(s *suite, file string) {
	s.t.Helper()
	s.mustKubectl(calicoNode, "patch", "ippools.crd.projectcalico.org", "machine-pods-ipv4", "--type", "merge", "--patch", `{"spec":{"natOutgoing":false,"nodeSelector":"all()"}}`)
	state := s.states("-f", file)["calico-pools/e2e-calico"]
	if state.State != steps.Differs || len(state.Differences) != 2 {
		s.t.Errorf("status finds %+v", state)
	}
	s.applyCalico(file)
	checkPools(s)
	// A label taken off makes it somebody else's object, which is left.
	s.mustKubectl(calicoNode, "label", "ippools.crd.projectcalico.org", "machine-pods-ipv4", "kindling.projectcalico.org/environment-")
	if r := s.want(1, s.run("up", "-f", file, "--timeout", "30s")); !strings.Contains(r.stderr, "kindling did not make it") {
		s.t.Errorf("up says:\n%s", r.stderr)
	}
	s.mustKubectl(calicoNode, "label", "ippools.crd.projectcalico.org", "machine-pods-ipv4", "kindling.projectcalico.org/environment=e2e-calico")
	// The API server of Calico's newer kinds refuses another range for a pool; kindling says which field it is.
	if output, err := s.kubectl(calicoNode, "patch", "ippools.crd.projectcalico.org", "machine-pods-ipv4", "--type", "merge", "--patch", `{"spec":{"cidr":"10.0.0.0/17"}}`); err == nil {
		s.t.Errorf("the API server takes another range for a pool: %s", output)
	}
}

func checkGuardSwitch(s *suite, file string) {
	s.t.Helper()
	off := s.write("off.yaml", calicoEnvironment(s.t, s.image, "    machinePool:\n      guard: false"))
	if state := s.states("-f", off)["calico-pools/e2e-calico"]; state.State != steps.Differs || len(state.Differences) != 2 {
		s.t.Errorf("status finds %+v", state)
	}
	s.applyCalico(off)
	if left := s.mustKubectl(calicoNode, "get", "tiers.crd.projectcalico.org,globalnetworkpolicies.crd.projectcalico.org", "--output", "name"); strings.Contains(left, "kindling") {
		s.t.Errorf("the guard is still there: %s", left)
	}
	s.applyCalico(file)
	checkPools(s)
}

// checkAddresses starts a pod for each pool.
func checkAddresses(s *suite) {
	s.t.Helper()
	for name, test := range map[string]struct{ label, prefix string }{
		"seed-pod": {"other", "10.1.0.0/16"}, "machine": {"machine", "10.0.0.0/16"}, "machine2": {"machine", "10.0.0.0/16"},
	} {
		s.apply(calicoNode, toolPod(name, test.label))
		s.mustKubectl(calicoNode, "wait", "--for=condition=Ready", "--timeout=120s", "pod/"+name)
		address := s.mustKubectl(calicoNode, "get", "pod", name, "--output", "jsonpath={.status.podIP}")
		if parsed, err := netip.ParseAddr(address); err != nil || !netip.MustParsePrefix(test.prefix).Contains(parsed) {
			s.t.Errorf("pod %s has the address %s, want one in %s", name, address, test.prefix)
		}
	}
}

func toolPod(name, app string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"labels":{"app":%q}},"spec":{"terminationGracePeriodSeconds":0,
		"containers":[{"name":"c","image":"localhost/kindling/nettools:1","imagePullPolicy":"Never","command":["nc","-l","-k","-p","10250"]}]}}`, name, app)
}

// checkGuard connects to the kubelet's port of a machine: from a machine it answers, from a seed pod only without the guard.
func checkGuard(s *suite) {
	s.t.Helper()
	address := s.mustKubectl(calicoNode, "get", "pod", "machine", "--output", "jsonpath={.status.podIP}")
	connects := func(from string) bool {
		_, err := s.kubectl(calicoNode, "exec", from, "--", "nc", "-z", "-w", "3", address, "10250")
		return err == nil
	}
	if !connects("machine2") {
		s.t.Error("a machine does not reach another machine")
	}
	if connects("seed-pod") {
		s.t.Error("a seed pod reaches the kubelet of a machine in spite of the guard")
	}
	// Without the guard it must connect, or the test above proves nothing.
	guard := s.mustKubectl(calicoNode, "get", "globalnetworkpolicies.crd.projectcalico.org", "kindling.forbid-seed-to-machines", "--output", "json")
	s.mustKubectl(calicoNode, "delete", "globalnetworkpolicies.crd.projectcalico.org", "kindling.forbid-seed-to-machines")
	deadline := time.Now().Add(30 * time.Second)
	for !connects("seed-pod") {
		if time.Now().After(deadline) {
			s.t.Fatal("a seed pod does not reach the machine without the guard either")
		}
	}
	s.apply(calicoNode, guard)
}

// TestForeign holds that nothing is changed or removed that kindling did not make.
func TestForeign(t *testing.T) {
	s := newSuite(t)
	file := s.write("plain.yaml", plainOverride(s.image, ""))
	if networks := s.docker("network", "ls", "--quiet", "--filter", "name=^kind$"); networks != "" {
		t.Skip("skipped: the engine has a network kind already")
	}
	s.docker("network", "create", "--subnet", "172.30.0.0/24", "kind")
	s.docker("run", "--detach", "--name", "e2e-foreign", "--network", "kind", "--entrypoint", "sleep", s.image, "3600")
	t.Cleanup(func() {
		_ = exec.Command("docker", "rm", "--force", "e2e-foreign").Run()
		_ = exec.Command("docker", "network", "rm", "kind").Run()
	})
	r := s.want(1, s.run("up", "ha-single-zone", "-f", file))
	for _, want := range []string{"172.30.0.0/24", "172.18.0.0/24", "e2e-foreign", "kindling did not make it"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("the error does not name %q:\n%s", want, r.stderr)
		}
	}
	s.want(0, s.run("down", "ha-single-zone", "-f", file))
	if networks := s.docker("network", "ls", "--quiet", "--filter", "name=^kind$"); networks == "" {
		t.Error("down removed a network that kindling did not make")
	}
	if _, err := os.Stat(filepath.Join(s.home, "state", "kindling")); !os.IsNotExist(err) {
		t.Error("a failed up left files behind")
	}
}

// checkFelixSwitch asks for the encapsulation that the pools have not.
func checkFelixSwitch(s *suite) {
	s.t.Helper()
	other, unwanted := "IPIP", "allowVXLANPacketsFromWorkloads"
	if s.mustKubectl(calicoNode, "get", "ippools.crd.projectcalico.org", "default-ipv4-ippool", "--output", "jsonpath={.spec.ipipMode}") == "Always" {
		other, unwanted = "VXLAN", "allowIPIPPacketsFromWorkloads"
	}
	file := s.write("other.yaml", calicoEnvironment(s.t, s.image, "    encapsulation: "+other))
	state := s.states("-f", file)["calico-pools/e2e-calico"]
	if !slices.ContainsFunc(state.Differences, func(d steps.Difference) bool {
		return d.Field == "FelixConfiguration default spec."+unwanted && d.Have == "true" && d.Want == "not set"
	}) {
		s.t.Errorf("status finds %+v", state)
	}
}
