// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package enginehost_test

import (
	"testing"

	"github.com/gardener/kindling/pkg/enginehost"
)

func TestTellsWhereTheEnginesHostIs(t *testing.T) {
	const socket = "unix:///var/run/docker.sock"
	for name, c := range map[string]struct {
		evidence enginehost.Evidence
		kind     enginehost.Kind
		is       string
	}{
		"Linux":                            {enginehost.Evidence{Endpoint: socket, Context: "default", OperatingSystem: "Debian GNU/Linux 12", HostName: "me", OS: "linux", OwnName: "me"}, enginehost.Local, ""},
		"rootless on Linux":                {enginehost.Evidence{Endpoint: "unix:///run/user/1000/docker.sock", HostName: "me", OS: "linux", OwnName: "me"}, enginehost.Local, ""},
		"an engine that tells no name":     {enginehost.Evidence{OS: "linux", OwnName: "me"}, enginehost.Local, ""},
		"by TCP on this machine":           {enginehost.Evidence{Endpoint: "tcp://127.0.0.1:2375", HostName: "me", OS: "linux", OwnName: "me"}, enginehost.Local, ""},
		"inside of a machine of Lima's":    {enginehost.Evidence{Endpoint: socket, HostName: "lima-docker", OS: "linux", OwnName: "lima-docker"}, enginehost.Local, ""},
		"Docker Desktop on macOS":          {enginehost.Evidence{Endpoint: "unix:///Users/me/.docker/run/docker.sock", Context: "desktop-linux", OperatingSystem: "Docker Desktop", HostName: "docker-desktop", OS: "darwin", OwnName: "me.local"}, enginehost.VM, "Docker Desktop"},
		"Docker Desktop on Linux":          {enginehost.Evidence{Endpoint: "unix:///home/me/.docker/desktop/docker.sock", OperatingSystem: "Docker Desktop", HostName: "docker-desktop", OS: "linux", OwnName: "me"}, enginehost.VM, "Docker Desktop"},
		"Docker Desktop with WSL 2":        {enginehost.Evidence{Endpoint: socket, OperatingSystem: "Docker Desktop", HostName: "docker-desktop", OS: "linux", OwnName: "me"}, enginehost.VM, "Docker Desktop"},
		"Colima by its context":            {enginehost.Evidence{Endpoint: "unix:///Users/me/.colima/default/docker.sock", Context: "colima", OperatingSystem: "Ubuntu 24.04.2 LTS", HostName: "colima", OS: "darwin", OwnName: "me"}, enginehost.VM, "Colima"},
		"Colima behind the usual socket":   {enginehost.Evidence{Endpoint: socket, OperatingSystem: "Ubuntu 24.04.2 LTS", HostName: "colima", OS: "darwin", OwnName: "me"}, enginehost.VM, "Colima"},
		"Colima's other place":             {enginehost.Evidence{Endpoint: "unix:///Users/me/.config/colima/x/docker.sock", HostName: "colima-x", OS: "darwin", OwnName: "me"}, enginehost.VM, "Colima"},
		"Lima":                             {enginehost.Evidence{Endpoint: "unix:///Users/me/.lima/docker/sock/docker.sock", HostName: "lima-docker", OS: "darwin", OwnName: "me"}, enginehost.VM, "Lima"},
		"Rancher Desktop":                  {enginehost.Evidence{Endpoint: "unix:///Users/me/.rd/docker.sock", Context: "rancher-desktop", OperatingSystem: "Alpine Linux v3.21", HostName: "lima-rancher-desktop", OS: "darwin", OwnName: "me"}, enginehost.VM, "Rancher Desktop"},
		"OrbStack":                         {enginehost.Evidence{Endpoint: "unix:///Users/me/.orbstack/run/docker.sock", Context: "orbstack", OperatingSystem: "OrbStack", HostName: "orbstack", OS: "darwin", OwnName: "me"}, enginehost.VM, "OrbStack"},
		"unknown on macOS":                 {enginehost.Evidence{OS: "darwin", OwnName: "me"}, enginehost.VM, ""},
		"Docker Desktop on Windows":        {enginehost.Evidence{Endpoint: "npipe:////./pipe/dockerDesktopLinuxEngine", OS: "windows", OwnName: "me"}, enginehost.VM, "Docker Desktop"},
		"by SSH":                           {enginehost.Evidence{Endpoint: "ssh://me@big.example.com", OperatingSystem: "Debian GNU/Linux 12", HostName: "big", OS: "darwin", OwnName: "me"}, enginehost.Remote, "big.example.com"},
		"by TCP":                           {enginehost.Evidence{Endpoint: "tcp://192.0.2.7:2376", HostName: "big", OS: "linux", OwnName: "me"}, enginehost.Remote, "192.0.2.7"},
		"a remote Docker Desktop":          {enginehost.Evidence{Endpoint: "ssh://mac.example.com", OperatingSystem: "Docker Desktop", HostName: "docker-desktop", OS: "linux", OwnName: "me"}, enginehost.Remote, "mac.example.com"},
		"the socket inside of a container": {enginehost.Evidence{Endpoint: socket, OperatingSystem: "Debian GNU/Linux 12", HostName: "big", OS: "linux", OwnName: "0123456789ab"}, enginehost.Remote, "big"},
		"a tunnel to another machine":      {enginehost.Evidence{Endpoint: "tcp://localhost:2375", HostName: "big", OS: "linux", OwnName: "me"}, enginehost.Remote, "big"},
	} {
		t.Run(name, func(t *testing.T) {
			got := enginehost.Locate(c.evidence)
			if got.Kind != c.kind || got.Name != c.is || got.Why == "" {
				t.Errorf("%+v, want %s %q", got, c.kind, c.is)
			}
		})
	}
}

