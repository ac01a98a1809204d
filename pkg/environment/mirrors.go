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

	"github.com/gardener/kindling/pkg/render"
	"github.com/gardener/kindling/pkg/steps"
)

// mirrors writes where nodes pull images from, before there are nodes: they mount the folder. The files are taken away with all others.
func (e *Environment) mirrors() steps.Step {
	files := render.Mirrors(e.spec, e.plan)
	return steps.Step{
		Name:  stepMirrors,
		Title: "Mirrors of nodes",
		Needs: []string{stepNetwork}, // which comes when all that could be missing is there
		Observe: func(context.Context) (steps.Observation, error) {
			missing, differs := 0, 0
			for _, file := range files {
				have, err := os.ReadFile(e.path(file.Name))
				switch {
				case errors.Is(err, fs.ErrNotExist):
					missing++
				case err != nil:
					return steps.Observation{}, fmt.Errorf("reading what nodes pull images from: %w", err)
				case !bytes.Equal(have, file.Content):
					differs++
				}
			}
			text := fmt.Sprintf("%d hosts in %s", len(files), e.path(render.MirrorsDir))
			switch {
			case missing == len(files):
				return steps.Observation{State: steps.Missing, Text: e.path(render.MirrorsDir)}, nil
			case missing+differs > 0:
				return steps.Observation{State: steps.Differs, Text: fmt.Sprintf("%d of %s", missing+differs, text)}, nil
			}
			return steps.Observation{State: steps.AsWanted, Text: text}, nil
		},
		Apply: func(context.Context, func(string)) (string, error) {
			for _, file := range files {
				if err := e.writeFile(file.Name, file.Content, 0o644); err != nil {
					return "", err
				}
			}
			return fmt.Sprintf("%d hosts in %s", len(files), e.path(render.MirrorsDir)), nil
		},
	}
}
