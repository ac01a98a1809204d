// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package picture

import (
	_ "embed" // the template
	"fmt"
	"html/template"
	"io"

	"github.com/gardener/kindling/pkg/picture"
	"github.com/gardener/kindling/pkg/route"
	"github.com/gardener/kindling/pkg/vpn"
)

//go:embed trace.svg.tmpl
var traceTemplate string

// Sizes in pixels.
const (
	width       = 1000
	margin      = 24
	letterWidth = picture.LetterWidth
	lineHeight  = picture.LineHeight
	laneTop     = 64
	boxTop      = 96
	boxHeight   = 108
	nodeTop     = 256
	nodeHeight  = 56
	legendTop   = 366
)

// drawing is what the template shows.
type drawing struct {
	picture.Sheet

	Width, Height       int
	Label, Title, Range string
	Boxes               []drawnBox
	Lanes               []drawnBox
	Tubes               []drawnBox
	Ways                []way
	Notes               []note
}

type drawnBox struct {
	X, Y, W, H int
	Class      string
	Text       []note
}

// Heads lists the classes of ways, each with an arrow head of its colour.
func (d *drawing) Heads() []string { return []string{"plain", "vpn", "direct", "pale"} }

// way is a line that packets take, or would take.
type way struct {
	Class, Path string
	// Cross marks the place where the guard ends it.
	Cross *[2]int
}

type note = picture.Note

// SVG draws a trace: seed and shoot side by side, the VPN as a tunnel between them, and the way that is taken in colour.
func SVG(w io.Writer, trace *vpn.Trace) error {
	parsed, err := template.New("trace").Parse(traceTemplate)
	if err != nil {
		return fmt.Errorf("reading the template of the picture: %w", err)
	}
	if err := parsed.Execute(w, draw(trace)); err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	return nil
}

func draw(trace *vpn.Trace) *drawing {
	s := newScene(trace)
	d := &drawing{
		Width: width, Label: trace.Verdict.Text,
		Title: fmt.Sprintf("from %s to %s", trace.From, trace.Target.Name),
	}
	if s.known() {
		d.Title += " of shoot " + trace.Shoot
		d.Range = fmt.Sprintf("Gardener %s, layout %s, %s", trace.Gardener, trace.Layout, haText(trace.HA))
	}
	asker, server := place(s.asker, 40, 190), place(s.server, 268, 190)
	client, target := place(s.client, 590, 160), place(s.target, 792, 168)
	node := drawnBox{X: 268, Y: nodeTop, W: 190, H: nodeHeight, Class: "box", Text: text(s.node, 268, nodeTop, 190)}
	d.Boxes = []drawnBox{server, client, target, node}
	if s.known() {
		d.Boxes = append(d.Boxes, asker)
	}
	d.Lanes = []drawnBox{lane("seed", margin, 450), lane("shoot", 574, width-margin-574)}
	d.Tubes = []drawnBox{tube(server, client)}
	if s.ha {
		d.Tubes = append(d.Tubes, tube(asker, server))
	}
	d.Tubes[0].Text = []note{{X: 524, Y: boxTop + boxHeight/2 - 24, Class: "middle", Text: "VPN"}}
	start := server
	if s.start == &s.asker {
		start = asker
	}
	if s.known() && trace.From == vpn.KubeAPIServer && !s.ha {
		d.Ways = append(d.Ways, way{Class: "plain", Path: line(right(asker), left(server))})
	}
	d.addWays(s, start, client, target, node)
	d.addNotes(trace)
	return d
}

func haText(ha bool) string {
	if ha {
		return "with high availability"
	}
	return "without high availability"
}

