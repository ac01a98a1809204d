// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
)

func checkAddresses(f Facts) verdict {
	missing, why, ok := f.Addresses.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case len(missing) == 0:
		return verdict{found: "all are there"}
	}
	return verdict{findings: []Finding{{
		Severity: Note, Root: true, Text: fmt.Sprintf("%d addresses are not on the loopback interface of this machine: up puts them there", len(missing)),
		Remedy: "sudo kindling loopback-addresses add " + strings.Join(missing, " "),
	}}}
}

func checkAddressTaken(f Facts) verdict { return problem(f.AddressTaken, "", "none is taken") }

func checkPorts(f Facts) verdict {
	return each(f.Ports, Fatal, "stop what has it; two environments whose gardens share addresses exclude each other", "all are free, or this environment's")
}

func checkContainerNetwork(f Facts) verdict {
	return problem(f.ContainerNetwork, "", "as wanted, or not made yet")
}

func checkEngineNetworks(f Facts) verdict {
	return overlaps(f.EngineNetworks, "none is in the way")
}

func checkRoutes(f Facts) verdict { return overlaps(f.Routes, "none covers a planned range") }

func overlaps(fact Maybe[[]Overlap], fine string) verdict {
	found, why, ok := fact.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case len(found) == 0:
		return verdict{found: fine}
	}
	v := verdict{}
	for _, overlap := range found {
		severity := Fatal
		if overlap.Harmless {
			severity = Warning
		}
		v.findings = append(v.findings, Finding{Severity: severity, Text: overlap.Text, Remedy: overlap.Remedy})
	}
	return v
}

func checkProxy(f Facts) verdict {
	proxy, why, ok := f.Proxy.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case proxy.Variable == "":
		return verdict{found: "none is set"}
	}
	var lacking []string
	for _, prefix := range f.Wanted.Ranges {
		if !exempts(proxy.Except, prefix) {
			lacking = append(lacking, prefix)
		}
	}
	for _, name := range f.Wanted.Names {
		if !exemptsName(proxy.Except, name) {
			lacking = append(lacking, "."+name)
		}
	}
	if len(lacking) == 0 {
		return verdict{found: proxy.Variable + " is set, and NO_PROXY has all ranges"}
	}
	return verdict{findings: []Finding{{
		Severity: Warning, Text: proxy.Variable + " is set, and NO_PROXY lacks " + strings.Join(lacking, ", "),
		Remedy: "export NO_PROXY=" + strings.Join(append(nonEmpty(proxy.Except), lacking...), ","),
	}}}
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// exempts says whether an entry of NO_PROXY holds a whole range.
func exempts(except, wanted string) bool {
	want, err := netip.ParsePrefix(wanted)
	if err != nil {
		return false
	}
	for entry := range strings.SplitSeq(except, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "*" {
			return true
		}
		if have, err := netip.ParsePrefix(entry); err == nil && have.Bits() <= want.Bits() && have.Contains(want.Addr()) {
			return true
		}
	}
	return false
}

// exemptsName says whether an entry of NO_PROXY is a suffix of a host name, with a dot before it or not.
func exemptsName(except, name string) bool {
	for entry := range strings.SplitSeq(except, ",") {
		entry = strings.TrimPrefix(strings.TrimSpace(entry), ".")
		if entry == "*" || entry != "" && (entry == name || strings.HasSuffix(name, "."+entry)) {
			return true
		}
	}
	return false
}

func checkManifest(f Facts) verdict {
	damaged, why, ok := f.Manifest.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case damaged.Path == "":
		return verdict{found: "whole, or not there"}
	}
	return verdict{findings: []Finding{{Severity: Warning, Text: damaged.Why, Remedy: "rm " + damaged.Path, Fix: &Fix{Kind: RemoveFile, Target: damaged.Path}}}}
}

func checkLeftovers(f Facts) verdict {
	left, why, ok := f.Leftovers.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case len(left) == 0:
		return verdict{found: "nothing"}
	}
	v := verdict{}
	for _, one := range left {
		v.findings = append(v.findings, leftover(f.program(), one))
	}
	return v
}

func downOf(folder string) string {
	return "kindling down --dir " + folder + ", with the file or profile that it was made from"
}

// leftover says how a thing is removed. A record is left to down: it may name entries in files of the user's.
func leftover(program string, one Leftover) Finding {
	finding := Finding{Severity: Warning, Text: string(one.Kind) + " " + one.Name + " " + one.Why}
	switch one.Kind {
	case LeftContainer:
		finding.Remedy, finding.Fix = program+" rm --force --volumes "+one.Name, &Fix{Kind: RemoveContainer, Target: one.Name}
	case LeftNetwork:
		finding.Remedy, finding.Fix = program+" network rm "+one.Name, &Fix{Kind: RemoveNetwork, Target: one.Name}
	case LeftRecord:
		finding.Remedy = downOf(filepath.Dir(one.Name))
	case LeftShare:
		finding.Remedy = downOf(one.Folder)
	}
	if !one.Dead {
		finding.Fix = nil
	}
	return finding
}
