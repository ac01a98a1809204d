// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/verify"
)

// before returns a copy of all objects, to compare with what is left.
func (f *fakeCluster) before() map[string]*unstructured.Unstructured {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	all := maps.Clone(f.objects)
	for name, object := range all {
		if object.GetKind() == "Pod" && strings.HasSuffix(name, "-x") {
			delete(all, name) // made anew by its workload
			continue
		}
		all[name] = object.DeepCopy()
		if len(object.GetAnnotations()) == 0 {
			all[name].SetAnnotations(nil)
		}
	}
	return all
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change  func(*world)
		side    verify.Side
		skip    []verify.Part
		verdict verify.Name
		missing []verify.Cure
		// failed are the checks that fail.
		failed []string
	}{
		"a split with a guard passes when the seed's end is broken":  {side: verify.BreakSeed, verdict: verify.Pass},
		"a split with a guard passes when the shoot's end is broken": {side: verify.BreakShoot, verdict: verify.Pass},
		"a run that breaks nothing says so":                          {side: verify.BreakNone, verdict: verify.NoFault},
		"machines that are seed pods are a bypass, for want of all three": {
			change: legacy, side: verify.BreakShoot, verdict: verify.Fail, missing: []verify.Cure{verify.CureSplit, verify.CureNodes, verify.CureGuard},
			failed: []string{
				"static/shoot-nodes", "static/machine-pods", "routes/routes-nodes", "negative-control/control-blocked",
				"broken/logs", "broken/exec", "broken/port-forward", "broken/node-proxy",
			},
		},
		"machines that are seed pods are a bypass without breaking anything": {
			change: legacy, side: verify.BreakNone, verdict: verify.Fail, missing: []verify.Cure{verify.CureSplit, verify.CureNodes, verify.CureGuard},
			failed: []string{"static/shoot-nodes", "static/machine-pods", "routes/routes-nodes", "negative-control/control-blocked"},
		},
		"a seed that lets anybody in is a bypass, for want of the guard": {
			change: func(w *world) { w.unguard(); w.open = true }, side: verify.BreakShoot, verdict: verify.Fail, missing: []verify.Cure{verify.CureGuard},
			failed: []string{"negative-control/control-blocked", "broken/logs", "broken/exec", "broken/port-forward", "broken/node-proxy"},
		},
		"what a policy would let in is left to the other parts when the control is left out": {
			change: func(w *world) { w.unguard() }, side: verify.BreakShoot, skip: []verify.Part{verify.PartControl}, verdict: verify.Pass,
		},
		"a control that can't connect anywhere proves nothing": {
			change: func(w *world) { w.seed.exec = onlyRoutes }, side: verify.BreakSeed, verdict: verify.NotProven,
		},
		"a dead tunnel is no bypass": {
			change: func(w *world) { w.tunnel, w.services = false, false }, side: verify.BreakSeed, verdict: verify.Fail,
			failed: []string{"positive/logs", "positive/exec", "positive/port-forward", "positive/node-proxy", "positive/metrics"},
		},
		"metrics alone can be broken": {
			change: func(w *world) { w.services = false }, side: verify.BreakSeed, verdict: verify.Fail, failed: []string{"positive/metrics"},
		},
		"the Service of the old bypass is a bypass": {
			change: func(w *world) {
				service := kube.Reference("v1", "Service", "shoot--local--local", "machines")
				service.Object["spec"] = map[string]any{"ports": []any{map[string]any{"port": int64(10250)}}}
				w.seed.objects[key(service)] = service
			},
			side: verify.BreakSeed, verdict: verify.Fail, missing: []verify.Cure{verify.CureGuard}, failed: []string{"static/old-bypass"},
		},
		"a reconciliation that runs is not disturbed": {
			change: func(w *world) { w.operation("Processing") }, side: verify.BreakSeed, verdict: verify.NotProven,
		},
		"without high availability the seed's end alone proves nothing without routes": {
			side: verify.BreakSeed, skip: []verify.Part{verify.PartRoutes}, verdict: verify.NotProven,
		},
		"the seed's copy of a shoot can't be broken": {
			change: func(w *world) { w.onlyCopies() }, side: verify.BreakSeed, verdict: verify.NotProven,
		},
		"the seed's copy of a shoot can be looked at": {
			change: func(w *world) { w.onlyCopies() }, side: verify.BreakNone, verdict: verify.NoFault,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			if test.change != nil {
				test.change(w)
			}
			seed, shoot := w.seed.before(), w.shoot.before()
			opts := w.options(t, test.side)
			opts.Skip = test.skip
			report, err := Run(t.Context(), opts)
			if err != nil {
				t.Fatal(err)
			}
			var failed []string
			for _, result := range report.Results {
				if result.Status == verify.Failed {
					failed = append(failed, string(result.Part)+"/"+result.Check)
				}
			}
			if report.Verdict.Name != test.verdict {
				t.Errorf("verdict %s, want %s: %s", report.Verdict.Name, test.verdict, report.Verdict.Text)
			}
			if diff := cmp.Diff(test.failed, failed); diff != "" {
				t.Errorf("failed checks (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.missing, report.Verdict.Missing); diff != "" {
				t.Errorf("missing cures (-want +got):\n%s", diff)
			}
			w.unchanged(t, opts, seed, shoot)
		})
	}
}

