// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/test/minishoot"
)

// shootSetting is a cluster with a shoot in miniature.
type shootSetting struct {
	name       string
	ha, calico bool
}

// shootSettings are those that the faults are played in. With the network plugin Plain policies are not enforced: that the guard outdoes a
// permissive NetworkPolicy, and that kindling's own guard is what keeps seed pods from machines, is seen with Calico alone.
func shootSettings() []shootSetting {
	return []shootSetting{{name: "verify"}, {name: "verify-ha", ha: true}, {name: "verify-calico", calico: true}, {name: "verify-calico-ha", ha: true, calico: true}}
}

// environment has one node: the fixture is made for one.
func (c shootSetting) environment(t *testing.T, image string) string {
	network := "networkPlugin: Plain"
	if c.calico {
		manifest, err := filepath.Abs(testutil.Shared(t, "calico/calico-"+calicoVersion()+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		network = fmt.Sprintf("calico: {version: %s, manifest: {path: %s}}", calicoVersion(), manifest)
	}
	return fmt.Sprintf(`apiVersion: kindling.gardener.cloud/v1alpha1
kind: Environment
metadata:
  name: %[1]s
spec:
  clustersOnly: true
  %[3]s
  metricsServer: {enabled: false}
  clusters:
  - name: %[1]s
    nodeImage: %[2]s
    nodes:
    - role: control-plane
`, c.name, image, network)
}

// Sides of the VPN that kindling verify breaks.
const (
	breakNone  = "none"
	breakSeed  = "seed"
	breakShoot = "shoot"
)

// faultCase is a way in which a shoot can be, and what must be said of it.
type faultCase struct {
	name   string
	faults minishoot.Faults
	// onlyHA is for what needs two VPN servers.
	onlyHA bool
	// kubelet and services say what kube-apiserver reaches.
	kubelet, services bool
	// breaks is the side that kindling verify takes away, without and with high availability.
	breaks [2]string
	// verdict, and a part of the name of the way past the VPN; no such way is named where it is empty.
	verdict, bypass string
	// harmless says that Calico's guard outdoes it, and unreached that the guard, which knows machines by their label, keeps what goes past the
	// VPN from kubelets.
	harmless, unreached bool
	// missing are cures that must be named, failed checks that must fail, as part/check.
	missing, failed []string
}

// The pair of split and legacy is the point of it all: the same run passes with the one, and fails with the original fault. Cases with the
// machine in the seed's pool come last, and together: the machine takes longest to move.
func faultCases() []faultCase {
	shootThenSeed, none := [2]string{breakShoot, breakSeed}, [2]string{breakNone, breakNone}
	legacyDead := minishoot.Legacy()
	legacyDead.ShootEndDead = true
	return []faultCase{
		{name: "split", kubelet: true, services: true, breaks: shootThenSeed, verdict: "PASS"},
		{
			name: "permissive NetworkPolicy", faults: minishoot.Faults{PermissivePolicy: true}, kubelet: true, services: true, breaks: none, verdict: "FAIL", harmless: true,
			missing: []string{"guard"}, failed: []string{"static/policies"},
		},
		{
			name: "permissive NetworkPolicy, no guard", faults: minishoot.Faults{PermissivePolicy: true, Unguarded: true}, kubelet: true, services: true, breaks: none,
			verdict: "FAIL", bypass: "any seed pod", missing: []string{"guard"}, failed: []string{"static/policies", "negative-control/control-blocked"},
		},
		{
			name: "Service machines", faults: minishoot.Faults{MachinesService: true}, kubelet: true, services: true, breaks: none, verdict: "FAIL", bypass: "Service machines",
			failed: []string{"static/old-bypass"},
		},
		{name: "seed's end dead", faults: minishoot.Faults{SeedEndDead: true}, breaks: none, verdict: "FAIL", failed: []string{"positive/logs", "positive/metrics"}},
		{name: "shoot's end dead", faults: minishoot.Faults{ShootEndDead: true}, breaks: none, verdict: "FAIL", failed: []string{"positive/logs", "positive/metrics"}},
		{name: "one of two servers", faults: minishoot.Faults{HalfOpen: true}, onlyHA: true, kubelet: true, services: true, breaks: shootThenSeed, verdict: "PASS"},
		{name: "metrics only", faults: minishoot.Faults{ServicesUnrouted: true}, kubelet: true, breaks: none, verdict: "FAIL", failed: []string{"positive/metrics"}},
		{
			name: "nodes empty", faults: minishoot.Faults{NodesEmpty: true}, services: true, breaks: none, verdict: "FAIL", bypass: "DIRECTLY",
			missing: []string{"nodes"}, failed: []string{"static/shoot-nodes", "routes/routes-nodes", "positive/logs", "positive/exec", "positive/port-forward", "positive/node-proxy"},
		},
		{
			name: "legacy", faults: minishoot.Legacy(), kubelet: true, services: true, breaks: shootThenSeed, verdict: "FAIL", bypass: "DIRECTLY",
			missing: []string{"split", "guard", "nodes"}, failed: []string{"static/shoot-nodes", "routes/routes-nodes", "negative-control/control-blocked"},
		},
		{
			// What the issue saw: logs and port-forwards work without a VPN, and only metrics tell.
			name: "legacy, VPN dead", faults: legacyDead, kubelet: true, breaks: none, verdict: "FAIL", bypass: "DIRECTLY",
			failed: []string{"routes/routes-nodes", "positive/metrics"},
		},
		{
			name: "machine in the seed pool", faults: minishoot.Faults{MachineInSeedPool: true}, kubelet: true, services: true, breaks: none, verdict: "FAIL", bypass: "DIRECTLY",
			unreached: true,
			missing:   []string{"split"}, failed: []string{"static/machine-pods", "routes/routes-nodes"},
		},
	}
}

// TestVerify plays every fault on a shoot in miniature: that the fixture has the fault is seen by its own connections, and kindling verify
// must say so.
func TestVerify(t *testing.T) {
	t.Parallel()
	for _, setting := range shootSettings() {
		t.Run(setting.name, func(t *testing.T) {
			s := newParallelSuite(t)
			if setting.calico && !s.hasCalicoImages() {
				t.Skipf("skipped: the engine has no images of Calico %s: that policies are enforced, and pools give out addresses, is not tried", calicoVersion())
			}
			setting.playFaults(s)
		})
	}
}

func (c shootSetting) playFaults(s *suite) {
	file := s.write("verify.yaml", c.environment(s.t, s.image))
	s.t.Cleanup(func() { s.run("down", "-f", file) })
	s.want(0, s.run("up", "-f", file))
	options := s.minishoot(c)
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Minute)
	defer cancel()
	start := time.Now()
	fixture, err := minishoot.Up(ctx, options)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Logf("the shoot is up after %.0fs", time.Since(start).Seconds())
	defer func() {
		if err := fixture.Down(ctx); err != nil {
			s.t.Error(err)
		}
	}()
	for _, fault := range faultCases() {
		if c.calico {
			fault = fault.withCalico()
		}
		if !fault.onlyHA || c.ha {
			s.sub(fault.name, func(s *suite) { fault.play(ctx, s, fixture, file, c.ha) })
		}
	}
	if c.name == "verify" {
		s.sub("broken off", func(s *suite) { playBrokenOff(ctx, s, fixture, file) })
	}
	s.sub("all taken back", func(s *suite) {
		if err := fixture.Set(ctx, minishoot.Faults{}); err != nil {
			s.t.Fatal(err)
		}
		checkReach(ctx, s, fixture, true, true)
	})
}

// withCalico is what has to be said where policies are enforced.
func (c faultCase) withCalico() faultCase {
	if c.harmless {
		c.verdict, c.missing, c.failed = "NO FAULT FOUND", nil, nil
	}
	c.kubelet = c.kubelet && !c.unreached
	return c
}

func (c faultCase) play(ctx context.Context, s *suite, fixture *minishoot.Fixture, file string, ha bool) {
	start := time.Now()
	if err := fixture.Set(ctx, c.faults); err != nil {
		s.t.Fatal(err)
	}
	checkReach(ctx, s, fixture, c.kubelet, c.services)
	s.t.Logf("the fault is there after %.0fs", time.Since(start).Seconds())
	side := c.breaks[0]
	if ha {
		side = c.breaks[1]
	}
	s.sub("verdict", func(s *suite) { c.judge(s, file, ha, side) })
}

// reachPatience is for connections to be made anew after a change.
const reachPatience = 90 * time.Second

// checkReach tries until both are as they shall be.
func checkReach(ctx context.Context, s *suite, fixture *minishoot.Fixture, kubelet, services bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	for {
		reach, err := fixture.Reach(ctx)
		if err == nil && (reach.Kubelet == nil) == kubelet && (reach.Services == nil) == services {
			return
		}
		select {
		case <-ctx.Done():
			s.t.Fatalf("the kubelet is reached: %v (want %t); services of the shoot are reached: %v (want %t); %v", reach.Kubelet, kubelet, reach.Services, services, err)
		case <-time.After(time.Second):
		}
	}
}

// report is what the test reads of kindling verify's.
type report struct {
	HighAvailability bool `json:"highAvailability"`
	Results          []struct {
		Check, Part, Status, Text string
		Evidence                  []struct{ Object, Text string }
	}
	Verdict struct {
		Name, Text, Bypass string
		MissingCures       []string
	}
}

func (c faultCase) judge(s *suite, file string, ha bool, side string) {
	r := s.run("verify", "-f", file, "--break", side, "-o", "json")
	var got report
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		s.t.Fatalf("verify printed no JSON: %v\n%s\n%s", err, r.stdout, r.stderr)
	}
	if wanted := c.verdictFor(side); got.Verdict.Name != wanted || (r.code == 0) != (wanted == "PASS" || wanted == "NO FAULT FOUND") {
		s.t.Errorf("the verdict is %s with exit code %d, want %s: %s\n%s", got.Verdict.Name, r.code, wanted, got.Verdict.Text, r.stdout)
	}
	if got.HighAvailability != ha {
		s.t.Errorf("high availability is %t, want %t", got.HighAvailability, ha)
	}
	if (got.Verdict.Bypass != "") != (c.bypass != "") || !strings.Contains(got.Verdict.Bypass, c.bypass) {
		s.t.Errorf("the way past the VPN is %q, want %q in it", got.Verdict.Bypass, c.bypass)
	}
	for _, cure := range c.missing {
		if !slices.Contains(got.Verdict.MissingCures, cure) {
			s.t.Errorf("missing cures are %v, want %s among them", got.Verdict.MissingCures, cure)
		}
	}
	var failed []string
	for _, result := range got.Results {
		if result.Status == "failed" {
			failed = append(failed, result.Part+"/"+result.Check)
		}
	}
	for _, check := range c.failed {
		if !slices.Contains(failed, check) {
			s.t.Errorf("%v failed, want %s among them", failed, check)
		}
	}
	s.t.Logf("%s: %s", got.Verdict.Name, got.Verdict.Text)
	for _, result := range got.Results {
		if result.Status == "unknown" {
			s.t.Logf("could not be found out: %s/%s: %s: %v", result.Part, result.Check, result.Text, result.Evidence)
		}
	}
}

