// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package doctor_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener/kindling/internal/testutil"
	"github.com/gardener/kindling/pkg/doctor"
)

// healthy has nothing to complain of.
func healthy() doctor.Facts {
	nat := true
	texts := doctor.Known[[]string](nil)
	return doctor.Facts{
		Engine: doctor.Known(""), KindNetwork: doctor.Known(""),
		About:    doctor.Known(doctor.Engine{Name: "docker", Version: "28.2.2", Kernel: "6.12.0", CgroupVersion: 2, CPUs: 8, Memory: 16 << 30}),
		Location: doctor.Known(doctor.Location{Text: "this machine"}),
		Host:     doctor.Known(doctor.Host{DiskFree: 100 << 30, IPv6: true, NAT6: &nat, Clock: doctor.Known(""), Limits: map[string]int{"fs.inotify.max_user_instances": 8192}}),
		Images:   texts, Architectures: texts, Addresses: texts, AddressTaken: doctor.Known(""), Ports: texts, ContainerNetwork: doctor.Known(""),
		EngineNetworks: doctor.Known[[]doctor.Overlap](nil), Routes: doctor.Known[[]doctor.Overlap](nil), Proxy: doctor.Known(doctor.Proxy{}),
		Manifest: doctor.Known(doctor.Damaged{}), Leftovers: doctor.Known[[]doctor.Leftover](nil),
		Wanted: doctor.Wanted{
			Limits: []doctor.Limit{{Name: "fs.inotify.max_user_instances", Want: 8192}},
			Ranges: []string{"10.1.0.0/16", "fd00:10::/64"}, Names: []string{"local.gardener.cloud"},
		},
	}
}

// about changes what the engine tells of itself.
func about(change func(*doctor.Engine)) func(*doctor.Facts) {
	return func(f *doctor.Facts) {
		engine := doctor.Engine{Name: "docker", Version: "28.2.2", CgroupVersion: 2, CPUs: 8, Memory: 16 << 30}
		change(&engine)
		f.About = doctor.Known(engine)
	}
}

// host changes what a container saw.
func host(change func(*doctor.Host)) func(*doctor.Facts) {
	return func(f *doctor.Facts) {
		nat := true
		seen := doctor.Host{DiskFree: 100 << 30, IPv6: true, NAT6: &nat, Clock: doctor.Known(""), Limits: map[string]int{"fs.inotify.max_user_instances": 8192}}
		change(&seen)
		f.Host = doctor.Known(seen)
	}
}

type badFact struct {
	name, check string
	change      func(*doctor.Facts)
	want        doctor.Status
	// text and remedy are parts of those of the first finding.
	text, remedy string
}

