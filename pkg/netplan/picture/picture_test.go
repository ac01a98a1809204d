// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"strings"
	"testing"

	"github.com/gardener/kindling/pkg/api/v1alpha1"
	"github.com/gardener/kindling/pkg/gardener"
	"github.com/gardener/kindling/pkg/netplan"
)

// plans are plans with much in them, and such that break rules.
func plans() map[string]*netplan.Plan {
	prefix := netip.MustParsePrefix
	family := netplan.Family{
		IPFamily: v1alpha1.IPv4, Container: prefix("172.18.0.0/24"), Pods: prefix("10.0.0.0/15"), SeedPods: prefix("10.1.0.0/16"),
		Machines: prefix("10.0.0.0/16"), Services: prefix("10.2.0.0/16"), ShootPods: prefix("10.3.0.0/16"),
		ShootServices: prefix("10.4.0.0/16"), LoadBalancers: prefix("172.18.255.0/24"),
	}
	usual := &netplan.Plan{Environment: "usual", Layout: v1alpha1.LayoutSplit, Families: []netplan.Family{family}}
	for i := range 12 {
		usual.Shoots = append(usual.Shoots, netplan.Shoot{Name: fmt.Sprintf("s%d", i), Namespace: "garden-local", IPFamily: v1alpha1.IPv4, Nodes: prefix(fmt.Sprintf("10.0.%d.0/20", 16*i))})
	}
	hostile := family
	hostile.SeedPods, hostile.Container, hostile.LoadBalancers = prefix("10.0.0.0/16"), prefix("255.255.255.255/32"), prefix("0.0.0.0/8")
	broken := &netplan.Plan{Environment: `</text><script>alert(1)</script>` + strings.Repeat("x", 80), Families: []netplan.Family{hostile}}
	broken.Shoots = []netplan.Shoot{{Name: `"><b>`, Namespace: "n", IPFamily: v1alpha1.IPv4, Nodes: prefix("10.2.0.0/20"), Pods: family.ShootPods, Services: family.ShootServices}}
	long := family
	long.IPFamily = v1alpha1.IPv6
	for i, field := range []*netip.Prefix{&long.Container, &long.Pods, &long.SeedPods, &long.Machines, &long.Services, &long.ShootPods, &long.ShootServices, &long.LoadBalancers} {
		*field = prefix(fmt.Sprintf("fd00:1234:5678:9abc:def0:1234:5678:%x/128", 0x9ab0+i))
	}
	long.Pods = prefix("::/0")
	all := map[string]*netplan.Plan{"twelve shoots": usual, "hostile names and overlaps": broken, "long addresses": {Families: []netplan.Family{long}}}
	for _, plan := range all {
		plan.Gardener, _ = gardener.Parse(gardener.DefaultVersion)
	}
	return all
}

func findings(plan *netplan.Plan) []netplan.Finding {
	return netplan.Check(plan.Subject(v1alpha1.EncapsulationVXLANCrossSubnet), netplan.ModeStrict)
}

func TestSVGIsXMLWithoutForeignElements(t *testing.T) {
	t.Parallel()
	for name, plan := range plans() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := SVG(&out, plan, findings(plan)); err != nil {
				t.Fatal(err)
			}
			decoder := xml.NewDecoder(&out)
			for {
				token, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if start, ok := token.(xml.StartElement); ok && (start.Name.Local == "script" || start.Name.Local == "b") {
					t.Errorf("a name became an element %s", start.Name.Local)
				}
			}
		})
	}
}

func TestNothingIsOutsideThePicture(t *testing.T) {
	t.Parallel()
	for name, plan := range plans() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := draw(plan, findings(plan))
			last := map[int]int{}
			for _, note := range d.Notes {
				if note.End() > d.Width || note.Y > d.Height {
					t.Errorf("%q ends at %d, %d; the picture at %d, %d", note.Text, note.End(), note.Y, d.Width, d.Height)
				}
				if note.Y < last[note.X]+lineStep {
					t.Errorf("%q at %d covers the text before, at %d", note.Text, note.Y, last[note.X])
				}
				last[note.X] = note.Y
			}
			for _, shape := range d.Shapes {
				if shape.X < 0 || shape.X+shape.W > float64(d.Width) || shape.Y+shape.H > float64(d.Height) {
					t.Errorf("%+v is outside of %d, %d", shape, d.Width, d.Height)
				}
			}
		})
	}
}

func TestRangesAreToScale(t *testing.T) {
	t.Parallel()
	heights := map[string][]float64{}
	for _, shape := range draw(plans()["twelve shoots"], nil).Shapes {
		heights[shape.Class] = append(heights[shape.Class], shape.H)
	}
	machines, nodes := heights["machines"][0], heights["nodes"][0]
	if math.Abs(machines-16*nodes) > 1 {
		t.Errorf("machines, a /16, are %g high, and nodes, a /20, %g; want 16 times that", machines, nodes)
	}
	if frame := heights["frame"][0]; math.Abs(frame-2*machines) > 0.2 {
		t.Errorf("the pod CIDR is %g high, want two times %g", frame, machines)
	}
}

func TestRedIsWhatBreaksARule(t *testing.T) {
	t.Parallel()
	plan := plans()["hostile names and overlaps"]
	overlap := netplan.Finding{Level: netplan.LevelViolation, A: netplan.Range{Name: "b"}, B: netplan.Range{Name: "a"}, Overlap: netip.MustParsePrefix("10.0.0.0/16")}
	warning := netplan.Finding{Level: netplan.LevelWarning, A: netplan.Range{Name: "w"}, Overlap: netip.MustParsePrefix("10.3.0.0/16")}
	again, other := overlap, overlap
	other.B.Name = "c"
	other6 := overlap
	other6.Overlap = netip.MustParsePrefix("fd00::/64")
	s := newScene(plan, plan.Families[0], []netplan.Finding{overlap, again, warning, other, other6})
	if len(s.red) != 1 || s.red[0].name != "a and b; b and c" {
		t.Errorf("red are %+v, want one part named a and b; b and c", s.red)
	}
	if s.lanes < 2 {
		t.Error("ranges that overlap are drawn over each other, want them side by side")
	}
}
