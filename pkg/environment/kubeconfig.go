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
	"os"

	"github.com/gardener/kindling/pkg/steps"
)

// kubeconfigName is the name of a cluster's file; the first one's has no suffix.
func kubeconfigName(index int, cluster string) string {
	if index == 0 {
		return kubeconfigFile
	}
	return kubeconfigFile + "-" + cluster
}

func (c *cluster) kubeconfigPath() string { return c.env.path(c.kubeconfigName) }

func (c *cluster) kubeconfigStep() steps.Step {
	return steps.Step{
		Name:    c.step("kubeconfig"),
		Title:   "Kubeconfig of " + c.spec.Name,
		Needs:   c.steps("cluster"),
		Observe: c.observeKubeconfig,
		Apply: func(ctx context.Context, _ func(string)) (string, error) {
			kubeconfig, err := c.adminConfig(ctx)
			if err != nil {
				return "", err
			}
			if err := c.env.writeFile(c.kubeconfigName, kubeconfig, 0o600); err != nil {
				return "", err
			}
			err = c.env.record.changeCluster(c.spec.Name, func(known *clusterRecord) { known.Kubeconfig = c.kubeconfigName })
			if err != nil {
				return "", err
			}
			if err := c.writeCopies(kubeconfig); err != nil {
				return "", err
			}
			return c.kubeconfigPath(), c.env.merge(ctx, c.spec.Name, kubeconfig)
		},
		Undo: func(ctx context.Context) (string, error) { return "removed", c.removeKubeconfig(ctx) },
	}
}

// removeKubeconfig takes the entries out of the user's kubeconfig, and removes the cluster's own: the one on record, as the file may
// have been another cluster's under an earlier environment file.
func (c *cluster) removeKubeconfig(ctx context.Context) error {
	known, err := c.env.record.cluster(c.spec.Name)
	if err != nil || known.Kubeconfig == "" {
		return err
	}
	if err := c.removeCopies(known.Copies); err != nil {
		return err
	}
	if err := c.env.unmerge(ctx, c.spec.Name, c.env.path(known.Kubeconfig)); err != nil {
		return err
	}
	if err := c.env.removeFile(known.Kubeconfig); err != nil {
		return err
	}
	return c.env.record.changeCluster(c.spec.Name, func(known *clusterRecord) { known.Kubeconfig = "" })
}

func (c *cluster) observeKubeconfig(ctx context.Context) (steps.Observation, error) {
	have, err := os.ReadFile(c.kubeconfigPath())
	if errors.Is(err, fs.ErrNotExist) {
		return steps.Observation{State: steps.Missing}, nil
	}
	if err != nil {
		return steps.Observation{}, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	want, err := c.adminConfig(ctx)
	if err != nil {
		return steps.Observation{}, err
	}
	if !bytes.Equal(have, want) {
		return steps.Observation{State: steps.Differs, Text: c.kubeconfigPath() + " is of another cluster or port"}, nil
	}
	if stale, err := c.staleCopy(want); err != nil || stale != "" {
		return steps.Observation{State: steps.Differs, Text: stale + " is missing, or of another cluster or port"}, err
	}
	merged, err := c.env.isMerged(want)
	if err != nil {
		return steps.Observation{}, err
	}
	if !merged {
		return steps.Observation{State: steps.Differs, Text: "not merged into " + c.env.MergeInto}, nil
	}
	return steps.Observation{State: steps.AsWanted, Text: c.kubeconfigPath()}, nil
}