func badFacts() []badFact {
	no := false
	fatal, warning, note := doctor.Status(doctor.Fatal), doctor.Status(doctor.Warning), doctor.Status(doctor.Note)
	return []badFact{
		{"an engine that does not answer", "engine", func(f *doctor.Facts) { f.Engine = doctor.Known("does not answer") }, fatal, "does not answer", ""},
		{"kind is sent elsewhere", "kind-network-variable", func(f *doctor.Facts) { f.KindNetwork = doctor.Known("is other") }, fatal, "is other", "unset KIND_"},
		{"docker before 27", "engine-version", about(func(e *doctor.Engine) { e.Version = "26.1.5+dfsg1" }), note, "26.1.5", "daemon.json"},
		{"another engine", "engine-version", about(func(e *doctor.Engine) { e.Name = "podman" }), note, "podman", "--engine docker"},
		{"rootless with cgroup v2", "rootless", about(func(e *doctor.Engine) { e.Rootless = true }), warning, "load modules", "rights of root"},
		{"rootless with cgroup v1", "rootless", about(func(e *doctor.Engine) { e.Rootless, e.CgroupVersion = true, 1 }), fatal, "kind makes no nodes", "unified_cgroup_hierarchy"},
		{"an engine far away", "engine-host", func(f *doctor.Facts) { f.Location = doctor.Known(doctor.Location{Text: "build-1", Remote: true}) }, note, "build-1", "forward"},
		{"WSL 2", "engine-host", about(func(e *doctor.Engine) { e.Kernel = "5.15.153.1-microsoft-standard-WSL2" }), note, "WSL 2", "portproxy reset"},
		{"few processors", "cpus", about(func(e *doctor.Engine) { e.CPUs = 4 }), warning, "4 processors", "virtual machine"},
		{"little memory for a Gardener", "memory", about(func(e *doctor.Engine) { e.Memory = 4 << 30 }), warning, "4.0 GiB", "virtual machine"},
		{"little memory for a cluster", "memory", about(func(e *doctor.Engine) { e.Memory = 1 << 30 }), fatal, "1.0 GiB", "virtual machine"},
		{"a full disk", "disk", host(func(h *doctor.Host) { h.LittleDisk = "1 GiB free" }), warning, "1 GiB free", "system df"},
		{"a host that slept", "clock", host(func(h *doctor.Host) { h.Clock = doctor.Known("1h behind") }), warning, "1h behind", "makestep"},
		{"an image that is not there", "node-image", func(f *doctor.Facts) { f.Images = doctor.Known([]string{"node:1"}) }, note, "node:1", "docker pull node:1"},
		{"an image for another machine", "architecture", func(f *doctor.Facts) { f.Architectures = doctor.Known([]string{"for arm64"}) }, warning, "for arm64", ""},
		{"cgroup v1 with a Kubernetes that refuses it", "cgroup-version", func(f *doctor.Facts) {
			about(func(e *doctor.Engine) { e.CgroupVersion = 1 })(f)
			f.Wanted.KubernetesRefusesCgroupV1 = true
		}, warning, "cgroup v1", "unified_cgroup_hierarchy"},
		{"no IPv6 for the VPN", "ipv6", host(func(h *doctor.Host) { h.IPv6 = false }), warning, "VPN", "disable_ipv6=0"},
		{"no IPv6 for an environment that has it", "ipv6", func(f *doctor.Facts) {
			host(func(h *doctor.Host) { h.IPv6 = false })(f)
			f.Wanted.IPv6 = true
		}, fatal, "spec.ipFamilies", "disable_ipv6=0"},
		{"no NAT for IPv6", "ip6tables", host(func(h *doctor.Host) { h.NAT6 = &no }), warning, "ip6table_nat", "modprobe"},
		{"a missing module", "kernel-modules", host(func(h *doctor.Host) { h.Lacks = []string{"no module tun"} }), warning, "no module tun", ""},
		{"few watchers", "inotify", host(func(h *doctor.Host) { h.Limits["fs.inotify.max_user_instances"] = 128 }), warning, "is 128", "fs.inotify.max_user_instances=8192"},
		{"an address that is not there", "loopback-addresses", func(f *doctor.Facts) { f.Addresses = doctor.Known([]string{"172.18.255.1"}) }, note, "1 address", "add 172.18.255.1"},
		{"an address of another interface", "address-taken", func(f *doctor.Facts) { f.AddressTaken = doctor.Known("eth0 has it") }, fatal, "eth0 has it", ""},
		{"a port that somebody has", "ports", func(f *doctor.Facts) { f.Ports = doctor.Known([]string{"1.2.3.4:443 by nginx"}) }, fatal, "nginx", "stop what has it"},
		{"a network with other ranges", "container-network", func(f *doctor.Facts) { f.ContainerNetwork = doctor.Known("is foreign") }, fatal, "is foreign", ""},
		{"a network of the engine in the way", "engine-networks", func(f *doctor.Facts) {
			f.EngineNetworks = doctor.Known([]doctor.Overlap{{Text: "lab", Remedy: "move"}})
		}, fatal, "lab", "move"},
		{"a network of the engine over seed pods", "engine-networks", func(f *doctor.Facts) {
			f.EngineNetworks = doctor.Known([]doctor.Overlap{{Text: "lab", Harmless: true}})
		}, warning, "lab", ""},
		{"a route of a VPN client", "routes", func(f *doctor.Facts) {
			f.Routes = doctor.Known([]doctor.Overlap{{Text: "tun0", Remedy: "move", Harmless: true}})
		}, warning, "tun0", "move"},
		{
			"a proxy for all", "proxy", func(f *doctor.Facts) {
				f.Proxy = doctor.Known(doctor.Proxy{Variable: "HTTPS_PROXY", Except: "10.0.0.0/8"})
			}, warning,
			"lacks fd00:10::/64, .local.gardener.cloud", "export NO_PROXY=10.0.0.0/8,fd00:10::/64,.local.gardener.cloud",
		},
		{"a damaged manifest", "manifest-cache", func(f *doctor.Facts) {
			f.Manifest = doctor.Known(doctor.Damaged{Path: "/c/x.yaml", Why: "sha256 differs"})
		}, warning, "sha256", "rm /c/x.yaml"},
		{"a container of a dead environment", "leftovers", func(f *doctor.Facts) {
			f.Leftovers = doctor.Known([]doctor.Leftover{{Kind: doctor.LeftContainer, Name: "bind9", Why: "is left", Dead: true}})
		}, warning, "container bind9 is left", "docker rm --force --volumes bind9"},
		{"a record of clusters that are gone", "leftovers", func(f *doctor.Facts) {
			f.Leftovers = doctor.Known([]doctor.Leftover{{Kind: doctor.LeftRecord, Name: "/s/local/record.json", Why: "is left"}})
		}, warning, "record /s/local/record.json", "kindling down --dir /s/local"},
		{"addresses that nobody needs", "leftovers", func(f *doctor.Facts) {
			f.Leftovers = doctor.Known([]doctor.Leftover{{Kind: doctor.LeftShare, Name: "loopback", Folder: "/s/local", Why: "is left"}})
		}, warning, "what was added for loopback is left", "kindling down --dir /s/local"},
	}
}

