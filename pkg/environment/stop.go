// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kind/pkg/cluster/constants"

	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// errUnknownMaker says that nothing tells whose a cluster is.
var errUnknownMaker = errors.New("whether kindling made it can't be told, because its nodes are not on record and its API server does not answer")

// NotUpError says that there is nothing to start.
type NotUpError struct {
	Environment string
	// Cluster that is missing, and what there is of it.
	Cluster, Found string
}

// Error implements error.
func (e *NotUpError) Error() string {
	return fmt.Sprintf("environment %s is not up: cluster %s is %s. Start makes no cluster: kindling up does", e.Environment, e.Cluster, e.Found)
}

// CheckWasUp returns a *NotUpError when a cluster of the environment was never made whole, or is gone.
func (e *Environment) CheckWasUp(ctx context.Context) error {
	for _, c := range e.clusters {
		nodes, err := c.knownContainers(ctx)
		if err != nil {
			return err
		}
		known, err := e.record.cluster(c.spec.Name)
		switch {
		case err != nil:
			return err
		case len(nodes) == 0:
			return &NotUpError{e.name(), c.spec.Name, "not there"}
		case known.isHalfMade(nodes):
			return &NotUpError{e.name(), c.spec.Name, "half-made"}
		}
	}
	return nil
}

// StopSteps returns what stops the environment: its clusters, those of an earlier file too, and then what no other running environment uses.
func (e *Environment) StopSteps() (steps.List, error) {
	orphans, err := e.orphans()
	if err != nil {
		return nil, err
	}
	var list steps.List
	var clusters []string
	for _, c := range slices.Concat(e.clusters, orphans) {
		list, clusters = append(list, c.stop()), append(clusters, c.step("cluster"))
	}
	for _, name := range []string{sharedRegistry, stepDNS} {
		uses, err := e.usesShared(name)
		if err != nil {
			return nil, err
		}
		if uses {
			list = append(list, e.stopShared(name, clusters))
		}
	}
	return list, nil
}

func (c *cluster) stop() steps.Step {
	return steps.Step{
		Name:  c.step("cluster"),
		Title: "Stopping cluster " + c.spec.Name,
		Observe: func(ctx context.Context) (steps.Observation, error) {
			nodes, err := c.containers(ctx)
			if err != nil {
				return steps.Observation{}, err
			}
			switch stopped := len(notRunning(nodes)); {
			case len(nodes) == 0:
				return steps.Observation{State: steps.Skipped, Text: "not there"}, nil
			case stopped == len(nodes):
				return steps.Observation{State: steps.AsWanted, Text: fmt.Sprintf("%d nodes are stopped", stopped)}, nil
			default:
				return steps.Observation{State: steps.Differs, Text: fmt.Sprintf("%d of %d nodes run", len(nodes)-stopped, len(nodes))}, nil
			}
		},
		Apply: c.applyStop,
	}
}

// applyStop stops workers before control planes, so that kubelets can say to the end what became of their pods.
func (c *cluster) applyStop(ctx context.Context, report func(string)) (string, error) {
	nodes, err := c.knownContainers(ctx)
	if err != nil {
		return "", err
	}
	if err := c.mayStop(ctx, nodes); err != nil {
		return "", err
	}
	if err := c.env.record.placed(c.spec.Name, nodes); err != nil {
		return "", err
	}
	var workers, others []string
	for _, node := range nodes {
		switch {
		case node.State != running:
		case node.Labels[kindRoleLabel] == constants.WorkerNodeRoleValue:
			workers = append(workers, node.Name)
		default:
			others = append(others, node.Name)
		}
	}
	for _, some := range [][]string{workers, others} {
		if len(some) > 0 {
			report("stopping " + strings.Join(some, ", "))
		}
		if err := c.env.Engine.StopContainers(ctx, some...); err != nil {
			return "", deadline(ctx, err, "stopping "+strings.Join(some, ", "))
		}
	}
	return fmt.Sprintf("%d nodes stopped", len(workers)+len(others)), nil
}

