// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"sigs.k8s.io/kind/pkg/cluster/constants"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// Labels that kind gives the containers of its nodes.
const (
	kindClusterLabel = "io.x-k8s.kind.cluster"
	kindRoleLabel    = "io.x-k8s.kind.role"
)

// cluster is one kind cluster of an environment, with what its steps share.
type cluster struct {
	env  *Environment
	spec v1alpha1.Cluster
	// kubeconfigName is the name of its file in the environment's folder.
	kubeconfigName string

	mutex      sync.Mutex
	kubeconfig []byte
	client     *kube.Client
	seen       []engine.Container

	// What only nodes tell has a lock of its own: running programs in them takes long, and the API server can be asked meanwhile.
	nodesMutex    sync.Mutex
	nodes         []kindcluster.Node
	encapsulation v1alpha1.Encapsulation
}

// step returns the name of a step of this cluster.
func (c *cluster) step(kind string) string { return kind + "/" + c.spec.Name }

func (c *cluster) steps(kinds ...string) []string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = c.step(kind)
	}
	return names
}

func (c *cluster) create() steps.Step {
	return steps.Step{
		Name:     c.step("cluster"),
		Title:    "Cluster " + c.spec.Name,
		Needs:    c.env.beforeNodes,
		Observe:  c.observe,
		Apply:    c.apply,
		Undo:     c.undo,
		Recreate: func(ctx context.Context) error { _, err := c.undo(ctx); return err },
	}
}

func (c *cluster) observe(ctx context.Context) (steps.Observation, error) {
	nodes, err := c.knownContainers(ctx)
	if err != nil {
		return steps.Observation{}, err
	}
	if len(nodes) == 0 {
		return steps.Observation{State: steps.Missing}, nil
	}
	if known, err := c.env.record.cluster(c.spec.Name); err != nil || known.isHalfMade(nodes) {
		return steps.Observation{State: steps.Differs, Text: "half-made: its creation or removal was interrupted", Blocks: true}, err
	}
	if stopped := notRunning(nodes); len(stopped) > 0 {
		return steps.Observation{State: steps.Differs, Text: fmt.Sprintf("%d of %d nodes are stopped", len(stopped), len(nodes)), Blocks: true}, nil
	}
	if client, err := c.connect(ctx); err != nil || !answers(ctx, client) {
		return steps.Observation{State: steps.Differs, Text: "its API server does not answer", Blocks: true}, ctx.Err()
	}
	differences, err := c.differences(ctx, nodes)
	if err != nil {
		return steps.Observation{}, err
	}
	if len(differences) > 0 {
		return steps.Observation{State: steps.Differs, Text: "not as configured", Differences: differences}, nil
	}
	return steps.Observation{State: steps.AsWanted, Text: fmt.Sprintf("%d nodes", len(nodes))}, nil
}

// differences compares what the cluster was made from with what is wanted. A cluster that kindling did not make is an error.
func (c *cluster) differences(ctx context.Context, nodes []engine.Container) ([]steps.Difference, error) {
	have, err := c.applied(ctx)
	if err != nil {
		return nil, err
	}
	want, err := c.config()
	if err != nil {
		return nil, err
	}
	differences, err := compareConfigs(have, want)
	if have, want := countNodes(nodes), len(want.Nodes); have != want {
		// kind can't join a node to a cluster that is there.
		differences = append(differences, steps.Difference{
			Field: "containers of nodes", Have: strconv.Itoa(have), Want: strconv.Itoa(want), Recreate: true,
		})
	}
	return differences, err
}

// apply makes the cluster, or starts its stopped nodes. What a broken-off creation left is removed first: kind can't go on
// with it.
func (c *cluster) apply(ctx context.Context, report func(string)) (string, error) {
	nodes, err := c.containers(ctx)
	if err != nil {
		return "", err
	}
	known, err := c.env.record.cluster(c.spec.Name)
	if err != nil {
		return "", err
	}
	if len(nodes) > 0 && !known.isHalfMade(nodes) {
		report("starting stopped nodes, and waiting for the API server")
		return "started", c.resume(ctx, nodes)
	}
	if len(nodes) > 0 {
		report("removing what an interrupted creation left")
		if err := c.env.Kind.Delete(ctx, c.spec.Name); err != nil {
			return "", err
		}
	}
	if err := c.checkCopies(); err != nil {
		return "", err
	}
	if err := c.env.makeDir(); err != nil {
		return "", err
	}
	if err := c.env.record.enter(c.spec.Name, halfMade, nil); err != nil {
		return "", err
	}
	if err := c.make(ctx, report); err != nil {
		return "", c.abandon(ctx, err)
	}
	if err := c.env.record.enter(c.spec.Name, made, nil); err != nil {
		return "", err
	}
	if nodes, err = c.containers(ctx); err == nil {
		err = c.env.record.placed(c.spec.Name, nodes)
	}
	return fmt.Sprintf("%d nodes", len(c.spec.Nodes)), err
}

// make holds the container network until the nodes are in it.
func (c *cluster) make(ctx context.Context, report func(string)) error {
	config, err := c.config()
	if err != nil {
		return err
	}
	if err := c.checkPorts(ctx, config); err != nil {
		return err
	}
	letGo, err := c.env.holdNetwork(ctx, report)
	if err != nil {
		return err
	}
	defer letGo()
	var seen bool
	var recordErr error
	err = c.env.Kind.Create(ctx, c.spec.Name, config, func(event kindcluster.Event) {
		if event.State != kindcluster.StepDone {
			report(event.Step)
			return
		}
		if nodes, err := c.containers(ctx); !seen && err == nil && len(nodes) > 0 {
			seen, recordErr = true, c.env.record.saw(c.spec.Name, nodes)
			letGo()
		}
	})
	if err != nil {
		return deadline(ctx, err, "kind creates cluster "+c.spec.Name)
	}
	report("recording the configuration")
	return deadline(ctx, errors.Join(recordErr, c.recordApplied(ctx, config)), "recording the configuration in cluster "+c.spec.Name)
}

// containers asks the engine for the node containers, and keeps the answer for knownContainers.
func (c *cluster) containers(ctx context.Context) ([]engine.Container, error) {
	containers, err := c.env.Engine.Containers(ctx, map[string]string{kindClusterLabel: c.spec.Name})
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.seen = containers
	return containers, err
}

// knownContainers returns what was seen last, and asks when that was nothing.
func (c *cluster) knownContainers(ctx context.Context) ([]engine.Container, error) {
	c.mutex.Lock()
	seen := c.seen
	c.mutex.Unlock()
	if len(seen) > 0 {
		return seen, nil
	}
	return c.containers(ctx)
}

func countNodes(containers []engine.Container) int {
	count := 0
	for _, container := range containers {
		if isNode(container) {
			count++
		}
	}
	return count
}

// isNode leaves out the load balancer that kind puts before several control planes.
func isNode(container engine.Container) bool {
	return container.Labels[kindRoleLabel] != constants.ExternalLoadBalancerNodeRoleValue
}

func notRunning(containers []engine.Container) []engine.Container {
	return slices.DeleteFunc(slices.Clone(containers), func(container engine.Container) bool { return container.State == running })
}

// renderOptions are what the cluster's files depend on; the encapsulation is resolved by asking its nodes.
func (c *cluster) renderOptions(ctx context.Context) (render.Options, error) {
	encapsulation, err := c.resolveEncapsulation(ctx)
	return c.env.renderOptions(encapsulation), err
}
