// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/podroutes"
	"github.com/gardener/kindling/pkg/verify"
	"github.com/gardener/kindling/pkg/vpn"
)

// Options say what to verify, and how.
type Options struct {
	// Seed, and the API server that has Shoots and Seeds; it may be the same.
	Seed, Garden Cluster
	// ShootKubeconfig may be empty: Gardener's own is then taken from the seed.
	ShootKubeconfig []byte
	// Connect makes a client for the shoot, with connections of its own.
	Connect Connect
	// Shoot is NAMESPACE/NAME; empty for the only one.
	Shoot string
	Break verify.Side
	Skip  []verify.Part
	// StateDir is where changes are written down, and Files what the run was given, to be used again for restoring.
	StateDir string
	Files    Kubeconfigs
	// ControlImage of the scratch pods; empty for that of the machines.
	ControlImage string
	// ID makes names of scratch objects unique.
	ID       string
	Report   func(string)
	Now      func() time.Time
	Patience Patience
}

// Patience is how long paths may take to have the outcome, beyond the time of one attempt, and policies to act on scratch pods.
type Patience struct{ Positive, Broken, After, Policies time.Duration }

// DefaultPatience is enough for OpenVPN to connect anew. With high availability, it takes some 20 s until routes follow.
func DefaultPatience() Patience {
	return Patience{Positive: 20 * time.Second, Broken: 30 * time.Second, After: 2 * time.Minute, Policies: 20 * time.Second}
}

// run is one run.
type run struct {
	Options
	target *target
	access *access
	shoot  Cluster
	// labels of the namespace of the control plane.
	labels  map[string]string
	ha      bool
	changes changes
	report  *verify.Report
}

// Run looks at everything that the options ask for. The report is there, with what was found so far, when an error is that the context
// ended; all other errors come before anything was tried. What was changed is restored in each case, or the report says that it is not.
func Run(ctx context.Context, opts Options) (*verify.Report, error) {
	r := &run{Options: opts}
	r.report = &verify.Report{Break: opts.Break, Started: r.Now(), SkippedParts: opts.Skip}
	facts, err := r.prepare(ctx)
	if r.access != nil {
		defer r.access.close()
	}
	if err != nil {
		return nil, err
	}
	r.parts(ctx, facts)
	if r.changes.begun {
		r.report.Unrestored = r.changes.journal.Path
	}
	r.report.Finished = r.Now()
	r.report.Verdict = verify.Judge(r.report)
	return r.report, context.Cause(ctx)
}

// prepare finds the shoot and reads everything that does not need a connection through the VPN.
func (r *run) prepare(ctx context.Context) (*verify.Facts, error) {
	var err error
	if r.target, err = find(ctx, r.Seed, r.Garden, r.Shoot); err != nil {
		return nil, err
	}
	shoot := r.target.shoot
	namespace, err := r.Seed.Get(ctx, kube.Reference("v1", "Namespace", "", shoot.TechnicalID))
	if err != nil {
		return nil, err
	}
	if namespace == nil {
		return nil, targetError("the seed has no namespace %s for the control plane of shoot %s, which is on Seed %q: give the kubeconfig of that one with --seed-kubeconfig",
			shoot.TechnicalID, shoot, shoot.SeedName)
	}
	r.labels = namespace.GetLabels()
	if r.access, err = r.openShoot(ctx, shoot.TechnicalID); err != nil {
		return nil, err
	}
	if r.shoot, err = r.Connect(r.access.kubeconfig); err != nil {
		return nil, err
	}
	facts, err := r.gather(ctx)
	if err != nil {
		return nil, err
	}
	if err := together(facts); err != nil {
		return nil, err
	}
	server, err := workload(ctx, r.Seed, shoot.TechnicalID, vpn.VPNSeedServer)
	if err != nil {
		return nil, err
	}
	r.ha = server != nil && server.GetKind() == "StatefulSet"
	r.changes = changes{
		journal: NewJournal(r.StateDir, shoot.TechnicalID), content: journalContent{Shoot: shoot.String(), Namespace: shoot.TechnicalID, Kubeconfigs: r.Files},
		clusters: map[where]Cluster{inSeed: r.Seed, inGarden: r.Garden, inShoot: r.shoot},
	}
	r.report.Shoot, r.report.Seed, r.report.Namespace, r.report.HA = shoot.String(), shoot.SeedName, shoot.TechnicalID, r.ha
	return facts, r.changes.journal.free()
}

