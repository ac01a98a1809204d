// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package doctor

// Checks returns all checks in the order in which they are reported: the engine, its host, this machine, and what is left of others.
func Checks() []Check {
	return []Check{
		{"engine", "Engine", "without an engine that answers there are no clusters", Fatal, checkEngine},
		{"kind-network-variable", "Network of kind", "the nodes would be in another network than the plan says", Fatal, checkKindNetwork},
		{"engine-version", "Version of the engine", "older engines make networks with IPv6 that lead nowhere", Note, checkVersion},
		{"rootless", "Rights of the engine", "a rootless engine can neither load modules nor add addresses", Fatal, checkRootless},
		{"engine-host", "Host of the engine", "addresses, ports and folders are those of the engine's host", Note, checkLocation},
		{"cpus", "Processors", "a Gardener with a shoot runs some hundred pods", Warning, checkCPUs},
		{"memory", "Memory", "the kernel ends processes when there is too little", Fatal, checkMemory},
		{"disk", "Disk", "pods are evicted when the disk is full", Warning, checkDisk},
		{"clock", "Clock", "certificates that are made there are not valid yet here, or the other way around", Warning, checkClock},
		{"node-image", "Images of nodes", "what is not there is pulled, and nothing looks at the engine's host without it", Note, checkImages},
		{"architecture", "Architecture of images", "images for another machine run slowly by emulation, or not at all", Warning, checkArchitecture},
		{"cgroup-version", "cgroup version", "newer kubelets refuse cgroup v1", Warning, checkCgroup},
		{"ipv6", "IPv6", "networks with IPv6 can't be made, and newer VPNs use IPv6 between their ends", Fatal, checkIPv6},
		{"ip6tables", "NAT for IPv6", "pods don't reach IPv6 addresses outside", Warning, checkIP6Tables},
		{"kernel-modules", "Modules of the kernel", "encapsulation and VPN need them", Warning, checkModules},
		{"inotify", "Limits of inotify", "many controllers watch files: \"too many open files\"", Warning, checkInotify},
		{"loopback-addresses", "Loopback addresses", "ports are published on them", Note, checkAddresses},
		{"address-taken", "Addresses of other interfaces", "ports would be published for others to reach", Fatal, checkAddressTaken},
		{"ports", "Ports", "each port is published once on the engine's host", Fatal, checkPorts},
		{"container-network", "Container network", "the nodes' addresses are those of this network", Fatal, checkContainerNetwork},
		{"engine-networks", "Other networks of the engine", "an engine has no two networks with the same range", Fatal, checkEngineNetworks},
		{"routes", "Routes of this machine", "VPN clients take ranges away from the engine", Warning, checkRoutes},
		{"proxy", "Proxy variables", "nodes get the same variables, and ask the proxy for addresses that only they know", Warning, checkProxy},
		{"manifest-cache", "Cached manifest of Calico", "a damaged one is downloaded again", Warning, checkManifest},
		{"leftovers", "What dead environments left", "it has ports, addresses and disk", Warning, checkLeftovers},
	}
}

// each makes a finding of each text.
func each(fact Maybe[[]string], severity Severity, remedy, fine string) verdict {
	texts, why, ok := fact.get()
	if !ok {
		return verdict{unknown: why}
	}
	if len(texts) == 0 {
		return verdict{found: fine}
	}
	v := verdict{}
	for _, text := range texts {
		v.findings = append(v.findings, Finding{Severity: severity, Text: text, Remedy: remedy})
	}
	return v
}

// problem makes a fatal finding of a text that is not empty.
func problem(fact Maybe[string], remedy, fine string) verdict {
	text, why, ok := fact.get()
	switch {
	case !ok:
		return verdict{unknown: why}
	case text == "":
		return verdict{found: fine}
	}
	return verdict{findings: []Finding{{Severity: Fatal, Text: text, Remedy: remedy}}}
}

func (m Maybe[T]) get() (value T, why string, ok bool) {
	if !m.known && m.why == "" {
		return value, "not looked at", false
	}
	return m.value, m.why, m.known
}
