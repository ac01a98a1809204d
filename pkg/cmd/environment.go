// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/checkout"
	"github.com/gardener/kindling/pkg/engine"
	"github.com/gardener/kindling/pkg/environment"
	"github.com/gardener/kindling/pkg/kindcluster"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/privileged"
	"github.com/gardener/kindling/pkg/render"
)

// kindProviderVariable is where kind's own command takes the engine from.
const kindProviderVariable = "KIND_EXPERIMENTAL_PROVIDER"

func engineFlag(flags *pflag.FlagSet, value *string) {
	flags.StringVar(value, "engine", "", "container engine: docker, nerdctl or podman (default: $"+kindProviderVariable+", else the first one installed)")
}

func detectEngine(ctx context.Context, name string) (*engine.Engine, engine.Info, error) {
	if name == "" {
		name = os.Getenv(kindProviderVariable)
	}
	return engine.Detect(ctx, name)
}

// environmentOptions are the flags of the commands that work on an environment that is there.
type environmentOptions struct {
	selection
	engine string
	dir    string
	// kubeconfigs are copies that the caller of kind-up asks for.
	kubeconfigs []checkout.Kubeconfig
	timeout     time.Duration
	progress    *choice
}

func (o *environmentOptions) addFlags(flags *pflag.FlagSet) {
	o.selection.addFlags(flags)
	engineFlag(flags, &o.engine)
	dirFlag(flags, &o.dir)
}

func dirFlag(flags *pflag.FlagSet, value *string) {
	flags.StringVar(value, "dir", "", "folder of the environment's files (default: kindling/NAME below $XDG_STATE_HOME, else ~/.local/state)")
}

func (o *environmentOptions) addRunFlags(flags *pflag.FlagSet) {
	flags.DurationVar(&o.timeout, "timeout", 10*time.Minute, "time for all of it")
	o.progress = newChoice(string(printer.ProgressAuto), printer.ProgressModes())
	flags.Var(o.progress, "progress", "how progress is shown: a spinner in a terminal and lines elsewhere, lines, or a JSON object a line")
}

// withProgress shows the progress of a run, and its error where that is shown in the same way.
func (o *environmentOptions) withProgress(streams IOStreams, run func(printer.Progress) error) error {
	file, isFile := streams.ErrOut.(*os.File)
	terminal := isFile && isatty.IsTerminal(file.Fd())
	progress := printer.NewProgress(printer.ProgressMode(o.progress.value), streams.ErrOut, terminal)
	err := run(progress)
	progress.Close()
	if err != nil && progress.Fail(Message(err)) {
		return &told{err}
	}
	return err
}

// kindNetworkVariable sends kind to another network than the one that is made for the environment.
const kindNetworkVariable = "KIND_EXPERIMENTAL_DOCKER_NETWORK"

// hostRootVariable names another root folder of this machine's resolver configuration, for tests.
const hostRootVariable = "KINDLING_HOST_ROOT"

// open returns the environment with everything that it needs from outside.
func (o *environmentOptions) open(ctx context.Context, env *v1alpha1.Environment, plan *netplan.Plan, merge bool, form render.SeedForm) (*environment.Environment, error) {
	containerEngine, info, err := detectEngine(ctx, o.engine)
	if err != nil {
		return nil, err
	}
	if problem := kindNetworkProblem(); problem != "" {
		return nil, &hostNotFit{errors.New(problem)}
	}
	opened, err := o.environmentOf(env, plan, containerEngine, info)
	if err != nil {
		return nil, err
	}
	if merge {
		opened.MergeInto = clientcmd.NewDefaultPathOptions().GetDefaultFilename()
	}
	opened.SeedForm = form
	if render.DependsOnEngineHost(env, plan) {
		// What nodes mount depends on it.
		_, err = opened.EngineHost(ctx)
	}
	return opened, err
}

// kindNetworkProblem says that kind would use another network; empty when it would not.
func kindNetworkProblem() string {
	network := os.Getenv(kindNetworkVariable)
	if network == "" || network == netplan.ContainerNetwork {
		return ""
	}
	return fmt.Sprintf("$%s is %s: kind would put the nodes there, and not into the container network %s; unset it", kindNetworkVariable, network, netplan.ContainerNetwork)
}

// environmentOf returns the environment with everything that it needs from outside. It asks nobody.
func (o *environmentOptions) environmentOf(env *v1alpha1.Environment, plan *netplan.Plan, containerEngine *engine.Engine, info engine.Info) (
	opened *environment.Environment, err error,
) {
	opts := environment.Options{
		Engine: containerEngine, CgroupV1: info.CgroupVersion == 1, Info: info,
		CI:         os.Getenv("CI") != "",
		HTTPClient: &http.Client{Timeout: 5 * time.Minute}, Dir: o.dir, HostRoot: os.Getenv(hostRootVariable),
	}
	if containerEngine != nil {
		opts.Kind = kindcluster.New(containerEngine.Name())
	}
	if err := o.place(&opts, env); err != nil {
		return nil, err
	}
	if opts.Privileged, err = asRoot(); err != nil {
		return nil, err
	}
	if opts.StateDir, err = environment.DefaultStateDir(); err != nil {
		return nil, err
	}
	if opts.CacheDir, err = environment.DefaultCacheDir(); err != nil {
		return nil, err
	}
	return environment.New(env, plan, opts), nil
}

// place says where the environment's files are: in the folder of the flag, below a checkout of Gardener, or in the user's own.
func (o *environmentOptions) place(opts *environment.Options, env *v1alpha1.Environment) (err error) {
	var inside string
	if dir := env.Spec.Gardener.Dir; dir != "" {
		opened, err := checkout.Open(dir)
		if err != nil {
			return &UsageError{err}
		}
		// Its .gitignore has /dev.
		inside = filepath.Join(opened.Dir, "dev", "kindling", env.Metadata.Name)
		opts.Kubeconfigs = map[string][]checkout.Kubeconfig{}
		for _, cluster := range env.Spec.Clusters {
			opts.Kubeconfigs[cluster.Name] = withoutDoubles(append(opened.Kubeconfigs(cluster.Name), o.kubeconfigs...))
		}
	}
	switch {
	case opts.Dir != "":
		opts.DirIsGiven = true
		opts.Dir, err = filepath.Abs(opts.Dir)
	case inside != "":
		opts.Dir = inside
	default:
		opts.Dir, err = environment.DefaultDir(env.Metadata.Name)
	}
	if err == nil && strings.ContainsRune(opts.Dir[len(filepath.VolumeName(opts.Dir)):], ':') {
		err = &UsageError{fmt.Errorf("the folder %s can't be mounted into nodes, as engines take a colon for the end of a path: give another with --dir", opts.Dir)}
	}
	return err
}

func withoutDoubles(kubeconfigs []checkout.Kubeconfig) []checkout.Kubeconfig {
	var kept []checkout.Kubeconfig
	for _, one := range kubeconfigs {
		if !slices.ContainsFunc(kept, func(other checkout.Kubeconfig) bool { return other.Path == one.Path }) {
			kept = append(kept, one)
		}
	}
	return kept
}

// asRoot runs this program by sudo, which may ask for a password where there is a terminal.
func asRoot() (*privileged.Runner, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, to run it with the rights of root: %w", err)
	}
	runner := &privileged.Runner{Program: program}
	if isatty.IsTerminal(os.Stdin.Fd()) {
		runner.Terminal = os.Stdin
	}
	return runner, nil
}
