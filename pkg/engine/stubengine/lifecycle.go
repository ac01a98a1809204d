// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// each does something with every container that is named, and prints its name as docker does.
func (d *docker) each(names []string, do func(*Container) error) error {
	for _, name := range names {
		container := d.state.container(name)
		if container == nil {
			return fail("No such container: %s", name)
		}
		if err := do(container); err != nil {
			return err
		}
		d.printf("%s\n", name)
	}
	return nil
}

// start gives a container other addresses than it had before if somebody has taken them meanwhile.
func (d *docker) start() *cobra.Command {
	return command("start", func(args []string) error {
		return d.each(args, func(c *Container) error {
			network := d.state.network(c.Network)
			if network == nil {
				return fail("network %s not found", c.Network)
			}
			if c.State != running {
				if err := d.address(c, network); err != nil {
					return err
				}
			}
			c.State, c.Started = running, time.Now()
			delete(c.Files, "/etc/hosts") // engines write it anew
			return nil
		})
	})
}

// address gives a container its fixed addresses, or free ones.
func (d *docker) address(c *Container, network *Network) error {
	for _, fixed := range c.Fixed {
		if slices.ContainsFunc(d.attached(network), func(other Container) bool { return slices.Contains(other.Addresses, fixed) }) {
			return fail("Address already in use")
		}
	}
	c.Addresses = d.freeAddresses(network)
	for i, address := range c.Addresses {
		for _, fixed := range c.Fixed {
			if fixed.Is4() == address.Is4() {
				c.Addresses[i] = fixed
			}
		}
	}
	return nil
}

func (d *docker) stop() *cobra.Command {
	c := command("stop", func(args []string) error {
		return d.each(args, func(c *Container) error {
			c.State, c.Addresses = exited, nil
			return nil
		})
	})
	c.Flags().IntP("time", "t", 0, "")
	return c
}

func (d *docker) remove() *cobra.Command {
	var force bool
	c := command("rm", func(args []string) error {
		return d.each(args, func(c *Container) error {
			if c.State == running && !force {
				return fail("cannot remove container %q: container is running: stop the container before removing or force remove", c.Name)
			}
			id := c.ID
			d.state.Containers = slices.DeleteFunc(d.state.Containers, func(c Container) bool { return c.ID == id })
			return nil
		})
	})
	c.Flags().BoolVarP(&force, "force", "f", false, "")
	c.Flags().BoolP("volumes", "v", false, "")
	return c
}

// logs is what is waited for: that systemd of a node has started everything, that a DNS server serves.
func (d *docker) logs() *cobra.Command {
	c := command("logs", func(args []string) error {
		return d.each(args, func(*Container) error {
			d.printf("detected cgroup v2\nReached target Multi-User System.\n02-Dec-2026 15:00:00.000 running\n")
			return nil
		})
	})
	c.Flags().BoolP("follow", "f", false, "")
	c.Flags().IntP("tail", "n", 0, "")
	return c
}

// copyInto unpacks the archive at its input: cp - CONTAINER:FOLDER.
func (d *docker) copyInto() *cobra.Command {
	return command("cp", func(args []string) error {
		if len(args) != 2 || args[0] != "-" {
			return fmt.Errorf("the stub engine copies only an archive from its input, not %q", args)
		}
		name, folder, _ := strings.Cut(args[1], ":")
		container := d.state.container(name)
		if container == nil {
			return fail("No such container: %s", name)
		}
		if container.Files == nil {
			container.Files = map[string]string{}
		}
		archive := tar.NewReader(bytes.NewReader(d.input))
		for {
			header, err := archive.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return fail("%v", err)
			}
			content, err := io.ReadAll(archive)
			if err != nil {
				return fail("%v", err)
			}
			if header.Typeflag == tar.TypeReg {
				container.Files[path.Join(folder, header.Name)] = string(content)
			}
		}
	})
}
