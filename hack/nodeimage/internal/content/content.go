// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package content fills a store of containerd with images, without unpacking
// them: nodes do that when they start a pod.
package content

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gardener/kindling/hack/nodeimage/internal/run"
	"github.com/gardener/kindling/hack/nodeimage/internal/tarfile"
)

// startTimeout is how long containerd may take until it answers.
const startTimeout = 30 * time.Second

// namespace is where kubelet's images are.
const namespace = "k8s.io"

// parts are the folders of a store that hold images: the bytes, and their
// names. A node makes the others itself.
func parts() []string {
	return []string{"io.containerd.content.v1.content", "io.containerd.metadata.v1.bolt"}
}

// WriteLayer imports an image archive and writes the store as a layer that
// belongs at /var/lib/containerd. Programs is the folder with containerd and
// ctr, which run on this machine.
func WriteLayer(ctx context.Context, programs, archive, target string) (err error) {
	// A folder with a short path: a socket's path may have 107 bytes.
	folder, err := os.MkdirTemp("", "ctr-")
	if err != nil {
		return fmt.Errorf("cannot make a folder for containerd: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	store := target + ".store"
	if err := errors.Join(os.RemoveAll(store), os.Mkdir(store, 0o700)); err != nil {
		return fmt.Errorf("cannot make a folder for images: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(store)) }()
	if err := importInto(ctx, programs, folder, store, archive); err != nil {
		return err
	}
	var entries []tarfile.Entry
	for _, part := range parts() {
		entries = append(entries, tarfile.Entry{Path: "var/lib/containerd/" + part, Tree: filepath.Join(store, part)})
	}
	return tarfile.Write(target, entries)
}

// importInto runs containerd as long as the import takes. It has ended, and
// its files are complete, when this returns.
func importInto(ctx context.Context, programs, folder, store, archive string) error {
	config := filepath.Join(folder, "config.toml")
	// A file of its own, lest it reads that of this machine.
	if err := os.WriteFile(config, []byte("version = 3\n"), 0o644); err != nil {
		return fmt.Errorf("cannot configure containerd: %w", err)
	}
	socket := filepath.Join(folder, "s")
	serving, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		server := run.Command{Name: filepath.Join(programs, "containerd"), Args: []string{
			"--config", config, "--root", store, "--state", filepath.Join(folder, "state"), "--address", socket,
		}}
		ended <- server.Run(serving)
	}()
	client := run.Command{Name: filepath.Join(programs, "ctr"), Args: []string{"--address", socket}}
	err := waitForAnswer(ctx, client, ended)
	if err != nil {
		return err
	}
	client.Args = append(client.Args, "--namespace", namespace, "images", "import", "--all-platforms", "--no-unpack", archive)
	err = client.Run(ctx)
	stop()
	<-ended //nolint:errcheck // it was told to stop: how it did does not matter
	return err
}

// waitForAnswer asks again and again; each question waits a moment itself.
func waitForAnswer(ctx context.Context, client run.Command, ended <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client.Args = append(slices.Clip(client.Args), "--connect-timeout", "1s", "version")
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		_, err := client.Output(ctx)
		if err == nil {
			return nil
		}
		select {
		case failed := <-ended:
			return fmt.Errorf("containerd does not run on this machine: %w", failed)
		case <-ctx.Done():
			return fmt.Errorf("containerd does not answer: %w", err)
		case <-ticker.C:
		}
	}
}
