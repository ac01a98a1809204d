// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gardener/kindling/internal/bounded"
	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/userconfig"
	"github.com/gardener/kindling/pkg/verify/live"
)

// clusters opens seed and garden, and remembers which files they come from.
func (o *verifyOptions) clusters(streams IOStreams, args []string) (seed, garden live.Cluster, err error) {
	if o.files.Seed == "" {
		if o.files.Seed, err = o.environmentKubeconfig(streams, args); err != nil {
			return nil, nil, err
		}
	}
	for _, path := range []*string{&o.files.Seed, &o.files.Garden, &o.files.Shoot} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, nil, fmt.Errorf("finding the kubeconfig: %w", err)
		}
	}
	return openClusters(o.files)
}

// environmentKubeconfig is the file of the first cluster of the environment.
func (o *verifyOptions) environmentKubeconfig(streams IOStreams, args []string) (string, error) {
	env, _, err := o.load(streams, args)
	if err != nil {
		return "", err
	}
	options := environmentOptions{selection: o.selection, dir: o.dir}
	placed := environment.Options{Dir: o.dir}
	if err := options.place(&placed, env); err != nil {
		return "", err
	}
	path := environment.KubeconfigPath(placed.Dir)
	if _, err := os.Stat(path); err != nil {
		return "", &UsageError{fmt.Errorf("environment %s has no kubeconfig (%w): bring it up with kindling up, or give --seed-kubeconfig", env.Metadata.Name, err)}
	}
	return path, nil
}

func openClusters(files live.Kubeconfigs) (seed, garden live.Cluster, err error) {
	if seed, err = openCluster(files.Seed); err != nil || files.Garden == "" {
		return seed, seed, err
	}
	garden, err = openCluster(files.Garden)
	return seed, garden, err
}

func openCluster(path string) (live.Cluster, error) {
	kubeconfig, err := readKubeconfig(path)
	if err != nil {
		return nil, err
	}
	client, err := kube.NewClient(kubeconfig)
	if err != nil {
		return nil, &UsageError{fmt.Errorf("%s: %w", path, err)}
	}
	return client, nil
}

func connectSeparately(kubeconfig []byte) (live.Cluster, error) {
	return kube.NewSeparateClient(kubeconfig)
}

func readKubeconfig(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	kubeconfig, err := bounded.ReadYAML(path, userconfig.MaxBytes)
	if err != nil {
		return nil, &UsageError{fmt.Errorf("reading the kubeconfig: %w", err)}
	}
	return kubeconfig, nil
}

// restoreAll finishes all runs that have something to restore, with the kubeconfigs that they were given.
func (o *verifyOptions) restoreAll(ctx context.Context, streams IOStreams, args []string, stateDir string) error {
	journals, err := live.Journals(stateDir)
	if err != nil {
		return err
	}
	if len(journals) == 0 {
		_, err := fmt.Fprintln(streams.Out, "nothing has to be restored")
		return err
	}
	for _, journal := range journals {
		if err := o.restoreOne(ctx, streams, args, journal); err != nil {
			return err
		}
	}
	return nil
}

func (o *verifyOptions) restoreOne(ctx context.Context, streams IOStreams, args []string, journal *live.Journal) error {
	files, err := journal.Kubeconfigs()
	if err != nil {
		return err
	}
	if o.files.Seed == "" {
		o.files.Seed = files.Seed
	}
	if o.files.Garden == "" {
		o.files.Garden = files.Garden
	}
	if o.files.Shoot == "" {
		o.files.Shoot = files.Shoot
	}
	seed, garden, err := o.clusters(streams, args)
	if err != nil {
		return err
	}
	opts := live.Options{Seed: seed, Garden: garden, Connect: connectSeparately, Report: verifyProgress(streams.ErrOut)}
	if opts.ShootKubeconfig, err = readKubeconfig(o.files.Shoot); err != nil {
		return err
	}
	done, err := live.Restore(ctx, journal, opts)
	if err != nil {
		return err
	}
	for _, line := range done {
		if _, err := fmt.Fprintln(streams.Out, line); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(streams.Out, "all is as it was")
	return err
}