func TestEachCheckFindsItsFact(t *testing.T) {
	t.Parallel()
	for _, c := range badFacts() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			facts := healthy()
			c.change(&facts)
			for _, result := range doctor.Run(facts, nil) {
				switch {
				case result.Check != c.check:
					if result.Status != doctor.OK {
						t.Errorf("%s is %s as well: %s", result.Check, result.Status, result.Found)
					}
				case result.Status != c.want || len(result.Findings) == 0:
					t.Errorf("%s is %s (%s), want %s", c.check, result.Status, result.Found, c.want)
				default:
					first := result.Findings[0]
					if !strings.Contains(first.Text, c.text) || !strings.Contains(first.Remedy, c.remedy) {
						t.Errorf("%q, %q: want %q, %q", first.Text, first.Remedy, c.text, c.remedy)
					}
				}
			}
		})
	}
}

func TestEachCheckIsForced(t *testing.T) {
	t.Parallel()
	for _, check := range doctor.Checks() {
		worst := func(c badFact) bool { return c.check == check.ID && c.want == doctor.Status(check.Severity) }
		if !slices.ContainsFunc(badFacts(), worst) {
			t.Errorf("no bad fact makes %s %s", check.ID, check.Severity)
		}
		if check.Title == "" || check.Why == "" {
			t.Errorf("%s has no title, or does not say why it matters", check.ID)
		}
	}
}

func TestHealthyFactsAndUnknownOnes(t *testing.T) {
	t.Parallel()
	for _, result := range doctor.Run(healthy(), nil) {
		if result.Status != doctor.OK || result.Found == "" {
			t.Errorf("%s is %s: %q", result.Check, result.Status, result.Found)
		}
	}
	for _, result := range doctor.Run(doctor.Facts{}, nil) {
		if result.Status != doctor.Unclear || result.Found != "not looked at" {
			t.Errorf("%s of no facts is %s: %q", result.Check, result.Status, result.Found)
		}
	}
}

func TestWhatTheHostDoesNotTellIsUnknown(t *testing.T) {
	t.Parallel()
	facts := healthy()
	about(func(e *doctor.Engine) { e.CPUs, e.Memory, e.CgroupVersion = 0, 0, 0 })(&facts)
	host(func(h *doctor.Host) { h.DiskFree, h.NAT6, h.Limits, h.Clock = 0, nil, nil, doctor.Maybe[string]{} })(&facts)
	for _, result := range doctor.Run(facts, nil) {
		wanted := slices.Contains([]string{"cpus", "memory", "cgroup-version", "disk", "clock", "ip6tables", "inotify"}, result.Check)
		if (result.Status == doctor.Unclear) != wanted {
			t.Errorf("%s is %s: %s", result.Check, result.Status, result.Found)
		}
	}
}

