// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"cmp"
	"os"

	"github.com/spf13/cobra"
)

// Defaults of what a daemon says of itself.
const (
	defaultServer = "28.2.2"
	defaultAPI    = "1.50"
	defaultCgroup = "2"
)

type serverVersion struct {
	Version    string
	APIVersion string `json:"ApiVersion"`
	Os, Arch   string
}

func (d *docker) version() *cobra.Command {
	var format *string
	c := command("version", func([]string) error {
		server := serverVersion{cmp.Or(d.state.ServerVersion, defaultServer), cmp.Or(d.state.APIVersion, defaultAPI), "linux", "amd64"}
		return d.print(*format, struct{ Client, Server serverVersion }{server, server})
	})
	format = formatFlag(c.Flags(), "f")
	return c
}

// defaultName is the host name of the engine's host: no machine that runs tests, so that nothing is made on it.
const defaultName = "stub-engine"

type hostInfo struct {
	Name                                                                string
	ServerVersion, OperatingSystem, OSType, Architecture, KernelVersion string
	CgroupDriver, CgroupVersion                                         string
	Driver                                                              string
	DriverStatus                                                        [][]string
	SecurityOptions                                                     []string
	MemoryLimit, PidsLimit, CPUShares                                   bool
	NCPU                                                                int
	MemTotal                                                            int64
}

func (d *docker) info() *cobra.Command {
	var format *string
	c := command("info", func([]string) error {
		return d.print(*format, hostInfo{
			ServerVersion: cmp.Or(d.state.ServerVersion, defaultServer), Name: cmp.Or(d.state.Name, defaultName),
			OperatingSystem: cmp.Or(d.state.OperatingSystem, "Stub Linux"), OSType: "linux", Architecture: "x86_64",
			KernelVersion: "6.12.0", CgroupDriver: "systemd", CgroupVersion: cmp.Or(d.state.CgroupVersion, defaultCgroup), Driver: "overlay2",
			DriverStatus: [][]string{{"Backing Filesystem", "extfs"}}, SecurityOptions: []string{"name=seccomp,profile=builtin", "name=cgroupns"},
			MemoryLimit: true, PidsLimit: true, CPUShares: true, NCPU: 8, MemTotal: cmp.Or(d.state.Memory, int64(32<<30)),
		})
	})
	format = formatFlag(c.Flags(), "f")
	return c
}

// contextCommand tells how the engine is reached; a variable counts before its state, as with docker.
func (d *docker) contextCommand() *cobra.Command {
	inspect := command("inspect", func([]string) error {
		return d.print("", struct {
			Name      string
			Endpoints map[string]map[string]string
		}{"default", map[string]map[string]string{"docker": {"Host": cmp.Or(os.Getenv("DOCKER_HOST"), d.state.Endpoint, "unix:///var/run/docker.sock")}}})
	})
	return group("context", inspect)
}
