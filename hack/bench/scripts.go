// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/plain"
	"github.com/gardener/kindling/pkg/render"
)

// patience is how long the scripts wait for one thing, in kubectl's notation.
const patience = "--timeout=600s"

// scripts make a cluster as Gardener's scripts do: each call after the one before has ended. The order is that of hack/kind-up.sh.
type scripts struct {
	*bench
	cluster v1alpha1.Cluster
	// kind is the program, of the version whose library kindling uses.
	kind string
	// kubeconfig and the folder of the rendered files.
	kubeconfig, files string
	nodes             []string
}

// script is a part of the scripts.
type script struct {
	name string
	run  func(context.Context) error
}

// newScripts builds kind, and renders what is applied: the scripts have their files, too.
func newScripts(ctx context.Context, b *bench, dir string) (*scripts, error) {
	s := &scripts{
		bench: b, cluster: b.env.Spec.Clusters[0],
		kind: filepath.Join(dir, "kind"), kubeconfig: filepath.Join(dir, "kubeconfig"), files: filepath.Join(dir, "files"),
	}
	if _, err := output(ctx, nil, "go", "build", "-o", s.kind, "sigs.k8s.io/kind"); err != nil {
		return nil, err
	}
	cgroupV1, err := output(ctx, nil, "docker", "info", "--format", "{{.CgroupVersion}}")
	if err != nil {
		return nil, err
	}
	rendered, err := render.Files(b.env, b.plan, render.Options{
		Dir: s.files, CgroupV1: strings.TrimSpace(string(cgroupV1)) == "1", Encapsulation: v1alpha1.EncapsulationVXLANCrossSubnet,
	})
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.files, 0o700); err != nil {
		return nil, err
	}
	for _, file := range rendered {
		if err := os.WriteFile(filepath.Join(s.files, file.Name), file.Content, 0o600); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *scripts) way() way {
	return way{name: "scripts", up: s.up, down: s.down}
}

