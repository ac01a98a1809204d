// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// States of a container.
const (
	created = "created"
	running = "running"
	exited  = "exited"
)

// runCommand is run or create: what they take is the same.
func (d *docker) runCommand(name string) *cobra.Command {
	var container Container
	var labels, ports, volumes []string
	var once bool
	var entrypoint string
	c := command(name, func(args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s takes an image", name)
		}
		container.ID, container.Image, container.State, container.Labels = d.state.identity(), args[0], running, pairs(labels)
		container.Created, container.Started = time.Now(), time.Now()
		if name == "create" {
			container.State, container.Started = created, time.Time{}
		}
		maps.Copy(container.Labels, d.state.Labels)
		if once {
			return d.runOnce(container, volumes, entrypoint, args[1:])
		}
		for _, text := range ports {
			port, err := parsePort(text)
			if err != nil {
				return err
			}
			container.Ports = append(container.Ports, port)
		}
		return d.addContainer(container)
	})
	flags := c.Flags()
	flags.StringVar(&container.Name, "name", "", "")
	flags.StringVar(&container.Network, "net", "", "")
	flags.StringVar(&container.Network, "network", "", "")
	flags.StringArrayVarP(&labels, "label", "l", nil, "")
	flags.StringArrayVarP(&volumes, "volume", "v", nil, "")
	flags.StringArrayVarP(&ports, "publish", "p", nil, "")
	flags.StringArrayVar(&container.Aliases, "network-alias", nil, "")
	flags.StringVar(&entrypoint, "entrypoint", "", "")
	flags.BoolVar(&once, "rm", false, "")
	ignoreRunFlags(flags)
	return c
}

// runOnce runs a program in a container that nobody sees.
func (d *docker) runOnce(container Container, volumes []string, entrypoint string, args []string) error {
	if image(d.state.Images, container.Image) == nil {
		return noImage(container.Image)
	}
	if entrypoint == "" {
		return nil
	}
	argv := append([]string{entrypoint}, args...)
	switch {
	case container.Network == "host":
		return d.hostProgram(argv)
	case entrypoint == "rm":
		return removeMounted(volumes, args)
	case entrypoint == "du":
		return d.measureMounted(volumes)
	}
	return d.program(&container, argv)
}

func noImage(reference string) error {
	return &exitError{125, fmt.Sprintf("Unable to find image '%s' locally\ndocker: Error response from daemon: manifest unknown\n", reference)}
}

// ignoreRunFlags takes the options that matter to real containers only.
func ignoreRunFlags(flags *pflag.FlagSet) {
	flags.BoolP("detach", "d", false, "")
	flags.BoolP("interactive", "i", false, "")
	flags.BoolP("tty", "t", false, "")
	flags.Bool("privileged", false, "")
	flags.Bool("init", false, "")
	flags.StringArrayP("env", "e", nil, "")
	for _, name := range []string{"hostname", "ip", "ip6", "restart", "cgroupns", "userns", "security-opt", "tmpfs", "sysctl", "device"} {
		flags.StringArray(name, nil, "")
	}
}

// parsePort reads address:port:port/protocol, with an IPv6 address in brackets.
func parsePort(text string) (Port, error) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return Port{}, fmt.Errorf("port %s has no host port", text)
	}
	host, err := netip.ParseAddrPort(text[:i])
	if err != nil {
		return Port{}, fmt.Errorf("port %s: %w", text, err)
	}
	return Port{Container: strings.ToLower(text[i+1:]), HostIP: host.Addr().String(), HostPort: fmt.Sprint(host.Port())}, nil
}

func (d *docker) addContainer(container Container) error {
	container.Name = cmp.Or(container.Name, "stub-"+short(container.ID))
	if d.state.container(container.Name) != nil {
		return &exitError{125, fmt.Sprintf("docker: Error response from daemon: Conflict. The container name %q is already in use.\n", container.Name)}
	}
	if image(d.state.Images, container.Image) == nil {
		return noImage(container.Image)
	}
	network := d.state.network(container.Network)
	if network == nil {
		return &exitError{125, fmt.Sprintf("docker: Error response from daemon: network %s not found\n", container.Network)}
	}
	container.Network = network.Name
	if container.State == running {
		container.Addresses = d.freeAddresses(network)
	}
	d.state.Containers = append(d.state.Containers, container)
	d.printf("%s\n", container.ID)
	return nil
}

// freeAddresses returns the first address of each range that nobody has; the very first is the gateway's.
func (d *docker) freeAddresses(network *Network) []netip.Addr {
	var addresses []netip.Addr
	for _, subnet := range network.Subnets {
		address := subnet.Masked().Addr().Next().Next()
		for slices.ContainsFunc(d.attached(network), func(c Container) bool { return slices.Contains(c.Addresses, address) }) {
			address = address.Next()
		}
		addresses = append(addresses, address)
	}
	return addresses
}

func (d *docker) ps() *cobra.Command {
	var format *string
	var all bool
	var filters []string
	c := command("ps", func([]string) error {
		for _, container := range d.state.Containers {
			fits, err := d.fits(container, filters)
			if err != nil {
				return err
			}
			if !fits || !all && container.State != running {
				continue
			}
			if err := d.print(listFormat(*format), listed{container}); err != nil {
				return err
			}
		}
		return nil
	})
	format = formatFlag(c.Flags(), "")
	c.Flags().BoolVarP(&all, "all", "a", false, "")
	c.Flags().BoolP("quiet", "q", false, "")
	c.Flags().Bool("no-trunc", false, "")
	c.Flags().StringArrayVarP(&filters, "filter", "f", nil, "")
	return c
}

// listed is a container in the words of docker ps.
type listed struct{ container Container }

func (l listed) ID() string              { return l.container.ID }
func (l listed) Names() string           { return l.container.Name }
func (l listed) Image() string           { return l.container.Image }
func (l listed) State() string           { return l.container.State }
func (l listed) Label(key string) string { return l.container.Labels[key] }

func (d *docker) fits(container Container, filters []string) (bool, error) {
	for _, filter := range filters {
		key, value, _ := strings.Cut(filter, "=")
		fits := false
		switch key {
		case "label":
			fits = hasLabel(container.Labels, value)
		case "name":
			fits = strings.Contains(container.Name, value)
		case "status":
			fits = container.State == value
		case "network":
			network := d.state.network(value)
			fits = network != nil && container.Network == network.Name
		default:
			return false, fmt.Errorf("the stub engine does not filter containers by %s", key)
		}
		if !fits {
			return false, nil
		}
	}
	return true, nil
}
