// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package verify

// Check is something that is looked at. Its ID is a heading in docs/troubleshooting.md.
type Check struct {
	ID   string
	Part Part
	// Want says what should be so.
	Want string
	// Bypass is the name of the way past the VPN that a failure shows; empty where it shows none.
	Bypass string
}

// IDs of checks.
const (
	ShootNodes      = "shoot-nodes"
	ShootSeed       = "shoot-seed-networks"
	MachinePool     = "machine-pool"
	MachineClass    = "machine-class"
	MachinePods     = "machine-pods"
	MachineAge      = "machine-age"
	NodeAddress     = "node-address"
	Policies        = "policies"
	OldBypass       = "old-bypass"
	VPNWorkloads    = "vpn-workloads"
	RoutesNodes     = "routes-nodes"
	RoutesShoot     = "routes-pods-services"
	ControlAble     = "control-able"
	ControlBlocked  = "control-blocked"
	PathLogs        = "logs"
	PathExec        = "exec"
	PathPortForward = "port-forward"
	PathNodeProxy   = "node-proxy"
	PathMetrics     = "metrics"
	Broke           = "vpn-broken"
	Restored        = "restored"
	SeedNodes       = "seed-nodes"
	SeedPods        = "seed-pods"
	SeedServices    = "seed-services"
)

// Paths are the checks that go through the shoot's API server, to its kubelets and, for metrics, its services.
func Paths() []string {
	return []string{PathLogs, PathExec, PathPortForward, PathNodeProxy, PathMetrics}
}

// Names of ways past the VPN.
const (
	wayDirect = "the seed's pod network: kubelets are reached DIRECTLY"
	// wayRouted is what routes show alone: the guard may stop the packets.
	wayRouted   = "the seed's pod network: packets to kubelets are routed DIRECTLY"
	wayMachines = "Service machines, port 10250: the way to kubelets that Gardener had before v1.96"
	wayAnyone   = "the seed's pod network: any seed pod may connect to kubelets"
)

// Checks lists all checks but those of --seed-only, in the order in which they are made.
func Checks() []Check {
	checks := []Check{
		{ID: ShootNodes, Part: PartStatic, Want: "Shoot.spec.networking.nodes is set"},
		{ID: ShootSeed, Part: PartStatic, Want: "networks of Shoot and Seed are disjoint"},
		{ID: MachinePool, Part: PartStatic, Want: "a pool of its own gives machines their addresses"},
		{ID: MachineClass, Part: PartStatic, Want: "machine classes, or the pods, name the pool"},
		{ID: MachinePods, Part: PartStatic, Want: "addresses of machines are inside nodes and outside the seed's pods"},
		{ID: MachineAge, Part: PartStatic, Want: "no machine is older than its pool"},
		{ID: NodeAddress, Part: PartStatic, Want: "nodes of the shoot have the addresses of their machine pods"},
		{ID: Policies, Part: PartStatic, Want: "no policy admits seed pods to kubelets"},
		{ID: OldBypass, Part: PartStatic, Want: "neither label nor Service of the old bypass is there", Bypass: wayMachines},
		{ID: VPNWorkloads, Part: PartStatic, Want: "all ends of the VPN run"},
		{ID: RoutesNodes, Part: PartRoutes, Want: "machines are routed into the VPN", Bypass: wayRouted},
		{ID: RoutesShoot, Part: PartRoutes, Want: "pods and services of the shoot are routed into the VPN"},
		{ID: ControlAble, Part: PartControl, Want: "the control can connect to a machine where no guard is"},
		{ID: ControlBlocked, Part: PartControl, Want: "a seed pod with the labels of vpn-seed-server can't connect to kubelets", Bypass: wayAnyone},
	}
	checks = append(checks, paths(PartPositive, "works through the shoot's API server", "")...)
	checks = append(checks, Check{ID: Broke, Part: PartBreak, Want: "one end of the VPN is gone"})
	checks = append(checks, paths(PartBroken, "fails while the VPN is broken", wayDirect)...)
	checks = append(checks, Check{ID: Restored, Part: PartRestore, Want: "what was changed is as it was"})
	return append(checks, paths(PartAfter, "works again", "")...)
}

// SeedChecks are those of --seed-only: what gardenlet looks at when it starts.
func SeedChecks() []Check {
	return []Check{
		{ID: SeedNodes, Part: PartStatic, Want: "nodes of the cluster are inside Seed.spec.networks.nodes"},
		{ID: SeedPods, Part: PartStatic, Want: "pods of the cluster are inside Seed.spec.networks.pods"},
		{ID: SeedServices, Part: PartStatic, Want: "services of the cluster are inside Seed.spec.networks.services"},
	}
}

func paths(part Part, want, bypass string) []Check {
	var checks []Check
	for _, id := range Paths() {
		checks = append(checks, Check{ID: id, Part: part, Want: id + " " + want, Bypass: bypass})
	}
	return checks
}

// bypassOf returns the name of the way past the VPN that a failed result shows.
func bypassOf(result Result) string {
	if result.Status != Failed {
		return ""
	}
	for _, check := range Checks() {
		if check.ID == result.Check && check.Part == result.Part {
			return check.Bypass
		}
	}
	return ""
}
