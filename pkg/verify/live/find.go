// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener/kindling/pkg/kube"
	"github.com/gardener/kindling/pkg/verify"
)

// Kinds of Gardener's.
const (
	coreVersion      = "core.gardener.cloud/v1beta1"
	extensionVersion = "extensions.gardener.cloud/v1alpha1"
	machineVersion   = "machine.sapcloud.io/v1alpha1"
	resourcesVersion = "resources.gardener.cloud/v1alpha1"
)

// TargetError says that there is nothing to verify, or that it is not the right thing.
type TargetError struct{ Text string }

// Error implements error.
func (e *TargetError) Error() string { return e.Text }

func targetError(format string, args ...any) error { return &TargetError{fmt.Sprintf(format, args...)} }

// target is the shoot that is verified.
type target struct {
	shoot verify.Shoot
	seed  verify.Seed
	// object is the Shoot itself; nil where only the copy in the seed can be read.
	object *unstructured.Unstructured
}

// find returns the shoot of a name, NAMESPACE/NAME, or the only one, with its seed. The garden is asked first; a seed keeps copies.
func find(ctx context.Context, seed, garden Cluster, name string) (*target, error) {
	candidates, err := candidates(ctx, seed, garden)
	if err != nil {
		return nil, err
	}
	var named []string
	var chosen []*target
	for _, one := range candidates {
		named = append(named, one.shoot.String())
		if name == one.shoot.String() || name == "" && !one.shoot.Workerless && !one.shoot.Hibernated {
			chosen = append(chosen, one)
		}
	}
	slices.Sort(named)
	switch {
	case len(chosen) == 1:
		return chosen[0], chosen[0].fit()
	case len(candidates) == 0:
		return nil, targetError("there is no shoot: neither garden nor seed has any; is the kubeconfig that of the seed? (see --seed-kubeconfig, --garden-kubeconfig)")
	case name != "":
		return nil, targetError("there is no shoot %s; there are: %s", name, strings.Join(named, ", "))
	case len(chosen) == 0:
		return nil, targetError("all shoots are hibernated or without workers, so that nothing uses the VPN: %s", strings.Join(named, ", "))
	default:
		return nil, targetError("there are several shoots, choose one with --shoot: %s", strings.Join(named, ", "))
	}
}

// fit says whether a shoot has a VPN that does something.
func (t *target) fit() error {
	switch {
	case t.shoot.Workerless:
		return targetError("shoot %s has no workers, and so no VPN", t.shoot)
	case t.shoot.Hibernated:
		return targetError("shoot %s is hibernated: wake it up first (spec.hibernation.enabled: false)", t.shoot)
	case t.shoot.TechnicalID == "":
		return targetError("shoot %s has no status.technicalID: it was not reconciled yet", t.shoot)
	}
	return nil
}

func candidates(ctx context.Context, seed, garden Cluster) ([]*target, error) {
	shoots, known, err := served(ctx, garden, kube.Reference(coreVersion, "Shoot", "", ""))
	if err != nil {
		return nil, err
	}
	if !known {
		return copies(ctx, seed)
	}
	seeds, _, err := served(ctx, garden, kube.Reference(coreVersion, "Seed", "", ""))
	if err != nil {
		return nil, err
	}
	var found []*target
	for i := range shoots {
		one := &target{object: &shoots[i]}
		if one.shoot, err = readShoot(shoots[i].Object); err != nil {
			return nil, err
		}
		for j := range seeds {
			if seeds[j].GetName() == one.shoot.SeedName {
				if one.seed, err = readSeed(seeds[j].Object); err != nil {
					return nil, err
				}
			}
		}
		found = append(found, one)
	}
	return found, nil
}

// copies reads the copies of Shoot and Seed that gardenlet leaves for extensions.
func copies(ctx context.Context, seed Cluster) ([]*target, error) {
	clusters, _, err := served(ctx, seed, kube.Reference(extensionVersion, "Cluster", "", ""))
	if err != nil {
		return nil, err
	}
	var found []*target
	for i := range clusters {
		one := &target{}
		shoot, _, _ := unstructured.NestedMap(clusters[i].Object, "spec", "shoot")
		if one.shoot, err = readShoot(shoot); err != nil {
			return nil, err
		}
		one.shoot.TechnicalID = clusters[i].GetName()
		its, _, _ := unstructured.NestedMap(clusters[i].Object, "spec", "seed")
		if one.seed, err = readSeed(its); err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, nil
}

func readShoot(object map[string]any) (verify.Shoot, error) {
	shoot := verify.Shoot{
		Namespace: text(object, "metadata", "namespace"), Name: text(object, "metadata", "name"),
		TechnicalID: text(object, "status", "technicalID"), SeedName: text(object, "spec", "seedName"),
		Operation: verify.Operation{Type: text(object, "status", "lastOperation", "type"), State: text(object, "status", "lastOperation", "state")},
	}
	if status := text(object, "status", "seedName"); status != "" {
		shoot.SeedName = status
	}
	shoot.Annotations, _, _ = unstructured.NestedStringMap(object, "metadata", "annotations")
	workers, _, _ := unstructured.NestedSlice(object, "spec", "provider", "workers")
	shoot.Workerless = len(workers) == 0
	wanted, _, _ := unstructured.NestedBool(object, "spec", "hibernation", "enabled")
	is, _, _ := unstructured.NestedBool(object, "status", "hibernated")
	shoot.Hibernated = wanted || is
	var err error
	shoot.Networks, err = readNetworks(object, "networking")
	if err != nil {
		return shoot, fmt.Errorf("reading the networks of shoot %s: %w", shoot, err)
	}
	return shoot, nil
}

func readSeed(object map[string]any) (verify.Seed, error) {
	seed := verify.Seed{Name: text(object, "metadata", "name")}
	var err error
	if seed.Networks, err = readNetworks(object, "networks"); err != nil {
		return seed, fmt.Errorf("reading the networks of seed %s: %w", seed.Name, err)
	}
	return seed, nil
}

// readNetworks takes what spec and, of shoots, status say: the status has all ranges of a shoot with two families.
func readNetworks(object map[string]any, field string) (networks verify.Networks, err error) {
	for _, part := range []struct {
		name string
		into *[]netip.Prefix
	}{{"nodes", &networks.Nodes}, {"pods", &networks.Pods}, {"services", &networks.Services}} {
		all := append([]string{text(object, "spec", field, part.name)}, texts(object, "status", field, part.name)...)
		if *part.into, err = verify.ParsePrefixes(all...); err != nil {
			return networks, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return networks, nil
}
