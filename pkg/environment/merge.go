// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// merge puts the entries of a kubeconfig into the user's, when the user asked for it, and makes its context the current one, as
// kind does.
func (e *Environment) merge(kubeconfig []byte) error {
	if e.MergeInto == "" {
		return nil
	}
	entries, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return fmt.Errorf("reading the cluster's kubeconfig: %w", err)
	}
	if err := e.record.change(func(content *recordContent) { content.Merged = e.MergeInto }); err != nil {
		return err
	}
	return e.changeUserConfig(e.MergeInto, func(config *clientcmdapi.Config) {
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
func (e *Environment) unmerge(path string) error {
	content, err := e.record.read()
	if err != nil || content.Merged == "" {
		return err
	}
	entries, err := clientcmd.LoadFromFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the cluster's kubeconfig: %w", err)
	}
	if _, err := os.Stat(content.Merged); err == nil {
		err = e.changeUserConfig(content.Merged, func(config *clientcmdapi.Config) { removeEntries(config, entries) })
		if err != nil {
			return err
		}
	}
	if len(e.clusters) > 0 && path == e.clusters[0].kubeconfigPath() {
		return e.record.change(func(content *recordContent) { content.Merged = "" })
	}
	return nil
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

// changeUserConfig changes a kubeconfig under the lock that kubectl takes too.
func (e *Environment) changeUserConfig(path string, change func(*clientcmdapi.Config)) error {
	access := &clientcmd.PathOptions{GlobalFile: path, LoadingRules: &clientcmd.ClientConfigLoadingRules{ExplicitPath: path}}
	config, err := clientcmd.LoadFromFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		config, err = clientcmdapi.NewConfig(), nil
	}
	if err != nil {
		return fmt.Errorf("reading the kubeconfig %s: %w", path, err)
	}
	change(config)
	if err := clientcmd.ModifyConfig(access, *config, true); err != nil {
		return fmt.Errorf("changing the kubeconfig %s: %w", path, err)
	}
	return nil
}
