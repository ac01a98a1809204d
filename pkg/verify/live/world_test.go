// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/exec"

	"github.com/gardener/kindling/pkg/verify"
)

// seedObjects are a garden and a seed in one cluster, with a shoot whose networks are split.
const seedObjects = `
{apiVersion: core.gardener.cloud/v1beta1, kind: Seed, metadata: {name: local}, spec: {networks: {nodes: 172.18.0.0/24, pods: 10.1.0.0/16, services: 10.2.0.0/16}}}
---
apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: local, namespace: garden-local}
spec: {seedName: local, provider: {workers: [{name: a}]}, networking: {nodes: 10.0.0.0/20, pods: 10.3.0.0/16, services: 10.4.0.0/16}}
status: {technicalID: shoot--local--local, lastOperation: {type: Reconcile, state: Succeeded}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shoot--local--local}}
---
{apiVersion: v1, kind: Node, metadata: {name: kind-control-plane}}
---
apiVersion: v1
kind: Pod
metadata: {name: machine-a, namespace: shoot--local--local, labels: {app: machine}, annotations: {cni.projectcalico.org/ipv4pools: '["machines"]'}}
spec: {nodeName: kind-control-plane, containers: [{name: node, image: machine:1}]}
status: {phase: Running, podIP: 10.0.0.7}
---
apiVersion: v1
kind: Pod
metadata: {name: vpn-seed-server-x, namespace: shoot--local--local, labels: {app: vpn-seed-server, networking.gardener.cloud/to-dns: allowed}}
spec: {containers: [{name: vpn-seed-server}]}
status: {phase: Running, podIP: 10.1.0.6, conditions: [{type: Ready, status: "True"}]}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: vpn-seed-server, namespace: shoot--local--local}, spec: {replicas: 1}}
---
{apiVersion: resources.gardener.cloud/v1alpha1, kind: ManagedResource, metadata: {name: shoot-core-vpn-shoot, namespace: shoot--local--local}}
---
{apiVersion: crd.projectcalico.org/v1, kind: IPPool, metadata: {name: machines}, spec: {cidr: 10.0.0.0/16, nodeSelector: "!all()"}}
---
{apiVersion: crd.projectcalico.org/v1, kind: GlobalNetworkPolicy, metadata: {name: kindling.forbid-seed-to-machines}}`

const shootObjects = `
{apiVersion: v1, kind: Node, metadata: {name: machine-a}, status: {addresses: [{type: InternalIP, address: 10.0.0.7}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: vpn-shoot, namespace: kube-system}, spec: {replicas: 1}}
---
apiVersion: v1
kind: Pod
metadata: {name: vpn-shoot-x, namespace: kube-system, labels: {app: vpn-shoot}}
spec: {nodeName: machine-a, containers: [{name: vpn-shoot}]}
status: {phase: Running, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: coredns-x, namespace: kube-system}
spec: {nodeName: machine-a, containers: [{name: coredns}]}
status: {phase: Running}`

// world is a seed with a shoot, and what goes which way.
type world struct {
	seed, shoot *fakeCluster
	// open says that the seed's pod network lets anybody connect to kubelets, lifted that the guard was lifted for the dry namespace.
	open, guarded bool
	routes        string
	// tunnel says whether the metrics' half and the rest of the tunnel work.
	tunnel, services bool
	// silent makes the shoot's API server itself not answer.
	silent atomic.Bool
}

const vpnRoutes = "default via 169.254.1.1 dev eth0\n10.0.0.0/20 dev tun0\n10.3.0.0/16 dev tun0\n10.4.0.0/16 dev tun0\n"

func newWorld() *world {
	w := &world{seed: newFake(seedObjects), shoot: newFake(shootObjects), guarded: true, routes: vpnRoutes, tunnel: true, services: true}
	w.seed.exec = w.command
	w.shoot.exec = func(_, _ string, _ []string) ([]byte, error) { return nil, w.way(w.open, w.tunnel) }
	w.shoot.port = func(context.Context) error { return w.way(w.open, w.tunnel) }
	w.shoot.path = func(_ context.Context, path string) error {
		switch {
		case path == "/version" && w.silent.Load():
			return fmt.Errorf("connection refused")
		case path == "/version":
			return nil
		case strings.HasPrefix(path, "/apis/metrics"):
			return w.way(false, w.services)
		default:
			return w.way(w.open, w.tunnel)
		}
	}
	return w
}

// way answers as the shoot's API server does for what goes through the VPN, or past it.
func (w *world) way(direct, tunnel bool) error {
	if direct || tunnel && w.runs(w.seed, "vpn-seed-server") && w.runs(w.shoot, "vpn-shoot") {
		return nil
	}
	return apierrors.NewInternalError(fmt.Errorf("error dialing backend: dial tcp 10.0.0.7:10250: i/o timeout"))
}

func (w *world) runs(cluster *fakeCluster, workload string) bool {
	cluster.mutex.Lock()
	defer cluster.mutex.Unlock()
	for name := range cluster.objects {
		if strings.HasPrefix(name, "Pod/") && strings.HasSuffix(name, "/"+workload+"-x") {
			return true
		}
	}
	return false
}

// command runs ip and curl.
func (w *world) command(namespace, _ string, command []string) ([]byte, error) {
	switch {
	case slices.Equal(command, []string{"ip", "route"}):
		return []byte(w.routes), nil
	case command[0] != "curl":
		return nil, exec.CodeExitError{Err: fmt.Errorf("no such program"), Code: 127}
	}
	w.seed.mutex.Lock()
	lifted := w.seed.objects["GlobalNetworkPolicy//kindling.verify-1"] != nil
	w.seed.mutex.Unlock()
	dry := strings.HasPrefix(namespace, "kindling-verify-")
	if dry && (lifted || !w.guarded) {
		return []byte("0.000000"), exec.CodeExitError{Err: fmt.Errorf("curl: connect to 10.0.9.9 failed: Connection refused"), Code: 7}
	}
	if !dry && w.open {
		return []byte("0.000312"), exec.CodeExitError{Err: fmt.Errorf("curl: 35"), Code: 35}
	}
	return []byte("0.000000"), exec.CodeExitError{Err: fmt.Errorf("curl: 28"), Code: 28}
}

// options of a run that has little patience. All evidence is of one time.
func (w *world) options(t *testing.T, side verify.Side) Options {
	t.Helper()
	return Options{
		Seed: w.seed, Garden: w.seed, ShootKubeconfig: []byte("given"), Connect: func([]byte) (Cluster, error) { return w.shoot, nil },
		Break: side, StateDir: t.TempDir(), ID: "1", Report: func(line string) { t.Log(line) },
		Now:      func() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) },
		Patience: Patience{time.Millisecond, time.Millisecond, time.Millisecond, time.Millisecond},
	}
}
