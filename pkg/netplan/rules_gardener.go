// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package netplan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
)

// GardenerAnswers is what a version of Gardener says to a shoot and a seed: the fields that it refuses, as its own validation
// names them.
type GardenerAnswers struct {
	ShootVersusSeed field.ErrorList
	ShootInternal   field.ErrorList
}

// gardenerNetwork is one of the three networks of a Shoot in Gardener's validation.
type gardenerNetwork struct {
	name     string
	own      Range
	required bool
}

// AskGardener answers as the validation of a version of Gardener does when a shoot is bound to a seed. Until v1.116 all
// ranges were compared; since then IPv4 ranges may overlap with the seed's, because the VPN maps them (v1.117 without, v1.124
// with a highly available control plane).
func AskGardener(version gardener.Version, shoot ShootRanges, seed SeedRanges) GardenerAnswers {
	path := field.NewPath("spec", "networking")
	networks := []gardenerNetwork{
		{"nodes", shoot.Nodes, false},
		{"pods", shoot.Pods, !shoot.Workerless},
		{"services", shoot.Services, true},
	}
	var answers GardenerAnswers
	for _, network := range networks {
		if !network.own.Prefix.IsValid() {
			if network.required && !version.Has(gardener.OverlapWithoutHA) {
				required := field.Required(path.Child(network.name), "this version of Gardener requires it")
				answers.ShootVersusSeed = append(answers.ShootVersusSeed, required)
				answers.ShootInternal = append(answers.ShootInternal, required)
			}
			continue
		}
		answers.ShootVersusSeed = append(answers.ShootVersusSeed, gardenerVersusSeed(version, path.Child(network.name), network, shoot, seed)...)
	}
	answers.ShootInternal = append(answers.ShootInternal, gardenerInternal(path, shoot)...)
	return answers
}

func gardenerVersusSeed(version gardener.Version, path *field.Path, network gardenerNetwork, shoot ShootRanges, seed SeedRanges) field.ErrorList {
	var all field.ErrorList
	refuse := func(other Range) {
		if overlap, shared := Intersection(network.own.Prefix, other.Prefix); shared {
			all = append(all, field.Invalid(path, network.own.Prefix.String(),
				fmt.Sprintf("overlaps with %s %s in %s", other.Name, other.Prefix, overlap)))
		}
	}
	if FamilyOf(network.own.Prefix) == v1alpha1.IPv6 || !mayOverlap(version, shoot) {
		for _, other := range []Range{seed.Nodes, seed.Pods, seed.Services} {
			refuse(other)
		}
	}
	for _, reserved := range version.ReservedRanges() {
		refuse(Range{Name: reserved.Purpose, Prefix: reserved.Prefix})
	}
	return all
}

func mayOverlap(version gardener.Version, shoot ShootRanges) bool {
	return version.Has(gardener.OverlapWithHA) || version.Has(gardener.OverlapWithoutHA) && !shoot.HighlyAvailable
}

func gardenerInternal(path *field.Path, shoot ShootRanges) field.ErrorList {
	var all field.ErrorList
	refuse := func(name string, a, b Range) {
		if overlap, shared := Intersection(a.Prefix, b.Prefix); shared {
			all = append(all, field.Invalid(path.Child(name), a.Prefix.String(), fmt.Sprintf("overlaps with %s %s in %s", b.Name, b.Prefix, overlap)))
		}
	}
	refuse("services", shoot.Pods, shoot.Services)
	refuse("pods", shoot.Pods, shoot.Nodes)
	refuse("services", shoot.Services, shoot.Nodes)
	return all
}

func checkGardener(s *Subject, r *recorder) {
	seeds := seedsByName(s)
	for _, shoot := range s.Shoots {
		for _, seed := range seeds.of(shoot) {
			answers := AskGardener(s.Version, shoot.WithDefaults(seed), seed)
			at := Range{Name: "shoot " + shoot.Name, Where: shoot.Where}
			refused := append(answers.ShootVersusSeed, answers.ShootInternal...)
			for _, err := range refused {
				r.violation(at, "with seed "+seed.Name+": "+err.Error(), "Gardener "+s.Version.String()+" refuses this shoot on that seed: change the named field")
			}
			if len(refused) == 0 {
				r.ok(at, "accepted with seed "+seed.Name)
			}
		}
	}
}
