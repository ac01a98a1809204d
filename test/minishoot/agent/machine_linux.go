// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// Where the machine's parts are. Configuration comes from a Secret, as the user data of a machine does.
const (
	userData = "/etc/machine"
	socket   = "/run/containerd/containerd.sock"
	images   = "/opt/minishoot/images.tar"
)

// machine is what a machine of provider-local does: it runs a container runtime and a kubelet. Both are the programs of the node that
// the pod is on.
func machine(ctx context.Context) error {
	if err := placeConfiguration(); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	start := func(program string, args ...string) {
		group.Go(func() error { return runProgram(ctx, program, args...) })
	}
	start("containerd", "--config", filepath.Join(userData, "containerd.toml"))
	if err := importImages(ctx); err != nil {
		return errors.Join(err, group.Wait())
	}
	start("kubelet", "--config="+filepath.Join(userData, "kubelet.yaml"), "--kubeconfig="+filepath.Join(userData, "kubelet.kubeconfig"),
		"--hostname-override="+os.Getenv("NODE_NAME"), "--node-ip="+os.Getenv("POD_IP"))
	return group.Wait()
}

// placeConfiguration puts the network of the shoot's pods where the container runtime looks.
func placeConfiguration() error {
	const folder = "/etc/cni/net.d"
	data, err := os.ReadFile(filepath.Join(userData, "cni.conflist"))
	if err != nil {
		return fmt.Errorf("reading the network configuration: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder for the network configuration: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "10-minishoot.conflist"), data, 0o600); err != nil {
		return fmt.Errorf("writing the network configuration: %w", err)
	}
	// kubelets want to see changes of mounts below their folder.
	if err := unix.Mount("", "/", "", unix.MS_SHARED|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("sharing mounts: %w", err)
	}
	return nil
}

// importImages waits for the container runtime and gives it the images of the node.
func importImages(ctx context.Context) error {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		if err := exec.CommandContext(ctx, "ctr", "version").Run(); err == nil {
			return runProgram(ctx, "ctr", "--namespace=k8s.io", "images", "import", images)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", socket, ctx.Err())
		case <-ticker.C:
		}
	}
}

// runProgram runs a program until it ends or the context does.
func runProgram(ctx context.Context, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
