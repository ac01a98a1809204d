// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/profiles"
	"github.com/gardener/kindling/pkg/steps"
)

// bench is what is made: an environment of its own name.
type bench struct {
	env  *v1alpha1.Environment
	plan *netplan.Plan
	// file is the environment as a file, dir the environment's folder.
	file, dir string
}

// load makes an environment of the profile's first cluster, as often as asked. Only clusters are compared: the scripts have nothing that
// could be timed against registries, names and addresses without their images.
func load(profile, file, dir string, clusters int) (*bench, error) {
	base, err := profiles.Source(profile)
	if err != nil {
		return nil, err
	}
	adjust := func(env *v1alpha1.Environment) error {
		env.Metadata.Name = fmt.Sprintf("bench-%d", clusters)
		env.Spec.ClustersOnly = true
		first := env.Spec.Clusters[0]
		first.Name = "bench"
		env.Spec.Clusters = []v1alpha1.Cluster{first}
		for i := 2; i <= clusters; i++ {
			next := first
			next.Name = fmt.Sprintf("bench-%d", i)
			env.Spec.Clusters = append(env.Spec.Clusters, next)
		}
		return nil
	}
	var env *v1alpha1.Environment
	if file == "" {
		env, err = v1alpha1.Load(base, profile, adjust)
	} else {
		env, err = v1alpha1.LoadFile(file, nil, base, adjust)
	}
	if err != nil {
		return nil, err
	}
	plan, err := netplan.New(env)
	if err != nil {
		return nil, err
	}
	b := &bench{env: env, plan: plan, dir: filepath.Join(dir, env.Metadata.Name), file: filepath.Join(dir, env.Metadata.Name+".yaml")}
	content, err := yaml.Marshal(env)
	if err != nil {
		return nil, err
	}
	return b, os.WriteFile(b.file, content, 0o600)
}

// kindlingWay makes an environment with kindling up. What clusters take beside kind's own work is the second phase.
func kindlingWay(name, program string, b *bench) way {
	return way{
		name: name,
		up: func(ctx context.Context) ([]phase, error) {
			begin := time.Now()
			printed, err := output(ctx, nil, program, "up", "--file", b.file, "--dir", b.dir, "--output", "json")
			if err != nil {
				return nil, err
			}
			took := time.Since(begin)
			var results []steps.Result
			if err := json.Unmarshal(printed, &results); err != nil {
				return nil, fmt.Errorf("reading what kindling up printed: %w", err)
			}
			var kind time.Duration
			for _, step := range results {
				if strings.HasPrefix(step.Step, "cluster/") {
					kind = max(kind, time.Duration(step.Seconds*float64(time.Second)))
				}
			}
			return []phase{{"kind", kind}, {"rest", took - kind}}, nil
		},
		down: func(ctx context.Context) error {
			_, err := output(ctx, nil, program, "down", "--file", b.file, "--dir", b.dir)
			return err
		},
	}
}

// output runs a program, and tells what it wrote when it fails.
func output(ctx context.Context, stdin []byte, name string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Stdin = strings.NewReader(string(stdin))
	printed, err := command.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return printed, fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, exit.Stderr)
	}
	return printed, err
}
