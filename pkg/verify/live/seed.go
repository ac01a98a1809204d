// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/verify"
)

// SeedOptions say which seed to compare with its cluster.
type SeedOptions struct {
	Seed, Garden Cluster
	// Name of the Seed; empty for the only one.
	Name string
	// Planned is used where no Seed is there yet.
	Planned *verify.Seed
	Now     func() time.Time
}

// CheckSeed makes the comparison of the Seed with its cluster that gardenlet makes when it starts. It changes nothing.
func CheckSeed(ctx context.Context, opts SeedOptions) (*verify.Report, error) {
	report := &verify.Report{SeedOnly: true, Break: verify.BreakNone, Started: opts.Now()}
	seed, err := findSeed(ctx, opts)
	if err != nil {
		return nil, err
	}
	facts := &verify.SeedFacts{Now: opts.Now(), Seed: *seed}
	info, err := opts.Seed.Get(ctx, kube.Reference("v1", "ConfigMap", "kube-system", "shoot-info"))
	if err != nil {
		return nil, err
	}
	if info != nil {
		facts.ShootInfo, _, _ = unstructured.NestedStringMap(info.Object, "data")
	}
	if facts.Nodes, err = list[corev1.Node](opts.Seed.ListPaged(ctx, kube.Reference("v1", "Node", "", ""))); err != nil {
		return nil, err
	}
	if facts.Pods, err = list[corev1.Pod](opts.Seed.ListPaged(ctx, kube.Reference("v1", "Pod", "", ""))); err != nil {
		return nil, err
	}
	if facts.Services, err = list[corev1.Service](opts.Seed.ListPaged(ctx, kube.Reference("v1", "Service", "", ""))); err != nil {
		return nil, err
	}
	report.Seed, report.Results = seed.Name, verify.JudgeSeed(facts)
	report.Finished, report.Verdict = opts.Now(), verify.Judge(report)
	return report, nil
}

func findSeed(ctx context.Context, opts SeedOptions) (*verify.Seed, error) {
	objects, _, err := served(ctx, opts.Garden, kube.Reference(coreVersion, "Seed", "", ""))
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range objects {
		names = append(names, objects[i].GetName())
		if objects[i].GetName() == opts.Name || opts.Name == "" && len(objects) == 1 {
			seed, err := readSeed(objects[i].Object)
			return &seed, err
		}
	}
	slices.Sort(names)
	switch {
	case len(objects) == 0 && opts.Planned != nil && (opts.Name == "" || opts.Name == opts.Planned.Name):
		return opts.Planned, nil
	case len(objects) == 0:
		return nil, targetError("there is no Seed yet, and no plan of one: give a profile or an environment file")
	case opts.Name != "":
		return nil, targetError("there is no Seed %s; there are: %s", opts.Name, strings.Join(names, ", "))
	default:
		return nil, targetError("there are several Seeds, choose one with --seed: %s", strings.Join(names, ", "))
	}
}