func TestClustersAloneTakeLess(t *testing.T) {
	t.Parallel()
	facts := healthy()
	about(func(e *doctor.Engine) { e.CPUs, e.Memory = 2, 4<<30 })(&facts)
	facts.Wanted.ClustersOnly = true
	for _, result := range doctor.Run(facts, nil) {
		if result.Status != doctor.OK {
			t.Errorf("%s is %s: %s", result.Check, result.Status, result.Found)
		}
	}
}

func TestIgnoredChecksKeepTheirFindings(t *testing.T) {
	t.Parallel()
	facts := healthy()
	facts.Ports = doctor.Known([]string{"taken"})
	for _, result := range doctor.Run(facts, []string{"ports", "cpus"}) {
		switch {
		case result.Check == "ports" && (result.Status != doctor.Ignored || len(result.Findings) != 1):
			t.Errorf("ports is %s with %d findings", result.Status, len(result.Findings))
		case result.Check == "cpus" && result.Status != doctor.OK:
			t.Errorf("a check without findings is %s", result.Status)
		}
	}
}

func TestFindNamesTheChecks(t *testing.T) {
	t.Parallel()
	if found, err := doctor.Find([]string{"ports"}); err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := doctor.Find([]string{"port"}); err == nil || !strings.Contains(err.Error(), "engine-networks") {
		t.Errorf("an unknown check: %v", err)
	}
}

func TestProxyExceptions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		except string
		want   doctor.Status
	}{
		"a star is all":                        {"*", doctor.OK},
		"wider ranges and a suffix are enough": {"10.0.0.0/8, fd00::/8 ,.gardener.cloud", doctor.OK},
		"a suffix without a dot is one":        {"10.1.0.0/16,fd00:10::/64,cloud", doctor.OK},
		"a narrower range is not enough":       {"10.1.0.0/24,fd00:10::/64,gardener.cloud", "warning"},
		"half a name is no suffix":             {"10.0.0.0/8,fd00::/8,ardener.cloud", "warning"},
		"an address is no range":               {"10.1.0.1,fd00::/8,gardener.cloud", "warning"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := healthy()
			facts.Proxy = doctor.Known(doctor.Proxy{Variable: "HTTP_PROXY", Except: c.except})
			for _, result := range doctor.Run(facts, nil) {
				if result.Check == "proxy" && result.Status != c.want {
					t.Errorf("%s: %s", result.Status, result.Found)
				}
			}
		})
	}
}

func TestWhatMayBeAnotherUsersIsNotFixed(t *testing.T) {
	t.Parallel()
	facts := healthy()
	facts.Leftovers = doctor.Known([]doctor.Leftover{
		{Kind: doctor.LeftContainer, Name: "mine", Dead: true}, {Kind: doctor.LeftContainer, Name: "whose"}, {Kind: doctor.LeftNetwork, Name: "kind", Dead: true},
	})
	var targets []string
	for _, result := range doctor.Run(facts, nil) {
		for _, finding := range result.Findings {
			if finding.Fix != nil {
				targets = append(targets, string(finding.Fix.Kind)+" "+finding.Fix.Target)
			}
		}
	}
	if diff := cmp.Diff([]string{"remove-container mine", "remove-network kind"}, targets); diff != "" {
		t.Errorf("fixes (-want +got):\n%s", diff)
	}
}

func TestEachCheckHasItsSection(t *testing.T) {
	t.Parallel()
	file, err := os.Open(filepath.Join(testutil.Root(t), "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var sections, ids []string
	inside := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if chapter, ok := strings.CutPrefix(lines.Text(), "## "); ok {
			inside = chapter == "kindling doctor"
		}
		if section, ok := strings.CutPrefix(lines.Text(), "### "); ok && inside {
			sections = append(sections, section)
		}
	}
	for _, check := range doctor.Checks() {
		ids = append(ids, check.ID)
	}
	if diff := cmp.Diff(ids, sections); diff != "" {
		t.Errorf("checks and sections of docs/troubleshooting.md (-checks +sections):\n%s", diff)
	}
}
