// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/checkout"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/profiles"
	"github.com/gardener/kindling/pkg/render"
)

// ipFamilyVariable is where Gardener's make targets say the IP families.
const ipFamilyVariable = "IPFAMILY"

// selection chooses an environment: a profile by its name, a file, or a file laid over a profile; flags are laid over that.
type selection struct {
	file        string
	gardenerDir string
	ipFamily    string
}

func (s *selection) addFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&s.file, "file", "f", "", "environment file, or - for standard input; with a profile, what the file has is laid over it")
	flags.StringVar(&s.gardenerDir, "gardener-dir", "", "checkout of Gardener: its version is taken, and kubeconfigs are put where its Makefile looks for them")
	flags.StringVar(&s.ipFamily, "ip-family", "", "ipv4, ipv6 or dual, in place of spec.ipFamilies (default with a profile: $"+ipFamilyVariable+")")
}

// load returns the environment and its plan.
func (s *selection) load(streams IOStreams, args []string) (*v1alpha1.Environment, *netplan.Plan, error) {
	env, err := s.environment(streams, args)
	if err != nil {
		return nil, nil, err
	}
	plan, err := netplan.New(env)
	if err != nil {
		return nil, nil, err
	}
	return env, plan, nil
}

// checked is load for commands that make something of the environment: it must break no rule.
func (s *selection) checked(streams IOStreams, args []string) (*v1alpha1.Environment, *netplan.Plan, error) {
	env, plan, err := s.load(streams, args)
	if err != nil {
		return nil, nil, err
	}
	return env, plan, checkRules(env, plan)
}

// checkRules returns a *RulesError when the environment breaks a rule.
func checkRules(env *v1alpha1.Environment, plan *netplan.Plan) error {
	findings := netplan.Check(plan.Subject(render.Resolve(env.Spec.Calico.Encapsulation)), netplan.ModeStrict)
	if violations := netplan.WithLevel(findings, netplan.LevelViolation); len(violations) > 0 {
		return &RulesError{"environment " + env.Metadata.Name, violations}
	}
	return nil
}

func (s *selection) environment(streams IOStreams, args []string) (*v1alpha1.Environment, error) {
	if s.file != "" && len(args) == 0 {
		return v1alpha1.LoadFile(s.file, streams.In, nil, s.adjust(nil))
	}
	name := profiles.Default
	if len(args) > 0 {
		name = args[0]
	}
	profile, err := profiles.Find(name)
	if err != nil {
		return nil, err
	}
	if s.file == "" {
		return profiles.Load(profile.Name, s.adjust(&profile))
	}
	base, err := profiles.Source(profile.Name)
	if err != nil {
		return nil, err
	}
	return v1alpha1.LoadFile(s.file, streams.In, base, s.adjust(&profile))
}

// adjust lays over an environment what flags say: the checkout with its version, and the IP families in the order of that version.
func (s *selection) adjust(profile *profiles.Profile) v1alpha1.Adjust {
	return func(env *v1alpha1.Environment) error {
		if err := s.useCheckout(env, profile); err != nil {
			return err
		}
		text := s.family()
		if text == "" {
			return nil
		}
		version, err := gardener.Parse(cmp.Or(env.Spec.Gardener.Version, gardener.DefaultVersion))
		if err != nil {
			return &UsageError{fmt.Errorf("spec.gardener.version: %w", err)}
		}
		if env.Spec.IPFamilies, err = checkout.Families(text, version); err != nil {
			return &UsageError{fmt.Errorf("--ip-family or $%s: %w", ipFamilyVariable, err)}
		}
		if profile == nil || s.file != "" {
			return nil
		}
		return profile.CheckFamilies(env.Spec.IPFamilies, version)
	}
}

// family is that of the flag. The variable counts for profiles by themselves only: a file says what it is.
func (s *selection) family() string {
	if s.ipFamily != "" || s.file != "" {
		return s.ipFamily
	}
	return os.Getenv(ipFamilyVariable)
}

// useCheckout takes the version of the checkout that the flag names, and the name that its Makefile gives the cluster of the profile.
func (s *selection) useCheckout(env *v1alpha1.Environment, profile *profiles.Profile) error {
	if s.gardenerDir == "" {
		return nil
	}
	opened, err := checkout.Open(s.gardenerDir)
	if err != nil {
		return &UsageError{err}
	}
	env.Spec.Gardener.Dir, env.Spec.Gardener.Version = opened.Dir, opened.Version.String()
	if profile == nil || s.file != "" || len(env.Spec.Clusters) != 1 {
		return nil
	}
	name := opened.ClusterName(profile.Name)
	if name == "" {
		return &UsageError{fmt.Errorf("the Makefile of Gardener %s has no profile %s: choose one of %s", opened.Version, profile.Name, strings.Join(opened.Profiles(), ", "))}
	}
	env.Spec.Clusters[0].Name, env.Spec.Gardener.Cluster = name, checkout.GardenOf(name)
	return nil
}

// completeProfiles completes the names of profiles.
func completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, profile := range profiles.List() {
		names = append(names, profile.Name+"\t"+profile.Summary)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// choice is a flag that takes one of a few words.
type choice struct {
	value   string
	allowed []string
}

func newChoice(initial string, allowed []string) *choice { return &choice{initial, allowed} }

// String implements pflag.Value.
func (c *choice) String() string { return c.value }

// Set implements pflag.Value.
func (c *choice) Set(value string) error {
	if !slices.Contains(c.allowed, value) {
		return fmt.Errorf("must be one of %s", strings.Join(c.allowed, ", "))
	}
	c.value = value
	return nil
}

// Type implements pflag.Value.
func (c *choice) Type() string { return strings.Join(c.allowed, "|") }

// output is the flag -o.
func outputFlag(flags *pflag.FlagSet, more ...string) *choice {
	format := newChoice(string(printer.FormatTable), append(printer.Formats(), more...))
	flags.VarP(format, "output", "o", "output format")
	return format
}
