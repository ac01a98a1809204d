// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/lab"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/route"
	"github.com/gardener/kindling/pkg/vpn"
)

// TestMain is the program that the laboratory starts again for its own processes, and that tests start to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "inside" {
		os.Exit(m.Run())
	}
	run := map[string]func() error{
		"sandbox":   func() error { return lab.Sandbox(context.Background()) },
		"component": func() error { return lab.Component(context.Background(), os.Stdin, os.Stdout) },
		"hold":      hold,
		"unprivileged": func() error {
			_, err := lab.Program{os.Args[0], "inside"}.Run(context.Background(), lab.Options{Layout: v1alpha1.LayoutSplit, Break: lab.SideNone, Guard: true}, os.Stderr, say)
			return err
		},
	}[os.Args[2]]
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// requiredVariable makes a machine that can't hold the laboratory a failure.
const requiredVariable = "KINDLING_LAB_REQUIRED"

func say(line string) { fmt.Fprintln(os.Stderr, line) }

// hold keeps a laboratory until it is killed; the command inside says when it is there.
func hold() error {
	_, err := lab.Program{os.Args[0], "inside"}.Shell(context.Background(), lab.Options{Layout: v1alpha1.LayoutSplit, Break: lab.SideNone},
		lab.ShellOptions{Namespace: lab.Machine, Command: []string{"sh", "-c", "echo built; sleep 1000"}}, say)
	return err
}

func self(t *testing.T) lab.Program {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return lab.Program{executable, "inside"}
}

// run plays a laboratory; where the kernel forbids it, the test is skipped with the reason.
func run(t *testing.T, opts lab.Options) *lab.Report {
	t.Helper()
	report, err := self(t).Run(t.Context(), opts, os.Stderr, func(string) {})
	skipUnsupported(t, err)
	return report
}

func skipUnsupported(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*lab.UnsupportedError](err); ok && os.Getenv(requiredVariable) == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPredictionAndPackets holds what pkg/vpn predicts to what packets do, for each layout, with and without high availability and
// guard, and for each side that can be broken.
func TestPredictionAndPackets(t *testing.T) {
	all := allOptions()
	// A laboratory mostly waits for packets that don't come, so that more of them go side by side than there are processors.
	reports, failures := make([]*lab.Report, len(all)), make([]error, len(all))
	var group errgroup.Group
	group.SetLimit(5)
	for i, opts := range all {
		group.Go(func() error {
			reports[i], failures[i] = self(t).Run(t.Context(), opts, os.Stderr, func(string) {})
			return nil
		})
	}
	_ = group.Wait() // failures are of each
	for i, opts := range all {
		t.Run(fmt.Sprintf("%s/ha=%t/guard=%t/break=%s", opts.Layout, opts.HA, opts.Guard, opts.Break), func(t *testing.T) {
			skipUnsupported(t, failures[i])
			report := reports[i]
			have, want := seen(report), predicted(t, report)
			if difference := cmp.Diff(want, have); difference != "" {
				t.Errorf("packets took other ways (-predicted +seen):\n%s", difference)
			}
			wantVerdict := lab.VerdictVisible
			if opts.Layout == v1alpha1.LayoutLegacy && (opts.HA || opts.Break == lab.SideShoot) {
				// Without high availability the proxy is gone with the VPN server, which is seen even so.
				wantVerdict = lab.VerdictHidden
			}
			if report.Verdict != wantVerdict {
				t.Errorf("verdict %q, want %q", report.Verdict, wantVerdict)
			}
		})
	}
}

func allOptions() []lab.Options {
	var all []lab.Options
	for _, layout := range []v1alpha1.Layout{v1alpha1.LayoutSplit, v1alpha1.LayoutOutside, v1alpha1.LayoutLegacy} {
		for _, ha := range []bool{false, true} {
			for _, guard := range []bool{false, true} {
				if guard && layout == v1alpha1.LayoutLegacy {
					continue // it would end the reproduction, and environments of this layout have none
				}
				for _, side := range []lab.Side{lab.SideSeed, lab.SideShoot} {
					all = append(all, lab.Options{Layout: layout, HA: ha, Guard: guard, Break: side})
				}
			}
		}
	}
	return all
}

// way is a line of a report without what differs from run to run.
type way struct {
	Phase, Check, From, To string
	Path                   lab.Path
}

