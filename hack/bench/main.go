// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Command bench makes the clusters of an environment in turn by the scripts' way (`kind create cluster`, then one call of kubectl or of
// the engine after the other), by kindling, and by kindling with a second cluster in the same environment. It prints how long each took,
// and the ratios. Both ways begin with the same files and end with the same things ready.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gardener/kindling/pkg/netplan"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// phase is a part of a way, with the time it took.
type phase struct {
	name string
	took time.Duration
}

// way is one way to make clusters.
type way struct {
	name string
	up   func(context.Context) ([]phase, error)
	down func(context.Context) error
}

func run(ctx context.Context) error {
	profile := flag.String("profile", "local", "the profile")
	file := flag.String("file", "", "an environment file laid over it: network plugin, node image")
	runs := flag.Int("runs", 1, "how often each way is gone")
	kindling := flag.String("kindling", filepath.Join("bin", "kindling"), "the program")
	flag.Parse()

	dir, err := os.MkdirTemp("", "kindling-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	one, err := load(*profile, *file, dir, 1)
	if err != nil {
		return err
	}
	two, err := load(*profile, *file, dir, 2)
	if err != nil {
		return err
	}
	if err := refuseExisting(ctx, two); err != nil {
		return err
	}
	scripts, err := newScripts(ctx, one, dir)
	if err != nil {
		return err
	}
	ways := []way{scripts.way(), kindlingWay("kindling", *kindling, one), kindlingWay("kindling, two clusters", *kindling, two)}
	took, err := measure(ctx, ways, *runs)
	if err != nil {
		return err
	}
	return report(ways, took)
}

// refuseExisting keeps the benchmark from clusters that are not its own.
func refuseExisting(ctx context.Context, b *bench) error {
	for _, cluster := range b.env.Spec.Clusters {
		found, err := output(ctx, nil, "docker", "ps", "--all", "--quiet", "--filter", "label=io.x-k8s.kind.cluster="+cluster.Name)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return fmt.Errorf("there is a cluster %s: take it down first, the benchmark makes and removes clusters of that name", cluster.Name)
		}
	}
	if _, err := output(ctx, nil, "docker", "network", "inspect", netplan.ContainerNetwork); err == nil {
		return fmt.Errorf("there is a network %s: take what uses it down first", netplan.ContainerNetwork)
	}
	return nil
}

// measure goes each way in turn, so that what the machine does beside spreads over all.
func measure(ctx context.Context, ways []way, runs int) ([][][]phase, error) {
	took := make([][][]phase, len(ways))
	for n := range runs {
		for i, way := range ways {
			fmt.Fprintf(os.Stderr, "run %d of %d: %s\n", n+1, runs, way.name)
			phases, err := way.up(ctx)
			// Taking down goes on after an interrupt: a benchmark leaves nothing.
			err = errors.Join(err, way.down(context.WithoutCancel(ctx)))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", way.name, err)
			}
			took[i] = append(took[i], phases)
		}
	}
	return took, nil
}

// report prints the runs' medians, and how they are to the scripts' and to one cluster's.
func report(ways []way, took [][][]phase) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	totals := make([]time.Duration, len(ways))
	_, _ = fmt.Fprintln(out, "WAY\tTOTAL\tRUNS\tPHASES OF THE MEDIAN")
	for i, way := range ways {
		slices.SortFunc(took[i], func(a, b []phase) int { return int(total(a) - total(b)) })
		median := took[i][len(took[i])/2]
		totals[i] = total(median)
		var runs, phases []string
		for _, run := range took[i] {
			runs = append(runs, seconds(total(run)))
		}
		for _, phase := range median {
			phases = append(phases, phase.name+" "+seconds(phase.took))
		}
		_, _ = fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", way.name, seconds(totals[i]), strings.Join(runs, " "), strings.Join(phases, ", "))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := fmt.Printf("\nkindling takes %.2f of the scripts' time; two clusters at once %.2f of one's.\n",
		totals[1].Seconds()/totals[0].Seconds(), totals[2].Seconds()/totals[1].Seconds())
	return err
}

func total(phases []phase) time.Duration {
	var sum time.Duration
	for _, phase := range phases {
		sum += phase.took
	}
	return sum
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }
