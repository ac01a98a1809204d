// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package checkout

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
)

// unheeded returns an error for each value that asks for something else than what follows from the parts of the cluster and its families: a
// value that nobody reads looks like one that counts. Those of the releases are what follows.
func (c Checkout) unheeded(values Values, parts []v1alpha1.Part, families []v1alpha1.IPFamily) error {
	var all []error
	refuse := func(wrong bool, path string, value any, remedy string) {
		if wrong {
			all = append(all, fmt.Errorf("%s: %v is not heeded: %s", path, value, remedy))
		}
	}
	known := values.Gardener
	hasControlPlane := slices.Contains(parts, v1alpha1.PartControlPlane)
	hasGarden := hasControlPlane || slices.Contains(parts, v1alpha1.PartGarden)

	refuse(values.DockerSocket != "" && values.DockerSocket != "/var/run/docker.sock", "dockerSocket", values.DockerSocket,
		"nodes get the socket of the engine that is used: leave it out, and choose the engine with $DOCKER_HOST or docker context use")
	root := known.RepositoryRoot
	refuse(root != "" && root != "." && filepath.Clean(root) != c.Dir, "gardener.repositoryRoot", root,
		"the checkout is "+c.Dir+": leave it out, or name another one with --gardener-dir")
	custom := known.ControlPlane.CustomEtcd
	refuse(is(known.ControlPlane.Deployed, true) && custom != nil && *custom != hasControlPlane, "gardener.controlPlane.customEtcdStatefulSet", text(custom),
		"port 32379 goes with a control plane in the kind cluster itself: leave it out, or set kindIsGardenCluster to the same")

	const derived = "addresses follow from the parts of the cluster and spec.networks: leave it out, and map further ports in a file that you give with -f"
	bastion := known.Seed.Bastion.ListenAddresses
	refuse(!own(bastion, "172.18.255.22", "::22", "fd00:ff::22"), "gardener.seed.bastion.listenAddresses", bastion, derived)
	refuse(hasSeed(parts) && hasGarden && bastion != nil && len(bastion) == 0, "gardener.seed.bastion.listenAddresses", bastion, derived)
	// The files of the other families have one for every cluster.
	refuse(hasSeed(parts) && !hasGarden && len(bastion) > 0 && onlyIPv4(families), "gardener.seed.bastion.listenAddresses", bastion,
		"only a seed beside its garden has bastions: give it an empty list")
	for path, address := range map[string]string{
		"gardener.garden.virtualGarden.listenAddress":          known.Garden.VirtualGarden.ListenAddress,
		"gardener.selfHostedShoot.virtualGarden.listenAddress": known.SelfHostedShoot.VirtualGarden.ListenAddress,
	} {
		refuse(!own([]string{address}, "", "172.18.255.3", "::3", "fd00:ff::3"), path, address, derived)
	}
	address := known.SelfHostedShoot.ListenAddress
	refuse(!own([]string{address}, "", "172.18.255.4", "fd00:ff::4"), "gardener.selfHostedShoot.listenAddress", address, derived)
	deployed := known.SelfHostedShoot.Deployed
	refuse(deployed != nil && *deployed != hasGarden, "gardener.selfHostedShoot.deployed", text(deployed),
		"its port goes with the garden: leave it out, or set it as garden.deployed and controlPlane.deployed are")
	slices.SortFunc(all, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(all...)
}

func hasSeed(parts []v1alpha1.Part) bool { return slices.Contains(parts, v1alpha1.PartSeed) }

func onlyIPv4(families []v1alpha1.IPFamily) bool {
	return len(families) == 1 && families[0] == v1alpha1.IPv4
}

// own says whether all addresses are those of the releases.
func own(addresses []string, releases ...string) bool {
	return !slices.ContainsFunc(addresses, func(address string) bool { return !slices.Contains(releases, address) })
}

func text(value *bool) string {
	if value == nil {
		return ""
	}
	return strconv.FormatBool(*value)
}
