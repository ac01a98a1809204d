// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"
)

const gibibyte = 1 << 30

// What a local Gardener with one shoot takes at least, as its documentation says, and what not even a control plane of Kubernetes runs with.
const (
	wantedCPUs   = 8
	wantedMemory = 8 * gibibyte
	leastMemory  = 2 * gibibyte
)

// ip6tablesVersion is the version of Docker from which on it sets rules for IPv6 by itself.
const ip6tablesVersion = "27.0.0"

func checkEngine(f Facts) verdict {
	v := problem(f.Engine, "", "answers")
	if about, _, ok := f.About.get(); ok && len(v.findings) == 0 && v.unknown == "" {
		v.found = about.Name + " " + about.Version
	}
	return v
}

func checkKindNetwork(f Facts) verdict {
	return problem(f.KindNetwork, "unset KIND_EXPERIMENTAL_DOCKER_NETWORK", "kind's own")
}

func checkVersion(f Facts) verdict {
	about, why, ok := f.About.get()
	if !ok {
		return verdict{unknown: why}
	}
	v := verdict{found: about.Name + " " + about.Version}
	if about.Name != "docker" {
		v.findings = append(v.findings, Finding{
			Severity: Note, Text: "Gardener's local setup is made for docker, and this is " + about.Name,
			Remedy: "use docker (--engine docker) when something fails that can't be explained",
		})
		return v
	}
	parsed, err := version.ParseGeneric(about.Version)
	if err != nil {
		return verdict{unknown: "the engine's version " + about.Version + " can't be read"}
	}
	if parsed.LessThan(version.MustParseGeneric(ip6tablesVersion)) {
		v.findings = append(v.findings, Finding{
			Severity: Note, Text: "Docker " + about.Version + " sets no rules for IPv6 by itself",
			Remedy: "update it to 27 or newer, or set \"ip6tables\": true in its daemon.json",
		})
	}
	return v
}

func checkRootless(f Facts) verdict {
	about, why, ok := f.About.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case !about.Rootless:
		return verdict{found: "has those of root"}
	case about.CgroupVersion == 1:
		return verdict{findings: []Finding{{
			Severity: Fatal, Text: "the engine is rootless, and its host has cgroup v1: kind makes no nodes there",
			Remedy: "use an engine with the rights of root, or boot its host with systemd.unified_cgroup_hierarchy=1",
		}}}
	}
	return verdict{findings: []Finding{{
		Severity: Warning, Text: "the engine is rootless: nodes can't load modules, and no addresses can be added to its host",
		Remedy: "use an engine with the rights of root",
	}}}
}

func checkLocation(f Facts) verdict {
	location, why, ok := f.Location.get()
	if !ok {
		return verdict{unknown: why}
	}
	v := verdict{found: location.Text}
	if location.Remote {
		v.findings = append(v.findings, Finding{
			Severity: Note, Text: "the engine is on " + location.Text + ": published ports are reached there, and folders are of that machine",
			Remedy: "run kindling there, or forward the ports that you need",
		})
	}
	if about, _, ok := f.About.get(); ok && isWSL(about.Kernel) {
		v.findings = append(v.findings, Finding{
			Severity: Note, Text: "the engine runs in WSL 2, which forwards ports in its own way",
			Remedy: "set networkingMode=mirrored in .wslconfig; when API servers time out: netsh interface portproxy reset",
		})
	}
	return v
}

func checkCPUs(f Facts) verdict {
	about, why, ok := f.About.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case about.CPUs == 0:
		return verdict{unknown: "the engine does not tell"}
	case about.CPUs < wantedCPUs && !f.Wanted.ClustersOnly:
		return verdict{findings: []Finding{{
			Severity: Warning, Text: fmt.Sprintf("the engine's host has %d processors, and a Gardener with a shoot takes %d", about.CPUs, wantedCPUs),
			Remedy: "give its virtual machine more, or make only clusters",
		}}}
	}
	return verdict{found: fmt.Sprintf("%d processors", about.CPUs)}
}

func checkMemory(f Facts) verdict {
	about, why, ok := f.About.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case about.Memory == 0:
		return verdict{unknown: "the engine does not tell"}
	case about.Memory < leastMemory-gibibyte/4: // the kernel keeps some of it for itself
		return verdict{findings: []Finding{littleMemory(Fatal, about.Memory, "a cluster", leastMemory)}}
	case about.Memory < wantedMemory-gibibyte/2 && !f.Wanted.ClustersOnly:
		return verdict{findings: []Finding{littleMemory(Warning, about.Memory, "a Gardener with a shoot", wantedMemory)}}
	}
	return verdict{found: fmt.Sprintf("%.1f GiB", float64(about.Memory)/gibibyte)}
}

func littleMemory(severity Severity, have int64, what string, want int64) Finding {
	return Finding{
		Severity: severity, Remedy: "give its virtual machine more, or use another machine",
		Text: fmt.Sprintf("the engine's host has %.1f GiB of memory, and %s takes %d GiB", float64(have)/gibibyte, what, want/gibibyte),
	}
}
