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
	"os"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/gardener/kindling/pkg/userconfig"
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
	return userconfig.Change(ctx, e.MergeInto, func(config *clientcmdapi.Config) {
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
	config, err := userconfig.Load(e.MergeInto)
	if err != nil {
		// Not there, or another program is just writing it. What is damaged for good is an error where it is read under the lock.
		return false, nil //nolint:nilerr // merge says it
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
	entries, err := userconfig.Load(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the cluster's kubeconfig: %w", err)
	}
	if _, statErr := os.Stat(known.Merged); err == nil && statErr == nil {
		err = userconfig.Change(ctx, known.Merged, func(config *clientcmdapi.Config) { removeEntries(config, entries) })
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
