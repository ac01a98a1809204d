// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"sync"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// kindClusterLabel is the label that kind gives the containers of its nodes.
const kindClusterLabel = "io.x-k8s.kind.cluster"

// cluster is one kind cluster of an environment, with what its steps share.
type cluster struct {
	env   *Environment
	spec  v1alpha1.Cluster
	index int

	mutex         sync.Mutex
	kubeconfig    []byte
	client        *kube.Client
	nodes         []kindcluster.Node
	seen          []engine.Container
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
		Needs:    []string{stepNetwork},
		Observe:  c.observe,
		Apply:    c.apply,
		Undo:     c.undo,
		Recreate: func(ctx context.Context) error { _, err := c.undo(ctx); return err },
	}
}

func (c *cluster) observe(ctx context.Context) (steps.Observation, error) {
	nodes, err := c.containers(ctx)
	if err != nil {
		return steps.Observation{}, err
	}
	if len(nodes) == 0 {
		return steps.Observation{State: steps.Missing}, nil
	}
	if creating, err := c.env.record.creating(c.spec.Name); err != nil || creating {
		return steps.Observation{State: steps.Differs, Text: "half-made: its creation or removal was interrupted"}, err
	}
	if stopped := notRunning(nodes); len(stopped) > 0 {
		return steps.Observation{State: steps.Differs, Text: fmt.Sprintf("%d of %d nodes are stopped", len(stopped), len(nodes))}, nil
	}
	have, err := c.applied(ctx)
	if err != nil {
		return steps.Observation{}, err
	}
	want, err := c.config()
	if err != nil {
		return steps.Observation{}, err
	}
	differences, err := compareConfigs(have, want)
	if err != nil {
		return steps.Observation{}, err
	}
	if len(differences) > 0 {
		return steps.Observation{State: steps.Differs, Text: "made from another configuration", Differences: differences}, nil
	}
	return steps.Observation{State: steps.AsWanted, Text: fmt.Sprintf("%d nodes", len(nodes))}, nil
}

// apply makes the cluster, or starts its stopped nodes. What a broken-off creation left is removed first: kind can't go on
// with it.
func (c *cluster) apply(ctx context.Context, report func(string)) (string, error) {
	nodes, err := c.containers(ctx)
	if err != nil {
		return "", err
	}
	creating, err := c.env.record.creating(c.spec.Name)
	if err != nil {
		return "", err
	}
	if len(nodes) > 0 && !creating {
		report("starting stopped nodes")
		return "started", c.start(ctx, notRunning(nodes))
	}
	if len(nodes) > 0 {
		report("removing what an interrupted creation left")
		if err := c.env.Kind.Delete(ctx, c.spec.Name); err != nil {
			return "", err
		}
	}
	if err := c.env.makeDir(); err != nil {
		return "", err
	}
	if err := c.env.record.setCreating(c.spec.Name, true); err != nil {
		return "", err
	}
	if err := c.make(ctx, report); err != nil {
		return "", c.abandon(ctx, err)
	}
	return fmt.Sprintf("%d nodes", len(c.spec.Nodes)), c.env.record.setCreating(c.spec.Name, false)
}

func (c *cluster) make(ctx context.Context, report func(string)) error {
	config, err := c.config()
	if err != nil {
		return err
	}
	err = c.env.Kind.Create(ctx, c.spec.Name, config, func(event kindcluster.Event) {
		if event.State != kindcluster.StepDone {
			report(event.Step)
		}
	})
	if err != nil {
		return deadline(ctx, err, "kind creates cluster "+c.spec.Name)
	}
	report("recording the configuration")
	return c.recordApplied(ctx, config)
}

// abandon removes a cluster whose creation failed, so that nothing half-made is left. An interrupted one is left to the next
// run: the user wants the prompt back.
func (c *cluster) abandon(ctx context.Context, cause error) error {
	if ctx.Err() != nil {
		return cause
	}
	if err := c.env.Kind.Delete(ctx, c.spec.Name); err != nil {
		return fmt.Errorf("%w (and removing what was made of it failed: %w)", cause, err)
	}
	if err := c.env.record.setCreating(c.spec.Name, false); err != nil {
		return fmt.Errorf("%w (and %w)", cause, err)
	}
	return cause
}

func (c *cluster) undo(ctx context.Context) (string, error) {
	nodes, err := c.containers(ctx)
	if err != nil {
		return "", err
	}
	if len(nodes) == 0 {
		return "not there", c.env.record.setCreating(c.spec.Name, false)
	}
	creating, err := c.env.record.creating(c.spec.Name)
	if err != nil {
		return "", err
	}
	if !creating {
		if err := c.owned(ctx, nodes); err != nil {
			return "", err
		}
	}
	// What a broken-off removal leaves can't tell whose it is.
	if err := c.env.record.setCreating(c.spec.Name, true); err != nil {
		return "", err
	}
	if err := c.env.Kind.Delete(ctx, c.spec.Name); err != nil {
		return "", err
	}
	c.forget()
	return "removed", c.env.record.setCreating(c.spec.Name, false)
}

// owned says whether kindling made the cluster. A stopped one is started to be asked: its mark is in its API server.
func (c *cluster) owned(ctx context.Context, nodes []engine.Container) error {
	if stopped := notRunning(nodes); len(stopped) > 0 {
		if err := c.start(ctx, stopped); err != nil {
			return err
		}
	}
	_, err := c.applied(ctx)
	return err
}

func (c *cluster) start(ctx context.Context, names []string) error {
	if err := c.env.Engine.StartContainers(ctx, names...); err != nil {
		return err
	}
	c.forget()
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	return kube.Wait(ctx, []kube.Condition{client.Answers()}, nil)
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

func notRunning(containers []engine.Container) []string {
	var names []string
	for _, container := range containers {
		if container.State != "running" {
			names = append(names, container.Name)
		}
	}
	return names
}

// renderOptions are what the cluster's files depend on; the encapsulation is resolved by asking its nodes.
func (c *cluster) renderOptions(ctx context.Context) (render.Options, error) {
	encapsulation, err := c.resolveEncapsulation(ctx)
	return render.Options{Encapsulation: encapsulation, CgroupV1: c.env.CgroupV1, SeedForm: c.env.SeedForm}, err
}
