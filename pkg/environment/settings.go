// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package environment

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/pkg/steps"
)

// setting is something that Gardener needs of a cluster and kind does not do.
type setting struct {
	// observe returns what is not as wanted.
	observe func(context.Context) ([]steps.Difference, error)
	apply   func(context.Context) error
}

// settings makes the nodes of a cluster fit for a seed whose machines are pods.
func (c *cluster) settings() steps.Step {
	all := []setting{c.inotify(), c.cgroupNamespace(), c.schedulable(), c.localVolumes()}
	return steps.Step{
		Name:  c.step("settings"),
		Title: "Settings of " + c.spec.Name,
		Needs: c.steps("cluster"),
		Observe: func(ctx context.Context) (steps.Observation, error) {
			found := make([][]steps.Difference, len(all))
			group, ctx := errgroup.WithContext(ctx)
			for i, setting := range all {
				group.Go(func() (err error) {
					found[i], err = setting.observe(ctx)
					return err
				})
			}
			if err := group.Wait(); err != nil {
				return steps.Observation{}, err
			}
			differences := slices.Concat(found...)
			if len(differences) == 0 {
				return steps.Observation{State: steps.AsWanted, Text: "inotify limits, cgroup namespace, taints, storage class"}, nil
			}
			return steps.Observation{State: steps.Differs, Text: fmt.Sprintf("%d differences", len(differences)), Differences: differences}, nil
		},
		Apply: func(ctx context.Context, _ func(string)) (string, error) {
			changed := 0
			for _, setting := range all {
				found, err := setting.observe(ctx)
				if err != nil {
					return "", err
				}
				if len(found) == 0 {
					continue
				}
				if err := setting.apply(ctx); err != nil {
					return "", err
				}
				changed += len(found)
			}
			return fmt.Sprintf("%d changed", changed), nil
		},
	}
}

// inotifyLimit is a limit of the engine's host. It is one for all containers, so it is only ever raised, and stays raised: other
// clusters may have come to need it.
type inotifyLimit struct {
	name string
	want int
}

// Names of the limits.
const (
	limitInstances = "fs.inotify.max_user_instances"
	limitWatches   = "fs.inotify.max_user_watches"
)

// inotifyLimits are what kubelets in pods and the many controllers of a Gardener need: the instances of Gardener's own scripts, the
// watches that kind recommends.
func inotifyLimits() []inotifyLimit {
	return []inotifyLimit{{limitInstances, 8192}, {limitWatches, 524288}}
}

func (c *cluster) inotify() setting {
	read := func(ctx context.Context) (kindcluster.Node, []steps.Difference, error) {
		nodes, err := c.kindNodes(ctx)
		if err != nil || len(nodes) == 0 {
			return nil, nil, err
		}
		args := []string{"--values"}
		for _, limit := range inotifyLimits() {
			args = append(args, limit.name)
		}
		output, err := nodes[0].Command(ctx, nil, "sysctl", args...)
		if err != nil {
			return nil, nil, fmt.Errorf("reading limits of the engine's host: %w", err)
		}
		values := strings.Fields(string(output))
		var differences []steps.Difference
		for i, limit := range inotifyLimits() {
			if i >= len(values) {
				return nil, nil, fmt.Errorf("reading limits of the engine's host: sysctl tells %q", values)
			}
			if have, err := strconv.Atoi(values[i]); err != nil || have < limit.want {
				differences = append(differences, steps.Difference{Field: limit.name, Have: values[i], Want: strconv.Itoa(limit.want)})
			}
		}
		return nodes[0], differences, nil
	}
	return setting{
		observe: func(ctx context.Context) ([]steps.Difference, error) {
			_, differences, err := read(ctx)
			return differences, err
		},
		apply: func(ctx context.Context) error {
			node, differences, err := read(ctx)
			if err != nil {
				return err
			}
			for _, difference := range differences {
				assignment := difference.Field + "=" + difference.Want
				if _, err := node.Command(ctx, nil, "sysctl", "--write", assignment); err != nil {
					return fmt.Errorf("raising a limit of the engine's host: %w: raise it there with sysctl -w %s", err, assignment)
				}
			}
			return nil
		},
	}
}

// controlPlaneTaint keeps pods from control planes. In a cluster of few nodes Gardener needs them all.
const controlPlaneTaint = "node-role.kubernetes.io/control-plane"

func (c *cluster) schedulable() setting {
	return setting{
		observe: func(ctx context.Context) ([]steps.Difference, error) {
			client, err := c.connect(ctx)
			if err != nil {
				return nil, err
			}
			nodes, err := client.TaintedNodes(ctx, controlPlaneTaint)
			var differences []steps.Difference
			for _, node := range slices.Sorted(slices.Values(nodes)) {
				differences = append(differences, steps.Difference{Field: "taint of " + node, Have: controlPlaneTaint, Want: "none"})
			}
			return differences, err
		},
		apply: func(ctx context.Context) error {
			client, err := c.connect(ctx)
			if err != nil {
				return err
			}
			return client.RemoveTaint(ctx, controlPlaneTaint)
		},
	}
}

// kind's storage class, and what its provisioner looks at: volumes of the type local have metrics, those of the type hostPath have none.
const (
	storageClass         = "standard"
	volumeTypeAnnotation = "defaultVolumeType"
	volumeType           = "local"
)

func (c *cluster) localVolumes() setting {
	class := reference("storage.k8s.io/v1", "StorageClass", storageClass)
	return setting{
		observe: func(ctx context.Context) ([]steps.Difference, error) {
			client, err := c.connect(ctx)
			if err != nil {
				return nil, err
			}
			live, err := client.Get(ctx, class)
			if err != nil || live == nil || live.GetAnnotations()[volumeTypeAnnotation] == volumeType {
				return nil, err // a node image without that class has other storage
			}
			return []steps.Difference{{
				Field: "StorageClass " + storageClass + " annotation " + volumeTypeAnnotation, Have: live.GetAnnotations()[volumeTypeAnnotation], Want: volumeType,
			}}, nil
		},
		apply: func(ctx context.Context) error {
			client, err := c.connect(ctx)
			if err != nil {
				return err
			}
			annotated := class.DeepCopy()
			annotated.SetAnnotations(map[string]string{volumeTypeAnnotation: volumeType})
			_, err = client.Apply(ctx, []*unstructured.Unstructured{annotated})
			return err
		},
	}
}
