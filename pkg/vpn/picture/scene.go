// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

// Package picture draws predicted ways: as SVG, to be looked at, and as DOT, for graphs of others.
package picture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gardener/kindling/pkg/route"
	"github.com/gardener/kindling/pkg/vpn"
)

// scene is a trace as boxes and the ways between them.
type scene struct {
	ha bool
	// asker, server, client and target are the boxes in the order of the tunnel; node is the seed's, for the way past it.
	asker, server, client, target, node box
	// start is the box where the routing table decides.
	start *box
	// vpn, direct and guarded say which ways are taken.
	vpn, direct, guarded bool
}

// box has a title and lines below it.
type box struct {
	Title string
	Lines []string
}

func newScene(trace *vpn.Trace) *scene {
	s := &scene{
		ha:     trace.HA,
		asker:  box{Title: vpn.KubeAPIServer},
		server: box{Title: vpn.VPNSeedServer},
		client: box{Title: vpn.VPNShoot},
		target: box{Title: trace.Target.Name, Lines: []string{trace.Target.String()}},
		node:   box{Title: "seed node"},
	}
	if _, err := vpn.ParsePrefix(trace.Target.Name); err == nil {
		s.target.Title = "target"
	}
	if trace.Target.Name == vpn.TargetNodes {
		s.target.Lines = append(s.target.Lines, "kubelet :10250")
	}
	s.start = &s.server
	switch {
	case trace.Gardener == "":
		s.asker, s.server.Title, s.ha = box{}, trace.From, false
	case trace.From == vpn.KubeAPIServer && trace.HA:
		s.start = &s.asker
	case trace.From == vpn.KubeAPIServer:
		s.asker.Lines = []string{"asks the proxy"}
	}
	for _, piece := range trace.Pieces {
		switch {
		case piece.Class == route.ClassVPN:
			s.vpn = true
		case piece.Guarded:
			s.guarded = true
		case piece.Class == route.ClassDirect:
			s.direct = true
		}
	}
	s.addLines(trace)
	return s
}

// known says whether the ways were predicted from a plan. Else there is one table, of a pod that is not known.
func (s *scene) known() bool { return s.asker.Title != "" }

// addLines writes addresses into the boxes, and the devices that lead into the tunnel and out of it.
func (s *scene) addLines(trace *vpn.Trace) {
	if !s.known() {
		return
	}
	device := map[bool]string{true: "bond0", false: "tun0"}[trace.HA]
	for _, piece := range trace.Pieces {
		if slices.ContainsFunc(piece.Hops, func(hop vpn.Hop) bool { return strings.Contains(hop.Route, " "+vpn.LinkDevice) }) {
			device = vpn.LinkDevice
		}
	}
	s.asker.Lines = append(s.asker.Lines, "in "+trace.Ranges.SeedPods.String())
	s.server.Lines = append(s.server.Lines, "in "+trace.Ranges.SeedPods.String())
	s.client.Lines = append(s.client.Lines, "in "+trace.Ranges.ShootPods.String(), device)
	s.node.Lines = []string{"in " + trace.Ranges.SeedNodes.String()}
	switch {
	case s.start == &s.asker:
		s.asker.Lines = append(s.asker.Lines, device)
	case !trace.HA:
		s.server.Lines = append(s.server.Lines, "proxy, "+device)
	}
}

// legendLines lists what decided in each namespace, piece by piece.
func legendLines(trace *vpn.Trace) []string {
	const shown = 4
	var lines []string
	for i, piece := range trace.Pieces {
		if i == shown {
			return append(lines, fmt.Sprintf("… and %d more parts", len(trace.Pieces)-shown))
		}
		if len(trace.Pieces) > 1 {
			lines = append(lines, vpn.Text(piece.Prefix)+":")
		}
		for _, hop := range piece.Hops {
			lines = append(lines, hopLine(hop))
		}
	}
	return lines
}

func hopLine(hop vpn.Hop) string {
	arrow := "→"
	if hop.Back {
		arrow = "←"
	}
	line := arrow + " " + hop.Namespace + ": "
	if hop.Map != nil {
		line += fmt.Sprintf("%s becomes %s; ", hop.Map.From, hop.Map.To)
	}
	if hop.Route != "" {
		line += hop.Route + " — "
	}
	return line + hop.Note
}
