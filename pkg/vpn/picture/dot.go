// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"fmt"
	"io"
	"strings"

	"github.com/gardener/kindling/pkg/route"
	"github.com/gardener/kindling/pkg/vpn"
)

// DOT writes a trace in the language of Graphviz: an edge for each hop, with the route that decided.
func DOT(w io.Writer, trace *vpn.Trace) error {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph trace {\n  rankdir=LR;\n  node [shape=box];\n  label=%s;\n", quoted(trace.Verdict.Text))
	for _, piece := range trace.Pieces {
		target := piece.Prefix.String()
		var forth []vpn.Hop
		for _, hop := range piece.Hops {
			if !hop.Back {
				forth = append(forth, hop)
			}
		}
		for i, hop := range forth {
			to := target
			if i+1 < len(forth) {
				to = forth[i+1].Namespace
			}
			if hop.Class == route.ClassDropped {
				to = "dropped"
			}
			label := hop.Route
			if label == "" {
				label = hop.Note
			}
			fmt.Fprintf(&b, "  %s -> %s [label=%s, color=%s];\n", quoted(hop.Namespace), quoted(to), quoted(label), quoted(colour(piece.Class)))
		}
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// quoted is a string of the language: only quotation marks and backslashes are special.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