// mayStop says whether kindling made the cluster: by the record, so that one whose API server is down can be stopped, else by asking it.
func (c *cluster) mayStop(ctx context.Context, nodes []engine.Container) error {
	known, err := c.env.record.cluster(c.spec.Name)
	if err != nil || known.knows(nodes) {
		return err
	}
	if known.isHalfMade(nodes) {
		return fmt.Errorf("cluster %s is half-made: finish it with kindling up, or remove it with kindling down", c.spec.Name)
	}
	err = c.askWhoseItIs(ctx)
	if errors.Is(err, errUnknownMaker) {
		return fmt.Errorf("%w, or stop it with: %s stop %s", err, c.env.Engine.Name(), strings.Join(names(nodes), " "))
	}
	return err
}

// mayRead is mayStop for what looks only: the logs of a half-made cluster are those that are wanted most.
func (c *cluster) mayRead(ctx context.Context, nodes []engine.Container) error {
	known, err := c.env.record.cluster(c.spec.Name)
	if err != nil || known.knows(nodes) || known.isHalfMade(nodes) {
		return err
	}
	return c.askWhoseItIs(ctx)
}

// askWhoseItIs asks a cluster whose nodes are not on record. It returns errUnknownMaker when its API server does not answer.
func (c *cluster) askWhoseItIs(ctx context.Context) error {
	client, err := c.connect(ctx)
	if err == nil && answers(ctx, client) {
		_, err = c.appliedData(ctx)
		return err
	}
	return fmt.Errorf("cluster %s: %w: bring it back with kindling up", c.spec.Name, errUnknownMaker)
}

// stopShared stops containers that environments share, when no other one that runs uses them.
func (e *Environment) stopShared(name string, needs []string) steps.Step {
	return steps.Step{
		Name:  name,
		Title: "Stopping " + name,
		Needs: needs,
		Observe: func(ctx context.Context) (steps.Observation, error) {
			containers, err := e.runningShared(ctx, name)
			if err != nil {
				return steps.Observation{}, err
			}
			if len(containers) == 0 {
				return steps.Observation{State: steps.AsWanted, Text: "stopped"}, nil
			}
			return steps.Observation{State: steps.Differs, Text: strings.Join(containers, ", ") + " run"}, nil
		},
		Apply: e.withShared(name, func(ctx context.Context, _ func(string)) (string, error) {
			users, err := e.runningUsers(ctx, name)
			if err != nil {
				return "", err
			}
			if len(users) > 0 {
				return "left: used by " + strings.Join(users, ", "), nil
			}
			containers, err := e.runningShared(ctx, name)
			if err != nil {
				return "", err
			}
			if err := e.Engine.StopContainers(ctx, containers...); err != nil {
				return "", deadline(ctx, err, "stopping "+strings.Join(containers, ", "))
			}
			return strings.Join(containers, ", ") + " stopped", nil
		}),
	}
}

// runningShared returns the names of the containers that kindling made under a name and that run.
func (e *Environment) runningShared(ctx context.Context, name string) ([]string, error) {
	made, err := e.madeShared(name)
	if err != nil {
		return nil, err
	}
	containers, err := e.Engine.ContainersNamed(ctx, made...)
	return names(slices.DeleteFunc(containers, func(c engine.Container) bool {
		_, ours := c.Labels[render.EnvironmentLabel]
		return !ours || c.State != running
	})), err
}

// runningUsers returns the folders of the other environments that use something and have a node that runs, or that a kindling may be
// bringing up.
func (e *Environment) runningUsers(ctx context.Context, name string) ([]string, error) {
	others, err := e.othersUsing(name)
	if err != nil {
		return nil, err
	}
	var users []string
	for _, dir := range others {
		runs, err := e.runs(ctx, dir)
		if err != nil {
			return nil, err
		}
		if runs {
			users = append(users, dir)
		}
	}
	return users, nil
}

func (e *Environment) runs(ctx context.Context, dir string) (bool, error) {
	content, err := (&record{path: filepath.Join(dir, recordFile)}).read()
	if err != nil {
		return false, err
	}
	for name := range content.Clusters {
		nodes, err := e.Engine.Containers(ctx, map[string]string{kindClusterLabel: name})
		if err != nil {
			return false, err
		}
		if len(notRunning(nodes)) < len(nodes) {
			return true, nil
		}
	}
	return exists(filepath.Join(dir, lockFile)), nil
}
