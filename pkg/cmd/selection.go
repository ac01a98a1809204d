// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/printer"
	"github.com/gardener/kindling/pkg/profiles"
	"github.com/gardener/kindling/pkg/render"
)

// selection chooses an environment: a profile by its name, a file, or a file laid over a profile.
type selection struct{ file string }

func (s *selection) addFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&s.file, "file", "f", "", "environment file, or - for standard input; with a profile, what the file has is laid over it")
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
	findings := netplan.Check(plan.Subject(render.Resolve(env.Spec.Calico.Encapsulation)), netplan.ModeStrict)
	if violations := netplan.WithLevel(findings, netplan.LevelViolation); len(violations) > 0 {
		return nil, nil, &RulesError{"environment " + env.Metadata.Name, violations}
	}
	return env, plan, nil
}

func (s *selection) environment(streams IOStreams, args []string) (*v1alpha1.Environment, error) {
	switch {
	case s.file != "" && len(args) > 0:
		base, err := profiles.Source(args[0])
		if err != nil {
			return nil, err
		}
		return v1alpha1.LoadFile(s.file, streams.In, base)
	case s.file != "":
		return v1alpha1.LoadFile(s.file, streams.In, nil)
	case len(args) > 0:
		return profiles.Load(args[0])
	default:
		return profiles.Load(profiles.Default)
	}
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
func outputFlag(flags *pflag.FlagSet) *choice {
	format := newChoice(string(printer.FormatTable), printer.Formats())
	flags.VarP(format, "output", "o", "output format")
	return format
}
