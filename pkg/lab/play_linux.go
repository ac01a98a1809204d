// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// warmUpTries is how often the VPN is asked for metrics before it counts: on a busy machine its processes need a while.
const warmUpTries = 4

// warmUp waits until something has come through the VPN. When nothing does, the checks show it.
func (l *laboratory) warmUp(ctx context.Context) error {
	request := checkRequest{Kind: checkMetrics, Target: netip.AddrPortFrom(l.metricsService, servicePort), Proxy: l.proxy()}
	for range warmUpTries {
		results, err := l.check(ctx, KubeAPIServer, []checkRequest{request})
		if err != nil || results[0].OK() {
			return err
		}
	}
	return nil
}

// proxy is what kube-apiserver asks to dial without high availability.
func (l *laboratory) proxy() netip.AddrPort {
	if l.ha {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(l.box(VPNSeedServer).address, proxyPort)
}

// play does what the report of the fault tells: check, break the VPN, check again with new connections.
func (l *laboratory) play(ctx context.Context, opts Options, say func(string)) (*Report, error) {
	report := &Report{Options: opts, Machine: l.box(Machine).address, MetricsService: l.metricsService}
	say("checking with the VPN up")
	if err := l.addPhase(ctx, report, "VPN up"); err != nil {
		return nil, err
	}
	workload, pods := VPNShoot, []string{VPNShoot}
	if opts.Break == SideSeed {
		workload, pods = VPNSeedServer, l.vpnServers
	}
	if opts.Break != SideNone {
		say("removing " + strings.Join(pods, " and "))
		for _, name := range pods {
			if err := l.remove(name); err != nil {
				return nil, err
			}
		}
		say("checking again, with new connections")
		if err := l.addPhase(ctx, report, "without "+workload); err != nil {
			return nil, err
		}
	}
	report.judge()
	return report, nil
}

func (l *laboratory) addPhase(ctx context.Context, report *Report, name string) error {
	phase := Phase{Name: name}
	kubelet := netip.AddrPortFrom(l.box(Machine).address, kubeletPort)
	metrics := netip.AddrPortFrom(l.metricsService, servicePort)
	proxy := l.proxy()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		phase.Checks, err = l.check(ctx, KubeAPIServer, []checkRequest{
			{checkLogs, kubelet, proxy}, {checkPortForward, kubelet, proxy}, {checkMetrics, metrics, proxy},
		})
		return err
	})
	group.Go(func() (err error) {
		phase.Connects, err = l.connects(ctx, kubelet)
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	report.Phases = append(report.Phases, phase)
	return nil
}

// connects lets every seed pod that is there dial the kubelet by its own routes, side by side; and the machine's node, which no policy
// keeps from its pods.
func (l *laboratory) connects(ctx context.Context, kubelet netip.AddrPort) ([]Result, error) {
	pods := slices.DeleteFunc(slices.Concat([]string{KubeAPIServer}, l.vpnServers, []string{Prometheus, SeedNode2}), func(name string) bool {
		return l.namespaces[name] == nil // it was removed
	})
	connects := make([]Result, len(pods))
	group, ctx := errgroup.WithContext(ctx)
	for i, pod := range pods {
		group.Go(func() error {
			results, err := l.check(ctx, pod, []checkRequest{{Kind: checkConnect, Target: kubelet}})
			if err == nil {
				connects[i] = results[0]
			}
			return err
		})
	}
	return connects, group.Wait()
}

func (l *laboratory) check(ctx context.Context, from string, requests []checkRequest) ([]Result, error) {
	answers, err := check(ctx, l.program, l.namespaces[from], componentConfig{Identity: l.identity, Checks: requests})
	if err != nil {
		return nil, err
	}
	if len(answers) != len(requests) {
		return nil, fmt.Errorf("%d checks in %s have %d answers", len(requests), from, len(answers))
	}
	var results []Result
	for i, request := range requests {
		result := Result{
			Check: string(request.Kind), From: from, To: Machine,
			Path: l.path(answers[i]), Peer: answers[i].Peer, Error: answers[i].Error,
		}
		if request.Kind == checkMetrics {
			result.To = MetricsServer
		}
		results = append(results, result)
	}
	return results, nil
}

// path tells the way by the sender that the server saw: the VPN's client hides what it forwards behind its own address, and
// everything else has kept the address of its pod.
func (l *laboratory) path(answer checkAnswer) Path {
	switch {
	case answer.Error != "":
		return PathNone
	case answer.Peer == l.box(VPNShoot).address:
		return PathVPN
	default:
		return PathDirect
	}
}
