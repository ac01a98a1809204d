// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"strings"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/steps"
)

func (c *cluster) undo(ctx context.Context) (string, error) {
	nodes, err := c.containers(ctx)
	if err != nil {
		return "", err
	}
	if len(nodes) == 0 {
		return "not there", c.env.record.enter(c.spec.Name, "", nil)
	}
	known, err := c.env.record.cluster(c.spec.Name)
	if err != nil {
		return "", err
	}
	if !known.isHalfMade(nodes) {
		if err := c.owned(ctx, nodes); err != nil {
			return "", err
		}
	}
	// What a broken-off removal leaves can't tell whose it is.
	if err := c.env.record.enter(c.spec.Name, halfMade, nodes); err != nil {
		return "", err
	}
	if err := c.env.Kind.Delete(ctx, c.spec.Name); err != nil {
		return "", err
	}
	c.forget()
	return "removed", c.env.record.enter(c.spec.Name, "", nil)
}

// resume starts the nodes that are stopped, waits for the API server, and holds the cluster to what is wanted. One that kindling did
// not make is stopped again: its mark is in its API server, so that it had to be started to be asked.
func (c *cluster) resume(ctx context.Context, nodes []engine.Container) error {
	nodes, err := c.stopMoved(ctx, nodes)
	if err != nil {
		return err
	}
	if err := c.owned(ctx, nodes); err != nil {
		return err
	}
	differences, err := c.differences(ctx, nodes)
	if err == nil && len(differences) > 0 {
		err = &steps.RecreateError{Step: c.step("cluster"), Differences: differences}
	}
	return err
}

// stopMoved stops all nodes of a cluster that does not answer after some of them got other addresses, as after a restart of the engine's
// host: they can't change places while they run.
func (c *cluster) stopMoved(ctx context.Context, nodes []engine.Container) ([]engine.Container, error) {
	known, err := c.env.record.cluster(c.spec.Name)
	if err != nil || len(known.moved(nodes)) == 0 || !c.env.Engine.CanReconnect() {
		return nodes, err
	}
	if client, err := c.connect(ctx); err == nil && answers(ctx, client) {
		return nodes, nil
	}
	if err := c.env.Engine.StopContainers(ctx, names(nodes)...); err != nil {
		return nil, err
	}
	return c.containers(ctx)
}

// owned says whether kindling made the cluster, which it starts to ask it.
func (c *cluster) owned(ctx context.Context, nodes []engine.Container) error {
	stopped := notRunning(nodes)
	if err := c.start(ctx, stopped); err != nil {
		return err
	}
	_, err := c.applied(ctx)
	if is[*ForeignError](err) {
		return errors.Join(err, c.env.Engine.StopContainers(ctx, names(stopped)...))
	}
	return err
}

// start starts nodes, with the addresses that they had, and waits for the API server.
func (c *cluster) start(ctx context.Context, stopped []engine.Container) error {
	known, err := c.env.record.cluster(c.spec.Name)
	if err != nil {
		return err
	}
	displaced, err := c.place(ctx, known, stopped)
	if err != nil {
		return err
	}
	if err := c.env.Engine.StartContainers(ctx, names(known.startOrder(stopped, displaced))...); err != nil {
		return err
	}
	c.forget()
	if err := c.tellMoved(ctx); err != nil {
		return err
	}
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	return kube.Wait(ctx, []kube.Condition{c.booted(stopped), client.Answers()}, nil)
}

// booted holds when the entrypoint of kind's node image has made way for systemd: before, it saves and restores rules of iptables and
// rewrites resolv.conf, and what is added meanwhile is lost.
func (c *cluster) booted(nodes []engine.Container) kube.Condition {
	return kube.Condition{Name: "nodes boot", Check: func(ctx context.Context) ([]kube.Pending, error) {
		var pending []kube.Pending
		for _, node := range nodes {
			if !isNode(node) {
				continue
			}
			first, err := c.env.Engine.Exec(ctx, node.Name, "cat", "/proc/1/comm")
			if err != nil {
				return nil, err
			}
			if name := strings.TrimSpace(string(first)); name != "systemd" {
				pending = append(pending, kube.Pending{Object: "node " + node.Name, Reason: "its first process is " + name + ", and not systemd yet"})
			}
		}
		return pending, nil
	}}
}
