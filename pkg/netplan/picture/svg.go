// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package picture

import (
	_ "embed" // the template
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/gardener/kindling/pkg/netplan"
	"github.com/gardener/kindling/pkg/picture"
)

//go:embed plan.svg.tmpl
var planTemplate string

// Sizes in pixels. The picture is as narrow as a phone, where a wide one would be scaled until nobody can read it.
const (
	width     = 440
	margin    = 16
	barLeft   = 28
	laneWidth = 44
	innerStep = 16
	labelGap  = 26
	lineStep  = 17
	labelStep = 2*lineStep + 4
)

// drawing is what the template shows.
type drawing struct {
	picture.Sheet

	Width, Height int
	Label         string
	Shapes        []shape
	// Leads are drawn below the shapes, and Gaps above them.
	Leads, Gaps []line
	Notes       []picture.Note
}

// shape is a rectangle.
type shape struct {
	Class      string
	X, Y, W, H float64
}

// line is a path: from a range to its label, or the mark of a gap.
type line struct{ Class, Path string }

// SVG draws a plan. Findings that break a rule and name an overlap are drawn in red.
func SVG(w io.Writer, plan *netplan.Plan, findings []netplan.Finding) error {
	parsed, err := template.New("plan").Parse(planTemplate)
	if err != nil {
		return fmt.Errorf("reading the template of the picture: %w", err)
	}
	if err := parsed.Execute(w, draw(plan, findings)); err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	return nil
}

func draw(plan *netplan.Plan, findings []netplan.Finding) *drawing {
	d := &drawing{Width: width}
	y := d.write(margin, 26, "strong", "address plan of "+plan.Environment)
	y = d.write(margin, y, "small", fmt.Sprintf("Gardener %s, layout %s", plan.Gardener, plan.Layout))
	var words []string
	for _, family := range plan.Families {
		s := newScene(plan, family, findings)
		words = append(words, s.describe())
		y = d.addScene(s, float64(y+8))
	}
	y = d.write(margin, y+12, "small", "To scale between two gaps; addresses that nobody uses are left out there. Nothing is drawn thinner than 3 pixels.")
	d.Label = strings.Join(words, "; ")
	d.Height = y
	return d
}

// write adds a text, broken into lines, and returns where the next one begins.
func (d *drawing) write(x, y int, class, text string) int {
	for _, part := range picture.WrapHard(text, (width-margin-x)/picture.LetterWidth) {
		d.Notes = append(d.Notes, picture.Note{X: x, Y: y, Class: class, Text: part})
		y += lineStep
	}
	return y
}

// addScene draws a family and returns where the next one begins.
func (d *drawing) addScene(s *scene, y float64) int {
	d.Notes = append(d.Notes, picture.Note{X: margin, Y: round(y) + 12, Class: "strong", Text: s.title})
	top := y + 28
	right := barLeft + float64(s.lanes*laneWidth)
	d.box(s, s.frame, top, barLeft-8, right-barLeft+16)
	for _, p := range s.parts {
		d.box(s, p, top, barLeft+float64(p.lane*laneWidth), laneWidth)
	}
	innerLanes := 0
	for _, p := range s.inner {
		innerLanes = max(innerLanes, p.lane+1)
		d.box(s, p, top, right+8+float64(p.lane*innerStep), innerStep-2)
	}
	end := right + 8 + float64(max(innerLanes, 1)*innerStep)
	for _, p := range s.red {
		d.box(s, p, top, barLeft-8, end-barLeft+8)
	}
	for _, r := range s.axis.runs {
		if r.gap {
			d.gap(barLeft-12, right+12, top+r.y, r.height)
		}
	}
	bottom := d.addLabels(s, top, end)
	return max(round(top+s.axis.height)+lineStep, bottom)
}

func (d *drawing) box(s *scene, p part, top, x, w float64) {
	from, to := s.axis.at(p.from), s.axis.at(p.to)
	d.Shapes = append(d.Shapes, shape{p.class, x, tenth(top + from), w, tenth(max(thinnest, to-from))})
}

// gap marks addresses that are left out: two zigzag lines across the bar.
func (d *drawing) gap(left, right, y, height float64) {
	d.Shapes = append(d.Shapes, shape{"ground", left, tenth(y + height/2 - 3), right - left, 6})
	for _, middle := range []float64{y + height/2 - 3, y + height/2 + 3} {
		var path strings.Builder
		fmt.Fprintf(&path, "M%g %g", left, tenth(middle))
		for i, x := 0, left; x+6 <= right; i, x = i+1, x+6 {
			fmt.Fprintf(&path, "l6 %d", map[bool]int{true: -4, false: 4}[i%2 == 0])
		}
		d.Gaps = append(d.Gaps, line{"gap", path.String()})
	}
}

// addLabels writes the labels beside the bar, each at its range or, where there is no room, below the one before, and leads a line there.
func (d *drawing) addLabels(s *scene, top, end float64) int {
	x := round(end) + labelGap
	next := round(top) + 12
	for _, l := range s.labels() {
		at := tenth(top + s.axis.at(l.from) + min(6, (s.axis.at(l.to)-s.axis.at(l.from))/2))
		y := max(next, round(at)+4)
		from, class := float64(barLeft), "lead"
		switch l.class {
		case "overlap":
			from, class = end, "lead overlap"
		case "frame": // its border
			at, from = tenth(top+s.axis.at(l.from)), barLeft+float64(s.lanes*laneWidth)
		}
		d.Leads = append(d.Leads, line{class, fmt.Sprintf("M%g %gH%gL%d %dH%d", from, at, end+4, x-8, y-4, x-4)})
		classes := [2]string{"strong", "small"}
		if l.class == "overlap" {
			classes = [2]string{"red strong", "red"}
		}
		after := d.write(x, y, classes[0], l.lines[0])
		next = max(d.write(x, after, classes[1], l.lines[1])+4, y+labelStep)
	}
	return next
}

func round(x float64) int { return int(math.Round(x)) }

// tenth keeps numbers short, and the same on every processor.
func tenth(x float64) float64 { return math.Round(x*10) / 10 }
