// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/route"
)

var _ = flag.Bool("update", false, "write the golden files")

// proof is the report of a run in which every check passed.
func proof() *Report {
	r := &Report{Shoot: "garden-local/local", Seed: "local", Namespace: "shoot--local--local", Break: BreakShoot, Started: noon(), Finished: noon().Add(time.Minute)}
	for _, check := range Checks() {
		r.Results = append(r.Results, Result{
			Check: check.ID, Part: check.Part, Status: Passed, Text: check.Want, Evidence: []Evidence{{Object: "Pod a/b", Text: "seen", Time: noon()}},
		})
	}
	return r
}

func (r *Report) set(part Part, check string, status Status, cures ...Cure) {
	i := slices.IndexFunc(r.Results, func(result Result) bool { return result.Part == part && result.Check == check })
	r.Results[i].Status, r.Results[i].Missing = status, cures
}

func (r *Report) drop(parts ...Part) {
	r.Results = slices.DeleteFunc(r.Results, func(result Result) bool { return slices.Contains(parts, result.Part) })
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*Report)
		want   Name
		text   string
	}{
		"all passed":                          {func(*Report) {}, Pass, "the VPN is used"},
		"warnings fail nothing":               {func(r *Report) { r.set(PartStatic, VPNWorkloads, Warning) }, Pass, "the VPN is used"},
		"a path that still works is a bypass": {func(r *Report) { r.set(PartBroken, PathLogs, Failed, CureGuard) }, Fail, "BYPASSED by the seed's pod network: kubelets are reached DIRECTLY; of the three cures, missing: guard"},
		"routes past the VPN that the guard closes are a bypass, and reach nothing": {func(r *Report) {
			r.set(PartRoutes, RoutesNodes, Failed, CureNodes)
			r.set(PartPositive, PathLogs, Failed)
		}, Fail, "BYPASSED by the seed's pod network: packets to kubelets are routed DIRECTLY; of the three cures, missing: nodes"},
		"what was reached needs no word of routes": {func(r *Report) {
			r.set(PartRoutes, RoutesNodes, Failed, CureNodes)
			r.set(PartBroken, PathLogs, Failed, CureGuard)
		}, Fail, "BYPASSED by the seed's pod network: kubelets are reached DIRECTLY; of the three cures"},
		"a control that connects is a bypass": {func(r *Report) { r.set(PartControl, ControlBlocked, Failed, CureGuard) }, Fail, "any seed pod may connect"},
		"a control that could not connect anyway": {func(r *Report) {
			r.set(PartControl, ControlAble, Unknown)
			r.set(PartControl, ControlBlocked, Unknown)
		}, NotProven, "negative-control/control-able, negative-control/control-blocked could not be found out"},
		"paths that don't work are no bypass": {func(r *Report) { r.set(PartPositive, PathMetrics, Failed); r.drop(PartBroken, PartRestore, PartAfter) }, Fail, "does not work, and nothing goes past it: positive/metrics"},
		"paths that don't come back":          {func(r *Report) { r.set(PartAfter, PathLogs, Failed) }, Fail, "after/logs failed; no way past the VPN was seen"},
		"a path that could not be tried":      {func(r *Report) { r.set(PartBroken, PathLogs, Unknown) }, NotProven, "broken/logs could not"},
		"nothing was broken":                  {func(r *Report) { r.Break = BreakNone; r.drop(PartBreak, PartBroken, PartRestore, PartAfter) }, NoFault, "the VPN was not broken to be sure"},
		"the control was left out on demand":  {func(r *Report) { r.SkippedParts = []Part{PartControl}; r.drop(PartControl) }, Pass, "(without negative-control, left out on demand)"},
		"the control is missing":              {func(r *Report) { r.drop(PartControl) }, NotProven, "part negative-control"},
		"one path alone is missing": {func(r *Report) {
			r.Results = slices.DeleteFunc(r.Results, func(result Result) bool { return result.Part == PartAfter && result.Check == PathLogs })
		}, NotProven, "part after"},
		"the seed's end without high availability needs routes": {func(r *Report) { r.Break = BreakSeed; r.SkippedParts = []Part{PartRoutes}; r.drop(PartRoutes) }, NotProven, "use --break shoot"},
		"the seed's end with high availability does not": {func(r *Report) {
			r.HA, r.Break = true, BreakSeed
			r.SkippedParts = []Part{PartRoutes}
			r.drop(PartRoutes)
		}, Pass, "without routes"},
		"a failure in the static part alone": {func(r *Report) { r.set(PartStatic, MachinePods, Failed, CureSplit) }, Fail, "missing: split"},
		"a Seed that fits":                   {func(r *Report) { r.SeedOnly = true }, Pass, "has the networks"},
		"a Seed that does not fit":           {func(r *Report) { r.SeedOnly = true; r.set(PartStatic, ShootSeed, Failed) }, Fail, "gardenlet would not start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := proof()
			test.change(r)
			got := Judge(r)
			if got.Name != test.want || !strings.Contains(got.Text, test.text) {
				t.Errorf("%s: %s, want %s with %q", got.Name, got.Text, test.want, test.text)
			}
			if got.OK() != (test.want == Pass || test.want == NoFault) {
				t.Errorf("OK is %v", got.OK())
			}
		})
	}
}