// unchanged holds that nothing is left of a run.
func (w *world) unchanged(t *testing.T, opts Options, seed, shoot map[string]*unstructured.Unstructured) {
	t.Helper()
	if diff := cmp.Diff(seed, w.seed.before()); diff != "" {
		t.Errorf("the seed is not as it was (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(shoot, w.shoot.before()); diff != "" {
		t.Errorf("the shoot is not as it was (-before +after):\n%s", diff)
	}
	if journals, err := Journals(opts.StateDir); err != nil || len(journals) > 0 {
		t.Errorf("journals are left: %v, %v", journals, err)
	}
}

func legacy(w *world) {
	w.unguard()
	w.open = true
	w.routes = "default via 169.254.1.1 dev eth0\n10.3.0.0/16 dev tun0\n10.4.0.0/16 dev tun0\n"
	w.seed.unserved = []string{"IPPool"}
	unstructured.RemoveNestedField(w.seed.objects["Shoot/garden-local/local"].Object, "spec", "networking", "nodes")
	w.seed.objects["Pod/shoot--local--local/machine-a"].Object["status"] = map[string]any{"phase": "Running", "podIP": "10.1.0.7"}
	w.shoot.objects["Node//machine-a"].Object["status"] = map[string]any{"addresses": []any{map[string]any{"type": "InternalIP", "address": "10.1.0.7"}}}
}

func (w *world) unguard() {
	w.guarded = false
	delete(w.seed.objects, "GlobalNetworkPolicy//kindling.forbid-seed-to-machines")
}

func (w *world) operation(state string) {
	shoot := w.seed.objects["Shoot/garden-local/local"].Object
	_ = unstructured.SetNestedField(shoot, state, "status", "lastOperation", "state")
}

// onlyCopies leaves what a seed knows when the garden is elsewhere.
func (w *world) onlyCopies() {
	shoot, seed := w.seed.objects["Shoot/garden-local/local"], w.seed.objects["Seed//local"]
	copied := kube.Reference(extensionVersion, "Cluster", "", "shoot--local--local")
	copied.Object["spec"] = map[string]any{"shoot": shoot.Object, "seed": seed.Object}
	w.seed.objects[key(copied)] = copied
	delete(w.seed.objects, key(shoot))
	delete(w.seed.objects, key(seed))
	w.seed.unserved = []string{"Shoot", "Seed"}
}

func onlyRoutes(_, _ string, command []string) ([]byte, error) {
	if slices.Equal(command, []string{"ip", "route"}) {
		return []byte(vpnRoutes), nil
	}
	return nil, errors.New("no route to host")
}

func TestWhatDoesNotFitIsAnErrorBeforeAnythingIsTried(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*world)
		shoot  string
		want   string
	}{
		"hibernated": {func(w *world) {
			_ = unstructured.SetNestedField(w.seed.objects["Shoot/garden-local/local"].Object, true, "spec", "hibernation", "enabled")
		}, "garden-local/local", "is hibernated"},
		"workerless": {func(w *world) {
			unstructured.RemoveNestedField(w.seed.objects["Shoot/garden-local/local"].Object, "spec", "provider", "workers")
		}, "garden-local/local", "has no workers"},
		"none fits": {func(w *world) {
			unstructured.RemoveNestedField(w.seed.objects["Shoot/garden-local/local"].Object, "spec", "provider", "workers")
		}, "", "garden-local/local"},
		"no machine":   {func(w *world) { delete(w.seed.objects, "Pod/shoot--local--local/machine-a") }, "", "has no machine"},
		"another seed": {func(w *world) { delete(w.seed.objects, "Namespace//shoot--local--local") }, "", `is on Seed "local"`},
		"several shoots": {func(w *world) {
			other := w.seed.objects["Shoot/garden-local/local"].DeepCopy()
			other.SetName("other")
			w.seed.objects[key(other)] = other
		}, "", "choose one with --shoot: garden-local/local, garden-local/other"},
		"no such shoot": {func(*world) {}, "garden-local/x", "there are: garden-local/local"},
		"no shoots":     {func(w *world) { delete(w.seed.objects, "Shoot/garden-local/local") }, "", "there is no shoot"},
		"a wrong pair of kubeconfigs": {func(w *world) {
			node := kube.Reference("v1", "Node", "", "elsewhere")
			w.shoot.objects = map[string]*unstructured.Unstructured{key(node): node}
		}, "", "don't belong together"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			test.change(w)
			opts := w.options(t, verify.BreakSeed)
			opts.Shoot = test.shoot
			_, err := Run(t.Context(), opts)
			if wrong, ok := errors.AsType[*TargetError](err); !ok || !strings.Contains(wrong.Error(), test.want) {
				t.Errorf("error %v, want a TargetError with %q", err, test.want)
			}
			if len(w.seed.log)+len(w.shoot.log) > 0 {
				t.Errorf("something was changed: %v, %v", w.seed.log, w.shoot.log)
			}
		})
	}
}

