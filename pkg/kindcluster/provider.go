// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package kindcluster makes and removes kind clusters with kind as a library, and adds what the library lacks: contexts, events,
// and errors that show what the failed command wrote.
package kindcluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
	"sigs.k8s.io/kind/pkg/log"

	"github.com/gardener/kindling/pkg/engine"
)

// Provider makes and removes clusters.
type Provider interface {
	// Create makes a cluster and returns when its API server answers; nodes are not ready then. No kubeconfig is written.
	Create(ctx context.Context, name string, config *kindv1alpha4.Cluster, log func(Event)) error
	// Delete removes a cluster, or what there is of it; it succeeds when there is nothing.
	Delete(ctx context.Context, name string) error
	// Kubeconfig returns the kubeconfig for the host, or for containers on the container network.
	Kubeconfig(ctx context.Context, name string, internal bool) ([]byte, error)
	// Nodes returns the nodes that run Kubernetes, so no load balancer, by name.
	Nodes(ctx context.Context, name string) ([]Node, error)
}

// Library is kind as a library.
type Library struct{ runtime cluster.ProviderOption }

var _ Provider = Library{}

// New returns kind for an engine. It is named to kind, whose own detection would fall back to docker without a word.
func New(engineName string) Library {
	switch engineName {
	case engine.Podman:
		return Library{cluster.ProviderWithPodman()}
	case engine.Nerdctl:
		return Library{cluster.ProviderWithNerdctl(engine.Nerdctl)}
	default:
		return Library{cluster.ProviderWithDocker()}
	}
}

func (l Library) provider(logger log.Logger) *cluster.Provider {
	return cluster.NewProvider(l.runtime, cluster.ProviderWithLogger(logger))
}

// Create implements Provider. kind can't wait for nodes without its own network plugin, so it is not asked to. What it made
// stays when it fails: the caller knows whether that is wanted.
func (l Library) Create(ctx context.Context, name string, config *kindv1alpha4.Cluster, log func(Event)) error {
	return withScratch(func(kubeconfig string) error {
		return inBackground(ctx, func() error {
			err := l.provider(newLogger(log)).Create(name,
				cluster.CreateWithV1Alpha4Config(config.DeepCopy()),
				cluster.CreateWithKubeconfigPath(kubeconfig),
				cluster.CreateWithRetain(true),
				cluster.CreateWithWaitForReady(0),
				cluster.CreateWithDisplayUsage(false),
				cluster.CreateWithDisplaySalutation(false),
			)
			return explain("kind could not create cluster "+name, err)
		})
	})
}

// Delete implements Provider.
func (l Library) Delete(ctx context.Context, name string) error {
	return withScratch(func(kubeconfig string) error {
		return inBackground(ctx, func() error {
			return explain("kind could not delete cluster "+name, l.provider(quiet()).Delete(name, kubeconfig))
		})
	})
}

// Kubeconfig implements Provider.
func (l Library) Kubeconfig(ctx context.Context, name string, internal bool) ([]byte, error) {
	var kubeconfig string
	err := inBackground(ctx, func() (err error) {
		kubeconfig, err = l.provider(quiet()).KubeConfig(name, internal)
		return explain("reading the kubeconfig of cluster "+name, err)
	})
	if err != nil {
		return nil, err
	}
	return []byte(kubeconfig), nil
}

// Nodes implements Provider.
func (l Library) Nodes(ctx context.Context, name string) ([]Node, error) {
	var result []Node
	err := inBackground(ctx, func() error {
		all, err := l.provider(quiet()).ListNodes(name)
		if err != nil {
			return explain("listing the nodes of cluster "+name, err)
		}
		internal, err := nodeutils.InternalNodes(all)
		if err != nil {
			return explain("listing the nodes of cluster "+name, err)
		}
		for _, node := range internal {
			result = append(result, kindNode{node})
		}
		return nil
	})
	sortNodes(result)
	return result, err
}

// inBackground returns when work ends or the context does. The library takes no context: what it has begun goes on in the
// background until the process ends, and the result of that is dropped.
func inBackground(ctx context.Context, work func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// withScratch gives kind a kubeconfig to write to and to lock that is nobody's: the user's is not touched, and clusters that are
// made at the same time don't wait for one lock, which kind takes without trying again.
func withScratch(do func(kubeconfig string) error) error {
	dir, err := os.MkdirTemp("", "kindling-")
	if err != nil {
		return fmt.Errorf("making a temporary folder for kind: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	return do(filepath.Join(dir, "kubeconfig"))
}