// parts makes all parts. The VPN is broken only where all works: else what fails then would prove nothing.
func (r *run) parts(ctx context.Context, facts *verify.Facts) {
	if !r.skips(verify.PartStatic) {
		r.Report("static: objects of seed and shoot")
		r.add(verify.Static(facts)...)
	}
	if ctx.Err() != nil {
		return
	}
	pod, positive := r.looks(ctx, facts)
	if pod == nil || r.Break == verify.BreakNone || r.Break == "" || ctx.Err() != nil {
		return
	}
	if slices.ContainsFunc(positive, func(result verify.Result) bool { return result.Status != verify.Passed }) {
		r.add(verify.Result{Check: verify.Broke, Part: verify.PartBreak, Status: verify.Skipped, Text: "not all works as it is, so that breaking the VPN would prove nothing"})
		return
	}
	r.outage(ctx, pod)
	if ctx.Err() == nil && r.restored() {
		r.Report("after: the same paths, with the VPN restored")
		r.add(works(verify.PartAfter, r.tryAll(ctx, pod, reached, r.Patience.After))...)
	}
}

// looks makes the parts that are not in each other's way side by side: each of them waits, and most where the VPN is down. It returns the pod that
// paths lead to, nil where there is none, and what came of the paths.
func (r *run) looks(ctx context.Context, facts *verify.Facts) (pod *corev1.Pod, positive []verify.Result) {
	var routes, control []verify.Result
	var group sync.WaitGroup
	if !r.skips(verify.PartRoutes) {
		r.Report("routes: tables of the pods that decide about the VPN")
		group.Go(func() { routes = r.routes(ctx, facts) })
	}
	if !r.skips(verify.PartControl) {
		r.Report("negative-control: scratch pods that must not reach kubelets")
		group.Go(func() { control = r.negativeControl(ctx, facts) })
	}
	r.Report("positive: paths through the shoot's API server")
	group.Go(func() { pod, positive = r.positive(ctx) })
	group.Wait()
	r.add(slices.Concat(routes, control, positive)...)
	return pod, positive
}

func (r *run) positive(ctx context.Context) (*corev1.Pod, []verify.Result) {
	pod, err := r.witness(ctx)
	if err != nil {
		return nil, []verify.Result{unknown(verify.PathLogs, verify.PartPositive, err.Error())}
	}
	return pod, works(verify.PartPositive, r.tryAll(ctx, pod, reached, r.Patience.Positive))
}

func unknown(check string, part verify.Part, text string) verify.Result {
	return verify.Result{Check: check, Part: part, Status: verify.Unknown, Text: text}
}

func (r *run) skips(part verify.Part) bool { return slices.Contains(r.Skip, part) }

func (r *run) add(results ...verify.Result) { r.report.Results = append(r.report.Results, results...) }

// routes reads the tables and judges them.
func (r *run) routes(ctx context.Context, facts *verify.Facts) []verify.Result {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	observed, err := r.tables(ctx, facts.Shoot.TechnicalID)
	if err != nil {
		return []verify.Result{unknown(verify.RoutesNodes, verify.PartRoutes, err.Error())}
	}
	var tables []verify.Table
	for _, one := range observed {
		tables = append(tables, verify.Table{Object: "Pod " + facts.Shoot.TechnicalID + "/" + one.Pod, Namespace: one.Namespace})
	}
	r.report.VPN = string(tables[0].Generation())
	return verify.Routes(facts, tables)
}

// tables reads them, and again while a pod is just being started, as after an earlier run.
func (r *run) tables(ctx context.Context, namespace string) (observed []*podroutes.Observed, err error) {
	// Its error is that time is up, and that of the last reading says why.
	_ = wait.PollUntilContextTimeout(ctx, pause, r.Patience.Positive, true, func(context.Context) (bool, error) {
		observed, err = podroutes.ReadAll(ctx, r.Seed, namespace)
		return err == nil, nil
	})
	return observed, err
}

// outage breaks the VPN, tries what must fail now, and restores, whatever happens in between: a panic, too.
func (r *run) outage(ctx context.Context, pod *corev1.Pod) {
	defer r.restore(ctx)
	broke := verify.Result{Check: verify.Broke, Part: verify.PartBreak, Status: verify.Passed}
	evidence, err := r.breakVPN(ctx)
	broke.Evidence = evidence
	if err != nil {
		broke.Status, broke.Text = verify.Unknown, err.Error()
		r.add(broke)
		return
	}
	broke.Text = fmt.Sprintf("the %s's end is gone", r.Break)
	r.add(broke)
	r.Report("broken: the same paths, with the VPN broken")
	r.add(fails(r.tryAll(ctx, pod, unreached, r.Patience.Broken))...)
}

func (r *run) restore(ctx context.Context) {
	if !r.changes.begun {
		return
	}
	r.Report("restore: what was changed")
	result := verify.Result{Check: verify.Restored, Part: verify.PartRestore, Status: verify.Passed, Text: "all is as it was"}
	if err := r.changes.restore(ctx, r.Report); err != nil {
		result.Status, result.Text = verify.Failed, err.Error()
	}
	r.add(result)
}

// restored says whether the last restoring succeeded.
func (r *run) restored() bool {
	results := r.report.Part(verify.PartRestore)
	return len(results) > 0 && results[len(results)-1].Status == verify.Passed
}
