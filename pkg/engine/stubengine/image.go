// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"encoding/json"

	"github.com/spf13/cobra"
)

func (d *docker) imageCommand() *cobra.Command {
	var format *string
	inspect := command("inspect", func(args []string) error {
		return d.inspectAll(*format, args, d.inspectImage, func(name string) error { return fail("No such image: %s", name) })
	})
	format = formatFlag(inspect.Flags(), "f")
	return group("image", inspect)
}

func (d *docker) inspectImage(reference string) (any, bool) {
	found := image(d.state.Images, reference)
	if found == nil {
		return nil, false
	}
	return struct {
		ID           string `json:"Id"`
		RepoTags     []string
		Architecture string
	}{found.ID, found.Names, found.Architecture}, true
}

func (d *docker) pull() *cobra.Command {
	c := command("pull", func(args []string) error {
		for _, reference := range args {
			found := image(d.state.Pullable, reference)
			if found == nil {
				return fail("manifest for %s not found: manifest unknown: manifest unknown", reference)
			}
			if image(d.state.Images, reference) == nil {
				d.state.Images = append(d.state.Images, *found)
			}
			d.printf("%s\n", reference)
		}
		return nil
	})
	c.Flags().BoolP("quiet", "q", false, "")
	c.Flags().String("platform", "", "")
	return c
}

// save writes an Image as JSON for an archive.
func (d *docker) save() *cobra.Command {
	c := command("save", func(args []string) error {
		for _, reference := range args {
			found := image(d.state.Images, reference)
			if found == nil {
				return fail("No such image: %s", reference)
			}
			if err := json.NewEncoder(d.stdout).Encode(found); err != nil {
				return err
			}
		}
		return nil
	})
	c.Flags().String("platform", "", "")
	return c
}