func TestForbiddenNamesTheVerb(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.shoot.lost = func() error { return fmt.Errorf(`nodes is forbidden: User "x" cannot list resource "nodes"`) }
	if _, err := Run(t.Context(), w.options(t, verify.BreakNone)); err == nil || !strings.Contains(err.Error(), `cannot list resource "nodes"`) {
		t.Errorf("error %v", err)
	}
}

func TestAnAPIServerThatDoesNotAnswerIsNoProof(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.seed.changed = func(what string) {
		if what == "scale vpn-seed-server to 0" {
			w.silent.Store(true)
		}
	}
	report, err := Run(t.Context(), w.options(t, verify.BreakSeed))
	if err != nil {
		t.Fatal(err)
	}
	if report.Verdict.Name != verify.NotProven {
		t.Errorf("verdict %s: %s", report.Verdict.Name, report.Verdict.Text)
	}
}

func TestAnInterruptRestores(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"create Pod", "annotate Shoot", "scale vpn-seed-server to 0"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			seed, shoot := w.seed.before(), w.shoot.before()
			ctx, cancel := context.WithCancel(t.Context())
			w.seed.changed = func(what string) {
				if what == at {
					cancel()
				}
			}
			opts := w.options(t, verify.BreakSeed)
			report, err := Run(ctx, opts)
			if !errors.Is(err, context.Canceled) || report == nil || report.Verdict.OK() {
				t.Errorf("error %v, report %v", err, report)
			}
			w.unchanged(t, opts, seed, shoot)
		})
	}
}

func TestAPanicRestores(t *testing.T) {
	t.Parallel()
	w := newWorld()
	seed, shoot := w.seed.before(), w.shoot.before()
	opts := w.options(t, verify.BreakShoot)
	opts.Report = func(line string) {
		if strings.HasPrefix(line, "broken:") {
			panic("a fault of kindling's own")
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_, _ = Run(t.Context(), opts)
	}()
	w.unchanged(t, opts, seed, shoot)
}

func TestALostAPIServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld()
	seed, shoot := w.seed.before(), w.shoot.before()
	refusals := 0
	w.seed.changed = func(what string) {
		if what == "scale vpn-seed-server to 0" {
			w.seed.lost = func() error {
				if refusals++; refusals < 3 {
					return errors.New("connection refused")
				}
				return nil
			}
		}
	}
	opts := w.options(t, verify.BreakSeed)
	report, err := Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if refusals < 3 || report.Verdict.Name != verify.Pass {
		t.Errorf("%d refusals, verdict %v", refusals, report.Verdict)
	}
	w.unchanged(t, opts, seed, shoot)
}

func TestRestoreFinishesAKilledRun(t *testing.T) {
	t.Parallel()
	for _, side := range []verify.Side{verify.BreakSeed, verify.BreakShoot} {
		t.Run(string(side), func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			seed, shoot := w.seed.before(), w.shoot.before()
			opts := w.options(t, side)
			w.keep(t, opts, side)
			journals, err := Journals(opts.StateDir)
			if err != nil || len(journals) != 1 {
				t.Fatalf("journals %v, %v", journals, err)
			}
			if _, err := Run(t.Context(), w.optionsIn(t, opts)); !isUnrestored(err) {
				t.Errorf("a new run began: %v", err)
			}
			if _, err := Restore(t.Context(), journals[0], w.optionsIn(t, opts)); err != nil {
				t.Fatal(err)
			}
			w.unchanged(t, opts, seed, shoot)
		})
	}
}

func isUnrestored(err error) bool {
	_, ok := errors.AsType[*UnrestoredError](err)
	return ok
}

func (w *world) optionsIn(t *testing.T, other Options) Options {
	t.Helper()
	opts := w.options(t, other.Break)
	opts.StateDir = other.StateDir
	return opts
}

// keep breaks the VPN as a run does and ends there, as when the process is killed.
func (w *world) keep(t *testing.T, other Options, side verify.Side) {
	t.Helper()
	r := &run{Options: w.optionsIn(t, other)}
	r.report = &verify.Report{Break: side}
	facts, err := r.prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &control{r: r, f: facts}
	c.look(t.Context())
	if _, err := r.breakVPN(t.Context()); err != nil {
		t.Fatal(err)
	}
}