func TestTheSocketIsThatOfTheEnginesHost(t *testing.T) {
	for name, c := range map[string]struct {
		evidence enginehost.Evidence
		want     string
	}{
		"the usual one":            {enginehost.Evidence{Endpoint: "unix:///var/run/docker.sock", HostName: "me", OS: "linux", OwnName: "me"}, "/var/run/docker.sock"},
		"rootless":                 {enginehost.Evidence{Endpoint: "unix:///run/user/1000/docker.sock", HostName: "me", OS: "linux", OwnName: "me"}, "/run/user/1000/docker.sock"},
		"one that is not told":     {enginehost.Evidence{HostName: "me", OS: "linux", OwnName: "me"}, ""},
		"by TCP":                   {enginehost.Evidence{Endpoint: "tcp://127.0.0.1:2375", HostName: "me", OS: "linux", OwnName: "me"}, ""},
		"a virtual machine's":      {enginehost.Evidence{Endpoint: "unix:///Users/me/.colima/default/docker.sock", HostName: "colima", OS: "darwin", OwnName: "me"}, ""},
		"Docker Desktop's":         {enginehost.Evidence{Endpoint: "unix:///home/me/.docker/desktop/docker.sock", OperatingSystem: "Docker Desktop", HostName: "docker-desktop", OS: "linux", OwnName: "me"}, ""},
		"another machine's":        {enginehost.Evidence{Endpoint: "ssh://me@big.example.com", HostName: "big", OS: "linux", OwnName: "me"}, ""},
		"one that is mounted here": {enginehost.Evidence{Endpoint: "unix:///mnt/docker.sock", HostName: "big", OS: "linux", OwnName: "0123456789ab"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := enginehost.Locate(c.evidence).Socket; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestArchitecturesAreNamedAsImagesDo(t *testing.T) {
	for machine, want := range map[string]string{"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64", "amd64": "amd64", "armv7l": "arm", "riscv64": "riscv64", "": ""} {
		if got := enginehost.Architecture(machine); got != want {
			t.Errorf("%s: %s, want %s", machine, got, want)
		}
	}
}
