// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"

	"github.com/gardener/kindling/pkg/route"
	"github.com/gardener/kindling/pkg/vpn"
)

// traces are pictures with much in them.
func traces() map[string]*vpn.Trace {
	long := netip.MustParsePrefix("fd00:1234:5678:9abc:def0:1234:5678:9abc/128")
	many := &vpn.Trace{From: vpn.KubeAPIServer, Gardener: "v1.149.0", Layout: "Split", Shoot: `a"b<c>&d`, HA: true, Target: vpn.NewTarget("nodes", "", long)}
	for _, class := range []route.Class{route.ClassVPN, route.ClassDirect, route.ClassDropped, route.ClassVPN, route.ClassDirect, route.ClassVPN} {
		many.Pieces = append(many.Pieces, vpn.Piece{Prefix: long, Class: class, Hops: []vpn.Hop{
			{Namespace: "kube-apiserver", Route: "fd00:1234:5678:9abc::/64 via fd00:1234:5678:9abc:def0:1234:5678:9abc dev bond0-ip6tnl0 metric 1024", Class: class, Note: strings.Repeat("long words ", 20)},
		}})
	}
	many.Ranges = vpn.Ranges{SeedNodes: netip.MustParsePrefix("fd00:10::/64"), SeedPods: netip.MustParsePrefix("fd00:1234:5678:9abc::/64"), ShootPods: netip.MustParsePrefix("fd00:10:3::/56")}
	many.Verdict = vpn.Judge(many.Target, many.Pieces, nil)
	one := &vpn.Trace{From: "the pod of this table", Target: vpn.NewTarget("10.1.54.75", "", netip.MustParsePrefix("10.1.54.75/32"))}
	one.Pieces = []vpn.Piece{{Prefix: one.Target.Prefixes[0], Class: route.ClassDirect, Guarded: true}}
	one.Verdict = vpn.Judge(one.Target, one.Pieces, nil)
	return map[string]*vpn.Trace{"many pieces and long addresses": many, "one table": one}
}

func TestSVGIsXML(t *testing.T) {
	t.Parallel()
	for name, trace := range traces() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := SVG(&out, trace); err != nil {
				t.Fatal(err)
			}
			decoder := xml.NewDecoder(&out)
			decoder.Strict = true
			for {
				if _, err := decoder.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestNoTextIsClipped holds every text to the place that it has: its box, or the picture.
func TestNoTextIsClipped(t *testing.T) {
	t.Parallel()
	for name, trace := range traces() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := draw(trace)
			for _, box := range d.Boxes {
				for _, text := range box.Text {
					if end := text.X + len([]rune(text.Text))*letterWidth; end > box.X+box.W {
						t.Errorf("%q ends at %d, its box at %d", text.Text, end, box.X+box.W)
					}
					if text.Y > box.Y+box.H {
						t.Errorf("%q is at %d, below its box, which ends at %d", text.Text, text.Y, box.Y+box.H)
					}
				}
			}
			for _, note := range d.Notes {
				if end := note.X + len([]rune(note.Text))*letterWidth; end > d.Width || note.Y > d.Height {
					t.Errorf("%q ends at %d, %d; the picture at %d, %d", note.Text, end, note.Y, d.Width, d.Height)
				}
			}
		})
	}
}

func TestWaysInColour(t *testing.T) {
	t.Parallel()
	target := vpn.NewTarget("nodes", "", netip.MustParsePrefix("10.0.0.0/20"))
	for name, test := range map[string]struct {
		piece vpn.Piece
		want  map[string]bool
	}{
		"VPN":     {vpn.Piece{Class: route.ClassVPN}, map[string]bool{"vpn": true, "direct": false, "cross": false}},
		"direct":  {vpn.Piece{Class: route.ClassDirect}, map[string]bool{"vpn": false, "direct": true, "cross": false}},
		"guarded": {vpn.Piece{Class: route.ClassDirect, Guarded: true}, map[string]bool{"vpn": false, "direct": true, "cross": true}},
		"dropped": {vpn.Piece{Class: route.ClassDropped}, map[string]bool{"vpn": false, "direct": false, "cross": false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := draw(&vpn.Trace{From: vpn.KubeAPIServer, Gardener: "v1.93.0", HA: true, Target: target, Pieces: []vpn.Piece{test.piece}})
			have := map[string]bool{"vpn": false, "direct": false, "cross": false}
			for _, way := range d.Ways {
				if _, known := have[way.Class]; known {
					have[way.Class] = true
				}
				have["cross"] = have["cross"] || way.Cross != nil
			}
			for class, want := range test.want {
				if have[class] != want {
					t.Errorf("%s is drawn: %t, want %t", class, have[class], want)
				}
			}
		})
	}
}

func TestDOTQuotes(t *testing.T) {
	t.Parallel()
	trace := &vpn.Trace{Pieces: []vpn.Piece{{Prefix: netip.MustParsePrefix("10.0.0.0/20"), Class: route.ClassVPN, Hops: []vpn.Hop{{Namespace: `a"b\`, Route: "default", Note: "x"}}}}}
	var out bytes.Buffer
	if err := DOT(&out, trace); err != nil {
		t.Fatal(err)
	}
	if want := `"a\"b\\" -> "10.0.0.0/20" [label="default"`; !strings.Contains(out.String(), want) {
		t.Errorf("have\n%s\nwant in it\n%s", out.String(), want)
	}
}
