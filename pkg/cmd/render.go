// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gardener/kindling/internal/wholefile"
	"github.com/gardener/kindling/pkg/render"
)

type renderOptions struct {
	selection
	out    string
	seedAs *choice
}

func newRenderCommand(streams IOStreams) *cobra.Command {
	options := &renderOptions{}
	command := &cobra.Command{
		Use:   "render [PROFILE] --out DIR",
		Short: "Write kind configuration, Calico pools, seed.yaml and shoot.yaml of an environment",
		Long: `Write the files that an environment consists of: kind-CLUSTER.yaml, calico-pools.yaml, node-capacity.yaml,
seed.yaml and shoot.yaml.

It asks neither an engine nor a cluster. Files of these names in DIR are written anew.`,
		Example: `  kindling render --out .
  kindling render ha-multi-zone --out - | less
  kindling render -f environment.yaml --out rendered --seed-as seed`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProfiles,
		RunE:              func(_ *cobra.Command, args []string) error { return options.run(streams, args) },
	}
	options.addFlags(command.Flags())
	command.Flags().StringVar(&options.out, "out", "", "folder to write to, made if it is missing; - writes all YAML to standard output")
	options.seedAs = seedAsFlag(command.Flags())
	return command
}

func (o *renderOptions) run(streams IOStreams, args []string) error {
	if o.out == "" {
		return &UsageError{errors.New("say where to write with --out DIR, or --out - for standard output")}
	}
	env, plan, err := o.checked(streams, args)
	if err != nil {
		return err
	}
	opts := render.Options{
		Encapsulation: render.Resolve(env.Spec.Calico.Encapsulation),
		SeedForm:      render.SeedForm(o.seedAs.value),
	}
	files, err := render.Files(env, plan, opts)
	if err != nil {
		return err
	}
	if err := printNotices(streams.ErrOut, render.Notices(env, plan, opts)); err != nil {
		return err
	}
	if o.out == "-" {
		return writeStream(streams.Out, files)
	}
	return writeFolder(streams.ErrOut, o.out, files)
}

// writeStream writes the files as one stream of YAML documents, each with its name in a comment. Those of containerd are none.
func writeStream(w io.Writer, files []render.File) error {
	for _, file := range files {
		if filepath.Ext(file.Name) != ".yaml" {
			continue
		}
		if _, err := fmt.Fprintf(w, "---\n# %s\n%s", file.Name, file.Content); err != nil {
			return fmt.Errorf("writing %s: %w", file.Name, err)
		}
	}
	return nil
}

func writeFolder(log io.Writer, dir string, files []render.File) error {
	for _, file := range files {
		path := filepath.Join(dir, file.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("making the folder for the files: %w", err)
		}
		if err := wholefile.Write(path, file.Content, 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		if _, err := fmt.Fprintf(log, "wrote %s\n", path); err != nil {
			return err
		}
	}
	return nil
}