// addWays draws both ways: what is taken in colour, and the other one pale.
func (d *drawing) addWays(s *scene, start, client, target, node drawnBox) {
	class := map[bool]string{true: "vpn", false: "pale"}[s.vpn]
	y := boxTop + boxHeight/2
	d.Ways = append(d.Ways,
		way{Class: class, Path: line([2]int{start.X + start.W, y}, [2]int{client.X, y})},
		way{Class: class, Path: line(right(client), left(target))},
	)
	class = "pale"
	if s.direct || s.guarded {
		class = "direct"
	}
	down := start.X + start.W/2
	middle := node.Y + node.H/2
	path := fmt.Sprintf("M%d %d V%d", down, start.Y+start.H, node.Y)
	if start.X != node.X {
		path = fmt.Sprintf("M%d %d V%d H%d", down, start.Y+start.H, middle, node.X)
	}
	d.Ways = append(d.Ways, way{Class: class, Path: path})
	end := target.X + target.W/2
	if s.guarded && !s.direct {
		cross := [2]int{node.X + node.W + 40, middle}
		d.Ways = append(d.Ways, way{Class: "direct", Path: line([2]int{node.X + node.W, middle}, cross), Cross: &cross})
		d.Notes = append(d.Notes, note{X: cross[0] + 20, Y: middle + 5, Class: "red", Text: "stopped by the guard"})
		return
	}
	d.Ways = append(d.Ways, way{Class: class, Path: fmt.Sprintf("M%d %d H%d V%d", node.X+node.W, middle, end, target.Y+target.H)})
	if class == "direct" {
		d.Notes = append(d.Notes, note{X: node.X + node.W + 40, Y: middle - 8, Class: "red", Text: "past the VPN"})
	}
}

// addNotes writes the verdict and what decided below the picture.
func (d *drawing) addNotes(trace *vpn.Trace) {
	y := legendTop
	add := func(class, text string) {
		const indent = 2 * letterWidth
		for i, line := range picture.Wrap(text, (width-2*margin-indent)/letterWidth) {
			d.Notes = append(d.Notes, note{X: margin + min(i, 1)*indent, Y: y, Class: class, Text: line})
			y += lineHeight
		}
	}
	verdict := "red strong"
	if trace.Verdict.ThroughVPN {
		verdict = "green strong"
	}
	add(verdict, trace.Verdict.Text)
	if trace.Verdict.Why != "" {
		add("", "Why: "+trace.Verdict.Why)
	}
	if trace.Verdict.Remedy != "" {
		add("", "What to do: "+trace.Verdict.Remedy)
	}
	for _, notice := range trace.Notices {
		add("", "Note: "+notice)
	}
	y += lineHeight / 2
	for _, line := range legendLines(trace) {
		add("small", line)
	}
	d.Height = y + margin/2
}

func place(b box, x, w int) drawnBox {
	return drawnBox{X: x, Y: boxTop, W: w, H: boxHeight, Class: "box", Text: text(b, x, boxTop, w)}
}

// padding is the space between the border of a box and its text.
const padding = 12

// text places the lines of a box; what is too long for it goes on below.
func text(b box, x, y, w int) []note {
	letters := (w - 2*padding) / letterWidth
	var notes []note
	add := func(class, line string) {
		for _, part := range picture.WrapHard(line, letters) {
			notes = append(notes, note{X: x + padding, Y: y + 24 + len(notes)*lineHeight, Class: class, Text: part})
		}
	}
	add("strong", b.Title)
	for _, line := range b.Lines {
		add("small", line)
	}
	return notes
}

func lane(name string, x, w int) drawnBox {
	return drawnBox{X: x, Y: laneTop, W: w, H: nodeTop + nodeHeight + 18 - laneTop, Class: "lane " + name, Text: []note{{X: x + 12, Y: 84, Class: "small", Text: name}}}
}

// tube is the tunnel between two boxes.
func tube(from, to drawnBox) drawnBox {
	const height = 30
	return drawnBox{X: from.X + from.W, Y: boxTop + (boxHeight-height)/2, W: to.X - from.X - from.W, H: height, Class: "tube"}
}

func left(b drawnBox) [2]int  { return [2]int{b.X, b.Y + b.H/2} }
func right(b drawnBox) [2]int { return [2]int{b.X + b.W, b.Y + b.H/2} }

func line(from, to [2]int) string {
	return fmt.Sprintf("M%d %d L%d %d", from[0], from[1], to[0], to[1])
}

// colour of a class in other forms than SVG.
func colour(class route.Class) string {
	switch class {
	case route.ClassVPN:
		return "#1a7f37"
	case route.ClassDirect:
		return "#cf222e"
	default:
		return "#57606a"
	}
}
