// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package kindcluster makes and removes kind clusters with kind as a library, and adds what the library lacks: contexts, events,
// and errors that show what the failed command wrote.
package kindcluster

import (
	"context"

	kindv1alpha4 "sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/cluster"
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
	// Nodes returns the containers of a cluster, by name. A load balancer is among them: kind asks the engine once for each container to
	// tell them apart, which callers know already.
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
// stays when it fails: the caller knows whether that is wanted. Errors: *ImageError, *CommandError.
func (l Library) Create(ctx context.Context, name string, config *kindv1alpha4.Cluster, log func(Event)) error {
	config = config.DeepCopy() // kind fills in what is not set
	return withScratch(ctx, func(kubeconfig string) error {
		err := l.provider(newLogger(ctx, log)).Create(name,
			cluster.CreateWithV1Alpha4Config(config),
			cluster.CreateWithKubeconfigPath(kubeconfig),
			cluster.CreateWithRetain(true),
			cluster.CreateWithWaitForReady(0),
			cluster.CreateWithDisplayUsage(false),
			cluster.CreateWithDisplaySalutation(false),
		)
		return explainCreate("kind could not create cluster "+name, err)
	})
}

// Delete implements Provider.
func (l Library) Delete(ctx context.Context, name string) error {
	return withScratch(ctx, func(kubeconfig string) error {
		return explain("kind could not delete cluster "+name, l.provider(quiet()).Delete(name, kubeconfig))
	})
}

// Kubeconfig implements Provider.
func (l Library) Kubeconfig(ctx context.Context, name string, internal bool) ([]byte, error) {
	return await(ctx, func() ([]byte, error) {
		kubeconfig, err := l.provider(quiet()).KubeConfig(name, internal)
		return []byte(kubeconfig), explain("reading the kubeconfig of cluster "+name, err)
	})
}

// Nodes implements Provider.
func (l Library) Nodes(ctx context.Context, name string) ([]Node, error) {
	return await(ctx, func() ([]Node, error) {
		all, err := l.provider(quiet()).ListNodes(name)
		if err != nil {
			return nil, explain("listing the nodes of cluster "+name, err)
		}
		var nodes []Node
		for _, node := range all {
			nodes = append(nodes, kindNode{node})
		}
		sortNodes(nodes)
		return nodes, nil
	})
}