func seen(report *lab.Report) []way {
	var ways []way
	for _, phase := range report.Phases {
		for _, result := range append(phase.Checks, phase.Connects...) {
			ways = append(ways, way{phase.Name, result.Check, result.From, result.To, result.Path})
		}
	}
	return ways
}

// predicted are the same lines, from the address plan alone.
func predicted(t *testing.T, report *lab.Report) []way {
	t.Helper()
	plan, err := netplan.New(report.Environment())
	if err != nil {
		t.Fatal(err)
	}
	network, err := vpn.New(plan, plan.Shoots[0], report.Guard)
	if err != nil {
		t.Fatal(err)
	}
	servers := []string{lab.VPNSeedServer}
	if report.HA {
		servers = []string{lab.VPNSeedServer + "-0", lab.VPNSeedServer + "-1"}
	}
	var ways []way
	for i, phase := range report.Phases {
		broken := i > 0
		serverGone := broken && report.Break == lab.SideSeed
		checked := func(to netip.Addr) lab.Path {
			if serverGone && !report.HA {
				return lab.PathNone // the proxy is gone
			}
			return whenBroken(tracePath(t, network, to), broken)
		}
		ways = append(
			ways,
			way{phase.Name, "logs", lab.KubeAPIServer, lab.Machine, checked(report.Machine)},
			way{phase.Name, "port-forward", lab.KubeAPIServer, lab.Machine, checked(report.Machine)},
			way{phase.Name, "metrics", lab.KubeAPIServer, lab.MetricsServer, checked(report.MetricsService)},
		)
		connect := func(from string, namespace *route.Namespace) {
			ways = append(ways, way{phase.Name, "connect", from, lab.Machine, whenBroken(ownPath(namespace, report), broken)})
		}
		connect(lab.KubeAPIServer, &network.KubeAPIServer)
		for _, server := range servers {
			if !serverGone {
				connect(server, &network.VPNSeedServer)
			}
		}
		connect(lab.Prometheus, &route.Namespace{Table: podTable(t)})
		ways = append(ways, way{phase.Name, "connect", lab.SeedNode2, lab.Machine, lab.PathDirect})
	}
	return ways
}

func tracePath(t *testing.T, network *vpn.Network, to netip.Addr) lab.Path {
	t.Helper()
	target, err := network.Target(to.String())
	if err != nil {
		t.Fatal(err)
	}
	trace, err := network.Trace(vpn.KubeAPIServer, target)
	if err != nil {
		t.Fatal(err)
	}
	piece := trace.Pieces[0]
	return pathOf(piece.Class, piece.Guarded)
}

// ownPath is the way by a pod's own routes.
func ownPath(namespace *route.Namespace, report *lab.Report) lab.Path {
	return pathOf(namespace.Decide(report.Machine).Class, report.Guard)
}

func pathOf(class route.Class, guarded bool) lab.Path {
	switch {
	case class == route.ClassVPN:
		return lab.PathVPN
	case class == route.ClassDirect && !guarded:
		return lab.PathDirect
	default:
		return lab.PathNone
	}
}

func whenBroken(path lab.Path, broken bool) lab.Path {
	if broken && path == lab.PathVPN {
		return lab.PathNone
	}
	return path
}

func podTable(t *testing.T) *route.Table {
	t.Helper()
	routes, err := route.Parse(strings.NewReader("default via 169.254.1.1 dev eth0\n169.254.1.1 dev eth0 scope link\n"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := route.NewTable(routes)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestNothingBroken(t *testing.T) {
	t.Parallel()
	report := run(t, lab.Options{Layout: v1alpha1.LayoutSplit, HA: true, Guard: true, Break: lab.SideNone})
	if len(report.Phases) != 1 || report.Verdict != lab.VerdictNotBroken || len(report.Bypasses) > 0 {
		t.Errorf("have %d phases, verdict %q, bypasses %v", len(report.Phases), report.Verdict, report.Bypasses)
	}
}

func TestShellSeesOnlyItsNamespace(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("there is no ip program to look with")
	}
	opts := lab.Options{Layout: v1alpha1.LayoutSplit, Break: lab.SideNone}
	shell := lab.ShellOptions{Namespace: lab.VPNSeedServer, Command: []string{"sh", "-c", "ip route | grep -q 'dev tun0' && ip netns exec machine ip addr | grep -q 10.0.0.7 && exit 42"}}
	code, err := self(t).Shell(t.Context(), opts, shell, func(string) {})
	skipUnsupported(t, err)
	if code != 42 {
		t.Errorf("exit code %d, want 42: the command's own", code)
	}
}
