// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/verify"
	"github.com/gardener/kindling/pkg/verify/live"
)

// formatJUnit is a format for CI systems, beside those of every command.
const formatJUnit = "junit"

type verifyOptions struct {
	selection
	dir          string
	shoot        string
	seed         string
	files        live.Kubeconfigs
	breakSide    *choice
	skip         []string
	controlImage string
	seedOnly     bool
	restore      bool
	timeout      time.Duration
	output       *choice
}

func newVerifyCommand(streams IOStreams) *cobra.Command {
	options := &verifyOptions{}
	command := &cobra.Command{
		Use:   "verify [PROFILE]",
		Short: "Find out on a living shoot whether the VPN is really used",
		Long: `Look at a living shoot: its objects, the routes of the pods that decide about the VPN, whether a scratch pod of the seed can connect to
kubelets, and whether logs, exec, port-forward, the proxy of nodes and metrics work through its API server. With --break, one end of the
VPN is then taken away for a minute or two, none of them may work any more, and all is restored. The verdict is PASS only after that.

Without --break nothing that is there is changed. Scratch pods, and a namespace for two of them, are made and removed again; with
--skip negative-control not even they are. With --break, the Shoot is annotated shoot.gardener.cloud/ignore meanwhile, and vpn-seed-server
in the seed, or vpn-shoot in the shoot, is scaled to 0. --break shoot says most: without high availability the seed's end is also the way
past the VPN. All is restored also after an error or Ctrl-C; after kill -9 run kindling verify --restore.

The kubeconfig of the seed is that of the environment, unless one is given; that of the shoot is Gardener's own, from the seed, through
which connections go then.`,
		Example: `  kindling verify
  kindling verify --break shoot
  kindling verify ha-single-zone --shoot garden-local/local --break seed -o junit > verify.xml
  kindling verify --seed-kubeconfig seed.yaml --shoot-kubeconfig shoot.yaml
  kindling verify --seed-only
  kindling verify --restore`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE: func(command *cobra.Command, args []string) error {
			return options.run(command.Context(), streams, args)
		},
	}
	flags := command.Flags()
	options.addFlags(flags)
	dirFlag(flags, &options.dir)
	flags.StringVar(&options.shoot, "shoot", "", "NAMESPACE/NAME of the shoot (default: the only one)")
	flags.StringVar(&options.files.Seed, "seed-kubeconfig", "", "kubeconfig of the seed (default: the environment's)")
	flags.StringVar(&options.files.Garden, "garden-kubeconfig", "", "kubeconfig of the garden, where Shoots are (default: the seed's)")
	flags.StringVar(&options.files.Shoot, "shoot-kubeconfig", "", "kubeconfig of the shoot (default: Gardener's own, from the seed)")
	options.breakSide = newChoice(string(verify.BreakNone), verify.Sides())
	flags.Var(options.breakSide, "break", "end of the VPN to take away")
	flags.StringSliceVar(&options.skip, "skip", nil, "parts to leave out: static, routes, negative-control")
	flags.StringVar(&options.controlImage, "control-image", "", "image with curl and sleep for scratch pods (default: that of the machines)")
	flags.BoolVar(&options.seedOnly, "seed-only", false, "only compare Seed and cluster, as gardenlet does when it starts, with all objects")
	flags.StringVar(&options.seed, "seed", "", "with --seed-only, name of the Seed (default: the only one)")
	flags.BoolVar(&options.restore, "restore", false, "restore what an earlier run could not")
	flags.DurationVar(&options.timeout, "timeout", 10*time.Minute, "time for all of it; restoring has its own")
	options.output = outputFlag(flags, formatJUnit)
	command.MarkFlagsMutuallyExclusive("seed-only", "restore", "break")
	return command
}

func (o *verifyOptions) run(ctx context.Context, streams IOStreams, args []string) error {
	for _, part := range o.skip {
		if !slices.Contains(verify.Skippable(), part) {
			return &UsageError{fmt.Errorf("--skip %s: only these can be left out: %v", part, verify.Skippable())}
		}
	}
	if o.seed != "" && !o.seedOnly {
		return &UsageError{errors.New("--seed is for --seed-only: a shoot says which Seed it is on")}
	}
	stateDir, err := environment.DefaultStateDir()
	if err != nil {
		return err
	}
	if o.restore {
		return o.restoreAll(ctx, streams, args, stateDir)
	}
	seed, garden, err := o.clusters(streams, args)
	if err != nil {
		return err
	}
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	var report *verify.Report
	if o.seedOnly {
		report, err = o.checkSeed(ctx, streams, args, seed, garden)
	} else {
		report, err = o.checkShoot(ctx, streams, seed, garden, stateDir)
	}
	if report != nil {
		err = errors.Join(o.print(streams.Out, report), err)
	}
	switch {
	case err != nil && parent.Err() != nil:
		return &verifyInterrupted{parent.Err(), report != nil && report.Unrestored != ""}
	case err != nil:
		return err
	case !report.Verdict.OK():
		return refused{}
	}
	return nil
}

func (o *verifyOptions) checkShoot(ctx context.Context, streams IOStreams, seed, garden live.Cluster, stateDir string) (*verify.Report, error) {
	opts := live.Options{
		Seed: seed, Garden: garden, Connect: connectSeparately, Shoot: o.shoot, Break: verify.Side(o.breakSide.value), StateDir: stateDir, Files: o.files,
		ControlImage: o.controlImage, Report: verifyProgress(streams.ErrOut), Now: time.Now, Patience: live.DefaultPatience(),
	}
	for _, part := range o.skip {
		opts.Skip = append(opts.Skip, verify.Part(part))
	}
	id := make([]byte, 4)
	if _, err := rand.Read(id); err != nil {
		return nil, fmt.Errorf("making a name for scratch objects: %w", err)
	}
	opts.ID = hex.EncodeToString(id)
	var err error
	if opts.ShootKubeconfig, err = readKubeconfig(o.files.Shoot); err != nil {
		return nil, err
	}
	return live.Run(ctx, opts)
}

func (o *verifyOptions) checkSeed(ctx context.Context, streams IOStreams, args []string, seed, garden live.Cluster) (*verify.Report, error) {
	opts := live.SeedOptions{Seed: seed, Garden: garden, Name: o.seed, Now: time.Now}
	if o.files.Seed == "" || o.file != "" || len(args) > 0 {
		_, plan, err := o.load(streams, args)
		if err != nil {
			return nil, err
		}
		family := plan.Families[0]
		opts.Planned = &verify.Seed{Name: plan.Clusters[0].Seed, Networks: verify.Networks{
			Nodes: []netip.Prefix{family.Container}, Pods: []netip.Prefix{family.SeedPods}, Services: []netip.Prefix{family.Services},
		}}
	}
	return live.CheckSeed(ctx, opts)
}

func verifyProgress(w io.Writer) func(string) {
	return func(line string) { _, _ = fmt.Fprintf(w, "verify: %s\n", line) }
}
