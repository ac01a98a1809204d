// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"strings"
)

func isWSL(kernel string) bool { return strings.Contains(strings.ToLower(kernel), "microsoft") }

func checkDisk(f Facts) verdict {
	host, why, ok := f.Host.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case host.LittleDisk != "":
		return verdict{findings: []Finding{{Severity: Warning, Text: host.LittleDisk, Remedy: f.program() + " system df tells what takes the room"}}}
	case host.DiskFree == 0:
		return verdict{unknown: "the engine's host does not tell"}
	}
	return verdict{found: fmt.Sprintf("%.1f GiB free", float64(host.DiskFree)/gibibyte)}
}

func checkClock(f Facts) verdict {
	host, why, ok := f.Host.get()
	if !ok {
		return verdict{unknown: why}
	}
	text, _, ok := host.Clock.get()
	switch {
	case !ok:
		return verdict{unknown: "the engine's host does not tell"}
	case text != "":
		return verdict{findings: []Finding{{
			Severity: Warning, Root: true, Text: text,
			Remedy: "start the engine's virtual machine again, or set the wrong clock: sudo chronyc makestep, or sudo systemctl restart systemd-timesyncd",
		}}}
	}
	return verdict{found: "as this machine's"}
}

func checkImages(f Facts) verdict {
	v := each(f.Images, Note, "", "there")
	for i := range v.findings {
		image := v.findings[i].Text
		v.findings[i].Text = "the engine has no image " + image + ": up pulls it, and the engine's host is not looked at without it"
		v.findings[i].Remedy = f.program() + " pull " + image
	}
	return v
}

func checkArchitecture(f Facts) verdict {
	return each(f.Architectures, Warning, "", "that of the engine's host")
}

func checkCgroup(f Facts) verdict {
	about, why, ok := f.About.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case about.CgroupVersion == 0:
		return verdict{unknown: "the engine does not tell"}
	case about.CgroupVersion == 1 && f.Wanted.KubernetesRefusesCgroupV1:
		return verdict{findings: []Finding{{Severity: Warning, Text: "the engine's host has cgroup v1, which kubelets of this version refuse: those of the nodes are told " +
			"to accept it, those of shoots are not", Remedy: "boot the host with systemd.unified_cgroup_hierarchy=1, or use an older Kubernetes"}}}
	}
	return verdict{found: fmt.Sprintf("v%d", about.CgroupVersion)}
}

func checkIPv6(f Facts) verdict {
	host, why, ok := f.Host.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case host.IPv6:
		return verdict{found: "on"}
	}
	finding := Finding{
		Severity: Warning, Root: true, Text: "IPv6 is switched off on the engine's host: newer VPNs use it between their ends",
		Remedy: "on the engine's host: sudo sysctl -w net.ipv6.conf.all.disable_ipv6=0",
	}
	if f.Wanted.IPv6 {
		finding.Severity, finding.Text = Fatal, "IPv6 is switched off on the engine's host, and the environment has IPv6 in spec.ipFamilies"
	}
	return verdict{findings: []Finding{finding}}
}

func checkIP6Tables(f Facts) verdict {
	host, why, ok := f.Host.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case host.NAT6 == nil:
		return verdict{unknown: "the engine's host does not tell its modules"}
	case *host.NAT6:
		return verdict{found: "there"}
	}
	return verdict{findings: []Finding{{Severity: Warning, Root: true, Text: "the kernel of the engine's host has neither ip6table_nat nor nft_chain_nat: networks " +
		"with IPv6 can't be made there, or lead nowhere", Remedy: "on the engine's host: sudo modprobe ip6table_nat"}}}
}

func checkModules(f Facts) verdict {
	host, why, ok := f.Host.get()
	if !ok {
		return verdict{unknown: why}
	}
	return each(Known(host.Lacks), Warning, "", "none is missing")
}

func checkInotify(f Facts) verdict {
	host, why, ok := f.Host.get()
	if !ok {
		return verdict{unknown: why}
	}
	v := verdict{found: "enough"}
	for _, limit := range f.Wanted.Limits {
		have := host.Limits[limit.Name]
		if have == 0 {
			return verdict{unknown: "the engine's host does not tell " + limit.Name}
		}
		if have < limit.Want {
			assignment := fmt.Sprintf("%s=%d", limit.Name, limit.Want)
			v.found = ""
			v.findings = append(v.findings, Finding{
				Severity: Warning, Text: fmt.Sprintf("%s is %d, and %d are needed; up raises it until the next boot", limit.Name, have, limit.Want),
				Remedy: "on the engine's host: sudo sysctl -w " + assignment, Fix: &Fix{Kind: RaiseLimit, Target: assignment},
			})
		}
	}
	return v
}