func (s *scripts) up(ctx context.Context) ([]phase, error) {
	var phases []phase
	for _, part := range []script{
		{"network", s.network},
		{"kind", s.create},
		{"nodes", s.settings},
		{"pod network", s.podNetwork},
		{"metrics-server", s.metricsServer},
		{"certificates", s.certificates},
		{"ready", s.ready},
	} {
		begin := time.Now()
		if err := part.run(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
		phases = append(phases, phase{part.name, time.Since(begin)})
	}
	return phases, nil
}

func (s *scripts) down(ctx context.Context) error {
	if _, err := output(ctx, nil, s.kind, "delete", "cluster", "--name", s.cluster.Name, "--kubeconfig", s.kubeconfig); err != nil {
		return err
	}
	_, err := output(ctx, nil, "docker", "network", "rm", netplan.ContainerNetwork)
	return err
}

func (s *scripts) network(ctx context.Context) error {
	args := []string{"network", "create", "--driver", "bridge", "--opt", "com.docker.network.bridge.enable_ip_masquerade=true"}
	for _, family := range s.plan.Families {
		args = append(args, "--subnet", family.Container.String())
	}
	_, err := output(ctx, nil, "docker", append(args, netplan.ContainerNetwork)...)
	return err
}

func (s *scripts) create(ctx context.Context) error {
	_, err := output(ctx, nil, s.kind, "create", "cluster", "--name", s.cluster.Name, "--kubeconfig", s.kubeconfig,
		"--config", filepath.Join(s.files, "kind-"+s.cluster.Name+".yaml"))
	if err != nil {
		return err
	}
	nodes, err := output(ctx, nil, s.kind, "get", "nodes", "--name", s.cluster.Name)
	s.nodes = strings.Fields(string(nodes))
	return err
}

// kubectl is called once for each thing.
func (s *scripts) kubectl(ctx context.Context, args ...string) ([]byte, error) {
	return output(ctx, nil, "kubectl", append([]string{"--kubeconfig", s.kubeconfig}, args...)...)
}

func (s *scripts) settings(ctx context.Context) error {
	if _, err := s.kubectl(ctx, "annotate", "storageclass", "standard", "defaultVolumeType=local"); err != nil {
		return err
	}
	for _, node := range s.nodes {
		for _, limit := range []string{"fs.inotify.max_user_instances=8192", "fs.inotify.max_user_watches=524288"} {
			if _, err := output(ctx, nil, "docker", "exec", node, "sysctl", limit); err != nil {
				return err
			}
		}
		// As the scripts do, without looking whether there is a taint.
		_, _ = s.kubectl(ctx, "taint", "node", node, "node-role.kubernetes.io/control-plane:NoSchedule-")
	}
	return s.applyIfThere(ctx, "node-capacity.yaml")
}

func (s *scripts) applyIfThere(ctx context.Context, name string) error {
	path := filepath.Join(s.files, name)
	if _, err := os.Stat(path); err != nil {
		return nil //nolint:nilerr // not every environment has each file
	}
	_, err := s.kubectl(ctx, "apply", "--server-side", "-f", path)
	return err
}

func (s *scripts) podNetwork(ctx context.Context) error {
	if s.plan.NetworkPlugin == v1alpha1.NetworkPluginPlain {
		return s.plainNetwork(ctx)
	}
	if _, err := s.kubectl(ctx, "apply", "--server-side", "-f", s.env.Spec.Calico.Manifest.Path); err != nil {
		return err
	}
	for _, daemonSet := range []string{"daemonset/calico-node", "deployment/calico-kube-controllers"} {
		if _, err := s.kubectl(ctx, "-n", "kube-system", "rollout", "status", daemonSet, patience); err != nil {
			return err
		}
	}
	return s.applyIfThere(ctx, "calico-pools.yaml")
}

// plainNetwork stands where the scripts apply Calico.
func (s *scripts) plainNetwork(ctx context.Context) error {
	var nodes []plain.Node
	for _, name := range s.nodes {
		address, err := output(ctx, nil, "docker", "inspect", "--format", "{{.NetworkSettings.Networks."+netplan.ContainerNetwork+".IPAddress}}", name)
		if err != nil {
			return err
		}
		parsed, err := netip.ParseAddr(strings.TrimSpace(string(address)))
		if err != nil {
			return err
		}
		nodes = append(nodes, plain.Node{Name: name, Addresses: []netip.Addr{parsed}})
	}
	family, has := s.plan.Family(v1alpha1.IPv4)
	if !has {
		return fmt.Errorf("the benchmark makes a plain network for IPv4 only")
	}
	nodes, err := plain.Assign([]netip.Prefix{family.SeedPods}, nodes)
	if err != nil {
		return err
	}
	for _, node := range nodes {
		for _, route := range plain.Routes(node, nodes) {
			if _, err := output(ctx, nil, "docker", "exec", node.Name, "ip", "route", "replace", route.Destination.String(), "via", route.Via.String()); err != nil {
				return err
			}
		}
		if _, err := output(ctx, nil, "docker", "exec", node.Name, "iptables", "-t", "nat", "-A", "POSTROUTING",
			"-s", family.SeedPods.String(), "!", "-d", family.Pods.String(), "-j", "MASQUERADE"); err != nil {
			return err
		}
		config, err := plain.Config(node)
		if err != nil {
			return err
		}
		if _, err := output(ctx, config, "docker", "exec", "--interactive", node.Name, "tee", plain.ConfigPath); err != nil {
			return err
		}
	}
	return nil
}

func (s *scripts) metricsServer(ctx context.Context) error {
	return s.applyIfThere(ctx, "metrics-server.yaml")
}

// certificates of kubelets are asked for every second, node after node, as the scripts do from v1.96 on.
func (s *scripts) certificates(ctx context.Context) error {
	for _, node := range s.nodes {
		for {
			found, err := s.kubectl(ctx, "get", "csr", "--field-selector", "spec.signerName=kubernetes.io/kubelet-serving",
				"--output", `jsonpath={range .items[?(@.spec.username=="system:node:`+node+`")]}{.metadata.name}{" "}{end}`)
			if err != nil {
				return err
			}
			if names := strings.Fields(string(found)); len(names) > 0 {
				if _, err := s.kubectl(ctx, append([]string{"certificate", "approve"}, names...)...); err != nil {
					return err
				}
				break
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Second):
			}
		}
	}
	return nil
}

func (s *scripts) ready(ctx context.Context) error {
	if _, err := s.kubectl(ctx, "wait", "--for=condition=Ready", "nodes", "--all", patience); err != nil {
		return err
	}
	_, err := s.kubectl(ctx, "-n", "kube-system", "rollout", "status", "deployment/coredns", patience)
	return err
}