// verdictFor is the verdict of a run; one that breaks nothing proves nothing.
func (c faultCase) verdictFor(side string) string {
	if c.verdict == "PASS" && side == breakNone {
		return "NO FAULT FOUND"
	}
	return c.verdict
}

// minishoot are the options of a fixture in the cluster of the test.
func (s *suite) minishoot(c shootSetting) minishoot.Options {
	s.t.Helper()
	ctx := s.t.Context()
	kubeconfig, err := os.ReadFile(filepath.Join(s.home, "state", "kindling", c.name, "kubeconfig"))
	if err != nil {
		s.t.Fatal(err)
	}
	nodes, err := kindcluster.New("docker").Nodes(ctx, c.name)
	if err != nil || len(nodes) != 1 {
		s.t.Fatalf("the cluster has %d nodes, want 1: %v", len(nodes), err)
	}
	addresses, err := nodes[0].Addresses(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	four := slices.IndexFunc(addresses, netip.Addr.Is4)
	if four < 0 {
		s.t.Fatalf("the node has no IPv4 address: %v", addresses)
	}
	return minishoot.Options{
		Kubeconfig: kubeconfig, Node: nodes[0], NodeAddress: addresses[four], Agent: s.agent(), HA: c.ha, Calico: c.calico,
		Networks: minishoot.DefaultNetworks(),
	}
}

// agent builds the program of the fixture.
func (s *suite) agent() []byte {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "agent")
	build := exec.Command("go", "build", "-o", path, "./test/minishoot/agent")
	build.Dir = testutil.Root(s.t)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if output, err := build.CombinedOutput(); err != nil {
		s.t.Fatalf("building the agent: %v\n%s", err, output)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return program
}