func TestEveryCureIsExplained(t *testing.T) {
	t.Parallel()
	for _, cure := range []Cure{CureSplit, CureGuard, CureNodes} {
		if !strings.HasPrefix(cure.Explain(), string(cure)+": ") {
			t.Errorf("%s: %q", cure, cure.Explain())
		}
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	r := proof()
	r.set(PartBroken, PathLogs, Failed, CureGuard)
	r.set(PartRoutes, RoutesNodes, Unknown)
	r.set(PartStatic, MachinePool, Skipped)
	r.Results[0].Text = "control characters \x01 and <markup> don't break it"
	r.Verdict = Judge(r)
	var b bytes.Buffer
	if err := WriteJUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("it is no XML: %v", err)
		}
	}
	testutil.Golden(t, filepath.Join("testdata", "junit.xml"), b.Bytes())
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		table   string
		machine string
		// nodes and others are the states of the two checks.
		nodes, others Status
		missing       []Cure
	}{
		"routes for all": {"default via 169.254.1.1 dev eth0\n10.0.0.0/20 dev tun0\n10.3.0.0/16 dev tun0\n10.4.0.0/16 dev tun0", "10.0.0.7", Passed, Passed, nil},
		"none for nodes": {"default via 169.254.1.1 dev eth0\n10.3.0.0/16 dev tun0\n10.4.0.0/16 dev tun0", "10.0.0.7", Failed, Passed, []Cure{CureNodes}},
		"a machine among the seed's pods": {
			"default via 169.254.1.1 dev eth0\n10.3.0.0/16 dev bond0\n10.4.0.0/16 dev bond0", "10.1.0.7", Failed, Passed, []Cure{CureNodes, CureSplit},
		},
		"a machine outside nodes": {"default via 169.254.1.1 dev eth0\n10.0.0.0/20 dev tun0\n10.3.0.0/16 dev tun0\n10.4.0.0/16 dev tun0", "10.0.200.7", Failed, Passed, []Cure{CureNodes}},
		"none for services":       {"default via 169.254.1.1 dev eth0\n10.0.0.0/20 dev tun0\n10.3.0.0/16 dev tun0", "10.0.0.7", Passed, Failed, nil},
		"a part of the services goes elsewhere": {
			"default via 169.254.1.1 dev eth0\n10.0.0.0/20 dev tun0\n10.3.0.0/16 dev tun0\n10.4.0.0/16 dev tun0\n10.4.8.0/24 dev eth0", "10.0.0.7", Passed, Failed, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			routes, err := route.Parse(strings.NewReader(test.table))
			if err != nil {
				t.Fatal(err)
			}
			table, err := route.NewTable(routes)
			if err != nil {
				t.Fatal(err)
			}
			f := split()
			f.setMachine(test.machine)
			got := Routes(f, []Table{{"Pod a/b", route.Namespace{Name: "vpn-seed-server", Table: table}}})
			if got[0].Status != test.nodes || got[1].Status != test.others {
				t.Errorf("nodes %s, others %s; want %s, %s", got[0].Status, got[1].Status, test.nodes, test.others)
			}
			if diff := cmp.Diff(test.missing, got[0].Missing); diff != "" {
				t.Errorf("missing cures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJudgeSeed(t *testing.T) {
	t.Parallel()
	service := func(kind corev1.ServiceType, ip string) corev1.Service {
		return corev1.Service{Spec: corev1.ServiceSpec{Type: kind, ClusterIP: ip}}
	}
	many := make([]corev1.Pod, 150)
	for i := range many {
		many[i] = pod("p", "10.1.0.9", nil, nil)
	}
	host := pod("h", "172.18.0.2", nil, nil)
	host.Spec.HostNetwork = true
	node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{
		{Type: corev1.NodeInternalIP, Address: "172.18.0.2"}, {Type: corev1.NodeInternalIP, Address: "fd00:10::2"}, {Type: corev1.NodeHostName, Address: "n"},
	}}}
	for name, test := range map[string]struct {
		facts  SeedFacts
		failed []string
	}{
		"all is inside":                              {SeedFacts{Nodes: []corev1.Node{node}, Pods: append(many, host), Services: []corev1.Service{service("ClusterIP", "10.2.0.1"), service("ClusterIP", "None")}}, nil},
		"the 151st pod is outside":                   {SeedFacts{Pods: append(slices.Clone(many), pod("o", "10.0.0.9", nil, nil))}, []string{SeedPods}},
		"a machine with a pool is passed over":       {SeedFacts{Pods: []corev1.Pod{pod("m", "10.0.0.9", nil, map[string]string{AnnotationPoolsIPv6: "x"})}}, nil},
		"a pod of another family counts":             {SeedFacts{Pods: []corev1.Pod{pod("p", "fd00:10:1::9", nil, nil)}}, []string{SeedPods}},
		"a service is outside":                       {SeedFacts{Services: []corev1.Service{service("ClusterIP", "10.3.0.1"), service("NodePort", "10.9.0.1")}}, []string{SeedServices}},
		"what a seed that is a shoot says of itself": {SeedFacts{ShootInfo: map[string]string{"podNetwork": "10.1.0.0/16", "serviceNetwork": "10.9.0.0/16"}}, []string{SeedServices}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.facts.Seed, test.facts.Now = split().Seed, noon()
			var failed []string
			for _, result := range JudgeSeed(&test.facts) {
				if result.Status == Failed {
					failed = append(failed, result.Check)
				}
			}
			if diff := cmp.Diff(test.failed, failed); diff != "" {
				t.Errorf("failed (-want +got):\n%s", diff)
			}
		})
	}
}
