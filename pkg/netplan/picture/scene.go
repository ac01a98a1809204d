// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package picture draws an address plan: each family as a bar to scale, with the ranges labelled, shoots' nodes beside machines, and
// overlaps in red.
package picture

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/netplan"
)

// part is a range of the picture.
type part struct {
	span
	name, class string
	prefix      netip.Prefix
	// lane is the column: 0 for ranges side by side, more for those that overlap.
	lane int
}

// scene is one family of a plan.
type scene struct {
	title string
	// frame is the pod CIDR, around seed pods and machines.
	frame part
	parts []part
	// inner are nodes of shoots inside machines.
	inner []part
	red   []part
	axis  *axis
	// lanes is the number of columns of parts.
	lanes int
}

func newPart(name, class string, prefix netip.Prefix) part {
	return part{span: spanOf(prefix), name: name, class: class, prefix: prefix.Masked()}
}

func newScene(plan *netplan.Plan, family netplan.Family, findings []netplan.Finding) *scene {
	s := &scene{title: string(family.IPFamily), frame: newPart("pod CIDR", "frame", family.Pods)}
	for _, one := range []struct {
		name, class string
		prefix      netip.Prefix
	}{
		{"container network", "other", family.Container},
		{"seed pods", "seed", family.SeedPods},
		{"machines", "machines", family.Machines},
		{"seed services", "other", family.Services},
		{"shoot pods", "shoot", family.ShootPods},
		{"shoot services", "shoot", family.ShootServices},
		{"load-balancer range", "other", family.LoadBalancers},
	} {
		if one.prefix.IsValid() {
			s.parts = append(s.parts, newPart(one.name, one.class, one.prefix))
		}
	}
	for _, shoot := range plan.Shoots {
		if shoot.IPFamily != family.IPFamily || !shoot.Nodes.IsValid() {
			continue
		}
		nodes := newPart("nodes of "+shoot.Namespace+"/"+shoot.Name, "nodes", shoot.Nodes)
		if netplan.Contains(family.Machines, shoot.Nodes) {
			s.inner = append(s.inner, nodes)
		} else {
			s.parts = append(s.parts, nodes)
		}
	}
	s.addRed(family, findings)
	s.lay()
	return s
}

// separator stands between pairs that overlap in the same range.
const separator = "; "

// addRed takes the overlaps that break a rule. Several rules may find the same one.
func (s *scene) addRed(family netplan.Family, findings []netplan.Finding) {
	for _, finding := range netplan.WithLevel(findings, netplan.LevelViolation) {
		if !finding.Overlap.IsValid() || netplan.FamilyOf(finding.Overlap) != family.IPFamily {
			continue
		}
		names := []string{finding.A.Name}
		if finding.B.Name != "" {
			names = append(names, finding.B.Name)
		}
		slices.Sort(names)
		red := newPart(strings.Join(names, " and "), "overlap", finding.Overlap)
		i := slices.IndexFunc(s.red, func(other part) bool { return other.prefix == red.prefix })
		switch {
		case i < 0:
			s.red = append(s.red, red)
		case !slices.Contains(strings.Split(s.red[i].name, separator), red.name):
			s.red[i].name += separator + red.name
		}
	}
}

// lay puts ranges that overlap into columns beside each other, and all on one axis.
func (s *scene) lay() {
	order := func(a, b part) int {
		return cmp.Or(a.from.Cmp(b.from), b.to.Cmp(a.to), cmp.Compare(a.name, b.name))
	}
	for _, list := range [][]part{s.parts, s.inner, s.red} {
		slices.SortFunc(list, order)
	}
	s.lanes = lanes(s.parts)
	lanes(s.inner)
	var spans []span
	for _, p := range slices.Concat(s.parts, s.red) {
		spans = append(spans, p.span)
	}
	s.axis = newAxis(spans, []span{s.frame.span})
}

// lanes gives every part the first column in which it overlaps with none before it, and returns the number of columns.
func lanes(parts []part) int {
	count := 0
	for i := range parts {
		taken := func(other part) bool { return other.lane == parts[i].lane && other.overlaps(parts[i].span) }
		for slices.ContainsFunc(parts[:i], taken) {
			parts[i].lane++
		}
		count = max(count, parts[i].lane+1)
	}
	return count
}

// label is what stands beside a part.
type label struct {
	part
	lines [2]string
}

// labels of all parts from top to bottom, the larger one first where two begin at the same address.
func (s *scene) labels() []label {
	var labels []label
	for _, p := range slices.Concat([]part{s.frame}, s.parts, s.inner) {
		labels = append(labels, label{p, [2]string{p.name, p.prefix.String()}})
	}
	for _, p := range s.red {
		labels = append(labels, label{p, [2]string{"overlap " + p.prefix.String(), p.name}})
	}
	rank := []string{"frame", "machines", "seed", "other", "shoot", "nodes", "overlap"}
	slices.SortStableFunc(labels, func(a, b label) int {
		return cmp.Or(a.from.Cmp(b.from), b.to.Cmp(a.to), cmp.Compare(slices.Index(rank, a.class), slices.Index(rank, b.class)))
	})
	return labels
}

// describe is the picture in words, for those who don't see it.
func (s *scene) describe() string {
	var words []string
	for _, l := range s.labels() {
		words = append(words, fmt.Sprintf("%s %s", l.lines[0], l.lines[1]))
	}
	return s.title + ": " + strings.Join(words, ", ")
}
