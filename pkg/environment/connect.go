// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/pkg/kube"
)

// savedTimeout is the time for an API server to answer at the address that was saved, before the engine is asked for the present one.
const savedTimeout = 2 * time.Second

// connect returns a client for the cluster's API server.
func (c *cluster) connect(ctx context.Context) (*kube.Client, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	err := c.connectLocked(ctx)
	return c.client, err
}

// adminConfig returns the kubeconfig as the cluster has it now.
func (c *cluster) adminConfig(ctx context.Context) ([]byte, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	err := c.connectLocked(ctx)
	return c.kubeconfig, err
}

// connectLocked tries the kubeconfig that was saved first: asking the engine takes nine calls of its CLI. An API server of another
// cluster at the same address has another certificate, and is not taken for this one.
func (c *cluster) connectLocked(ctx context.Context) error {
	if c.client != nil {
		return nil
	}
	if kubeconfig := c.savedConfig(); kubeconfig != nil {
		if client, err := kube.NewClient(kubeconfig); err == nil && answers(ctx, client) {
			c.kubeconfig, c.client = kubeconfig, client
			return nil
		}
	}
	kubeconfig, err := c.env.Kind.Kubeconfig(ctx, c.spec.Name, false)
	if err != nil {
		return err
	}
	client, err := kube.NewClient(kubeconfig)
	if err != nil {
		return err
	}
	c.kubeconfig, c.client = kubeconfig, client
	return nil
}

// savedConfig returns the kubeconfig that kindling wrote for the cluster; nil when there is none.
func (c *cluster) savedConfig() []byte {
	known, err := c.env.record.cluster(c.spec.Name)
	if err != nil || known.Kubeconfig == "" {
		return nil
	}
	data, err := os.ReadFile(c.env.path(known.Kubeconfig))
	if err != nil {
		return nil
	}
	return data
}

func answers(ctx context.Context, client *kube.Client) bool {
	ctx, cancel := context.WithTimeout(ctx, savedTimeout)
	defer cancel()
	_, err := client.Answers().Check(ctx)
	return err == nil
}

// forget drops what was learned of a cluster that is gone or got another port.
func (c *cluster) forget() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.kubeconfig, c.client, c.seen = nil, nil, nil
	c.nodesMutex.Lock()
	defer c.nodesMutex.Unlock()
	c.nodes, c.encapsulation = nil, ""
}

// kindNodes returns the nodes, asked for once.
func (c *cluster) kindNodes(ctx context.Context) ([]kindcluster.Node, error) {
	containers, err := c.knownContainers(ctx)
	if err != nil {
		return nil, err
	}
	c.nodesMutex.Lock()
	defer c.nodesMutex.Unlock()
	if c.nodes != nil {
		return c.nodes, nil
	}
	all, err := c.env.Kind.Nodes(ctx, c.spec.Name)
	if err != nil {
		return nil, err
	}
	c.nodes = slices.DeleteFunc(all, func(node kindcluster.Node) bool {
		return !slices.ContainsFunc(containers, func(container engine.Container) bool { return container.Name == node.Name() && isNode(container) })
	})
	return c.nodes, nil
}
