// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"os"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/vpn"
	"github.com/gardener/kindling/test/minishoot"
)

// playBrokenOff ends runs while the VPN is broken, which must not leave it so: by a signal, with the seed's API server gone, and by a
// signal that nobody can answer.
func playBrokenOff(ctx context.Context, s *suite, fixture *minishoot.Fixture, file string) {
	if err := fixture.Set(ctx, minishoot.Faults{}); err != nil {
		s.t.Fatal(err)
	}
	checkReach(ctx, s, fixture, true, true)
	s.sub("interrupted", func(s *suite) {
		code, output := breakOff(ctx, s, fixture, file, func() {}, syscall.SIGINT)
		if code != 130 || !strings.Contains(output, "restore") {
			s.t.Errorf("exit code %d, want 130 and a word of restoring\n%s", code, output)
		}
		checkRestored(ctx, s, fixture)
	})
	s.sub("API server gone", func(s *suite) {
		stop := func() {
			s.docker("exec", "verify-control-plane", "pkill", "-KILL", "-f", "^kube-apiserver --advertise-address=172")
		}
		code, output := breakOff(ctx, s, fixture, file, stop, syscall.SIGTERM)
		if code != 130 {
			s.t.Errorf("exit code %d, want 130\n%s", code, output)
		}
		checkRestored(ctx, s, fixture)
	})
	s.sub("killed", func(s *suite) {
		if code, output := breakOff(ctx, s, fixture, file, func() {}, syscall.SIGKILL); code != -1 {
			s.t.Fatalf("exit code %d, want a process that was killed\n%s", code, output)
		}
		r := s.want(1, s.run("verify", "-f", file, "--break", breakShoot))
		if !strings.Contains(r.stderr, "kindling verify --restore") {
			s.t.Errorf("the next run does not say what to do:\n%s", r.stderr)
		}
		s.want(0, s.run("verify", "-f", file, "--restore"))
		checkRestored(ctx, s, fixture)
		r = s.want(0, s.run("verify", "-f", file, "--restore"))
		s.t.Log(r.stdout, r.stderr)
	})
}

// breakOff runs verify until the shoot's end of the VPN is gone, and sends it a signal.
func breakOff(ctx context.Context, s *suite, fixture *minishoot.Fixture, file string, first func(), signal os.Signal) (int, string) {
	s.t.Helper()
	command := s.command("verify", "-f", file, "--break", breakShoot, "--skip", "static,routes,negative-control")
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		s.t.Fatal(err)
	}
	waited, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	stop := context.AfterFunc(waited, func() { _ = command.Process.Kill() })
	defer stop()
	if err := kube.Wait(waited, []kube.Condition{tunnelReplicas(fixture, 0)}, func([]kube.Pending) {}); err != nil {
		s.t.Errorf("the VPN is not broken: %v", err)
	}
	first()
	if err := command.Process.Signal(signal); err != nil {
		s.t.Errorf("sending the signal: %v", err)
	}
	_ = command.Wait()
	return command.ProcessState.ExitCode(), output.String()
}

// tunnelReplicas holds when vpn-shoot is scaled to a number.
func tunnelReplicas(fixture *minishoot.Fixture, want int64) kube.Condition {
	return kube.Condition{Name: vpn.VPNShoot, Check: func(ctx context.Context) ([]kube.Pending, error) {
		live, err := fixture.Shoot().Get(ctx, kube.Reference("apps/v1", "Deployment", "kube-system", vpn.VPNShoot))
		if err != nil || live == nil {
			return []kube.Pending{{Object: vpn.VPNShoot, Reason: "is not there"}}, err
		}
		if have, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas"); have != want {
			return []kube.Pending{{Object: vpn.VPNShoot, Reason: "is not scaled"}}, nil
		}
		return nil, nil
	}}
}

// checkRestored looks at what a run changes: nothing of it may be left, and the VPN must work again.
func checkRestored(ctx context.Context, s *suite, fixture *minishoot.Fixture) {
	s.t.Helper()
	pending, err := tunnelReplicas(fixture, 1).Check(ctx)
	if err != nil || len(pending) > 0 {
		s.t.Errorf("vpn-shoot is not as it was: %v %v", pending, err)
	}
	shoot := s.mustKubectl("verify-control-plane", "get", "shoots.core.gardener.cloud", "--namespace", minishoot.Project, minishoot.Name,
		"--output", "jsonpath={.metadata.annotations}")
	if strings.Contains(shoot, "shoot.gardener.cloud/ignore") {
		s.t.Errorf("the shoot is ignored still: %s", shoot)
	}
	checkReach(ctx, s, fixture, true, true)
}
