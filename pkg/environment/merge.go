// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// merge puts the entries of a kubeconfig into the user's, when the user asked for it, and makes its context the current one, as
// kind does.
func (e *Environment) merge(ctx context.Context, cluster string, kubeconfig []byte) error {
	if e.MergeInto == "" {
		return nil
	}
	e.merging.Lock()
	defer e.merging.Unlock()
	entries, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return fmt.Errorf("reading the cluster's kubeconfig: %w", err)
	}
	if err := e.record.changeCluster(cluster, func(known *clusterRecord) { known.Merged = e.MergeInto }); err != nil {
		return err
	}
	return changeUserConfig(ctx, e.MergeInto, func(config *clientcmdapi.Config) {
		maps.Copy(config.Clusters, entries.Clusters)
		maps.Copy(config.AuthInfos, entries.AuthInfos)
		maps.Copy(config.Contexts, entries.Contexts)
		config.CurrentContext = entries.CurrentContext
	})
}

// isMerged says whether the user's kubeconfig holds the cluster as it is now; true when nobody asked for that.
func (e *Environment) isMerged(kubeconfig []byte) (bool, error) {
	if e.MergeInto == "" {
		return true, nil
	}
	entries, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return false, fmt.Errorf("reading the cluster's kubeconfig: %w", err)
	}
	config, err := clientcmd.LoadFromFile(e.MergeInto)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the kubeconfig to merge into: %w", err)
	}
	for name, cluster := range entries.Clusters {
		if !sameCluster(config.Clusters[name], cluster) || config.Clusters[name].Server != cluster.Server {
			return false, nil
		}
	}
	return true, nil
}

// unmerge takes out the entries that merge put in: those of the same name and certificate authority as in the cluster's own file.
func (e *Environment) unmerge(ctx context.Context, cluster, path string) error {
	e.merging.Lock()
	defer e.merging.Unlock()
	known, err := e.record.cluster(cluster)
	if err != nil || known.Merged == "" {
		return err
	}
	entries, err := clientcmd.LoadFromFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the cluster's kubeconfig: %w", err)
	}
	if _, statErr := os.Stat(known.Merged); err == nil && statErr == nil {
		err = changeUserConfig(ctx, known.Merged, func(config *clientcmdapi.Config) { removeEntries(config, entries) })
		if err != nil {
			return err
		}
	}
	return e.record.changeCluster(cluster, func(known *clusterRecord) { known.Merged = "" })
}

func removeEntries(config, entries *clientcmdapi.Config) {
	for name, cluster := range entries.Clusters {
		if !sameCluster(config.Clusters[name], cluster) {
			continue
		}
		delete(config.Clusters, name)
		delete(config.AuthInfos, name) // kind gives cluster, user and context one name
		delete(config.Contexts, name)
		if config.CurrentContext == name {
			config.CurrentContext = ""
		}
	}
}

func sameCluster(a, b *clientcmdapi.Cluster) bool {
	return a != nil && b != nil && bytes.Equal(a.CertificateAuthorityData, b.CertificateAuthorityData)
}

// lockTime bounds the wait for other programs that change the same kubeconfig, of which each takes milliseconds. The pause between two looks
// is up to lockPause: with a fixed one several that wait could always meet.
const (
	lockTime  = 10 * time.Second
	lockPause = 20 * time.Millisecond
)

// changeUserConfig reads and writes a kubeconfig under the lock file that kubectl takes too. client-go's own function for that reads
// before it locks, and can't cope with relative paths.
func changeUserConfig(ctx context.Context, path string, change func(*clientcmdapi.Config)) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the file is replaced, not the link to it
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the folder of the kubeconfig: %w", err)
	}
	unlock, err := lockKubeconfig(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	config, err := clientcmd.LoadFromFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		config, err = clientcmdapi.NewConfig(), nil
	}
	if err != nil {
		return fmt.Errorf("reading the kubeconfig %s: %w", path, err)
	}
	change(config)
	data, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("encoding the kubeconfig %s: %w", path, err)
	}
	if err := renameio.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("changing the kubeconfig %s: %w", path, err)
	}
	return nil
}

func lockKubeconfig(ctx context.Context, path string) (unlock func(), err error) {
	lock := path + ".lock"
	late := time.After(lockTime)
	for {
		file, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL, 0)
		if err == nil {
			_ = file.Close()
			return func() { _ = os.Remove(lock) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("locking the kubeconfig: %w", err)
		}
		select {
		case <-time.After(rand.N(lockPause)): //nolint:gosec // nobody gains by guessing it
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the lock %s: %w", lock, ctx.Err())
		case <-late:
			return nil, fmt.Errorf("the kubeconfig %s is locked by another program: wait for it, or remove %s when there is none", path, lock)
		}
	}
}
