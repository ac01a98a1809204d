// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/gardener/kindling/pkg/checkout"
)

// apiServerPort of the API server in the container network.
const apiServerPort = "6443"

// copies are the kubeconfigs of a cluster beside its own: one for pods, by the address in the container network, and those that a
// checkout of Gardener looks for.
func (c *cluster) copies() []checkout.Kubeconfig {
	internal := checkout.Kubeconfig{Path: kubeconfigFile + "-internal" + c.kubeconfigName[len(kubeconfigFile):], Internal: true}
	return append([]checkout.Kubeconfig{internal}, c.env.Kubeconfigs[c.spec.Name]...)
}

// content of a copy.
func (c *cluster) copyContent(kubeconfig []byte, internal bool) ([]byte, error) {
	if !internal {
		return kubeconfig, nil
	}
	config, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the cluster's kubeconfig: %w", err)
	}
	for _, entry := range config.Clusters {
		entry.Server = "https://" + c.internalHost() + ":" + apiServerPort
	}
	return clientcmd.Write(*config)
}

// internalHost is the name that the engine's DNS has for the API server: the node's, or that of the load balancer before several.
func (c *cluster) internalHost() string {
	controlPlanes := 0
	for _, node := range c.spec.Nodes {
		if node.Role == kindv1alpha4.ControlPlaneRole {
			controlPlanes++
		}
	}
	if controlPlanes > 1 {
		return c.spec.Name + "-external-load-balancer"
	}
	return c.spec.Name + "-control-plane"
}

// writeCopies enters each in the cluster's record, so that they go with the cluster.
func (c *cluster) writeCopies(kubeconfig []byte) error {
	if err := c.checkCopies(); err != nil {
		return err
	}
	for _, one := range c.copies() {
		content, err := c.copyContent(kubeconfig, one.Internal)
		if err != nil {
			return err
		}
		if err := c.env.record.changeCluster(c.spec.Name, func(known *clusterRecord) { known.Copies = union(known.Copies, one.Path) }); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(c.env.path(one.Path)), 0o755); err != nil {
			return fmt.Errorf("making the folder for a kubeconfig: %w", err)
		}
		if err := c.takeOver(one.Path); err != nil {
			return err
		}
		if err := c.env.writeFile(one.Path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// staleCopy returns the path of a copy that is missing or not as wanted; empty when all are.
func (c *cluster) staleCopy(kubeconfig []byte) (string, error) {
	for _, one := range c.copies() {
		want, err := c.copyContent(kubeconfig, one.Internal)
		if err != nil {
			return "", err
		}
		have, err := os.ReadFile(c.env.path(one.Path))
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && !bytes.Equal(have, want):
			return c.env.path(one.Path), nil
		case err != nil:
			return "", fmt.Errorf("reading a copy of the kubeconfig: %w", err)
		}
	}
	return "", nil
}

// removeCopies removes those on record.
func (c *cluster) removeCopies(paths []string) error {
	for _, path := range paths {
		if err := c.env.removeFile(path); err != nil {
			return err
		}
	}
	return c.env.record.changeCluster(c.spec.Name, func(known *clusterRecord) { known.Copies = nil })
}
