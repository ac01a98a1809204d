// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"math/big"
	"net/netip"
	"slices"

	"go4.org/netipx"
)

// Heights in pixels.
const (
	// tallest is the height of the largest range of an island, and small that of the only range of one.
	tallest = 96
	small   = 44
	// thinnest is the height of a range that would be thinner to scale.
	thinnest = 3
	// gapHeight is the height of addresses left out.
	gapHeight = 26
)

// span is a range as numbers: from its first address to the one after its last, which for the last addresses of a family is none.
type span struct{ from, to *big.Int }

func spanOf(prefix netip.Prefix) span {
	number := func(address netip.Addr) *big.Int { return new(big.Int).SetBytes(address.AsSlice()) }
	prefix = prefix.Masked()
	last := number(netipx.PrefixLastIP(prefix))
	return span{number(prefix.Addr()), last.Add(last, big.NewInt(1))}
}

func (s span) size() float64 {
	size, _ := new(big.Float).SetInt(new(big.Int).Sub(s.to, s.from)).Float64()
	return size
}

func (s span) contains(inner span) bool {
	return s.from.Cmp(inner.from) <= 0 && inner.to.Cmp(s.to) <= 0
}

func (s span) overlaps(other span) bool { return s.from.Cmp(other.to) < 0 && other.from.Cmp(s.to) < 0 }

// run is a part of the axis without a boundary of a range inside.
type run struct {
	span
	// used says that a range lies there; gap, that it is left out.
	used, gap bool
	y, height float64
}

// axis maps addresses to heights. Between two gaps it is to scale; no scale fits a /24 and a /15, or a /48 and a /112, at once.
type axis struct {
	runs   []run
	height float64
}

// newAxis lays out the spans that take place, over their boundaries and those of the frames around them.
func newAxis(spans, frames []span) *axis {
	var points []*big.Int
	for _, s := range slices.Concat(spans, frames) {
		points = append(points, s.from, s.to)
	}
	slices.SortFunc(points, (*big.Int).Cmp)
	points = slices.CompactFunc(points, func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
	a := &axis{}
	for i := range len(points) - 1 {
		r := run{span: span{points[i], points[i+1]}}
		r.used = slices.ContainsFunc(spans, r.overlaps)
		a.runs = append(a.runs, r)
	}
	a.markGaps()
	a.scale(spans)
	return a
}

// markGaps leaves out what no range uses and is larger than both its neighbours.
func (a *axis) markGaps() {
	used := func(i int) float64 {
		if i < 0 || i >= len(a.runs) || !a.runs[i].used {
			return 0
		}
		return a.runs[i].size()
	}
	for i := range a.runs {
		r := &a.runs[i]
		r.gap = !r.used && r.size() > max(used(i-1), used(i+1))
	}
}

// scale gives every island between gaps a scale of its own.
func (a *axis) scale(spans []span) {
	for from := 0; from < len(a.runs); {
		if a.runs[from].gap {
			a.place(from, gapHeight)
			from++
			continue
		}
		to := from
		for to < len(a.runs) && !a.runs[to].gap {
			to++
		}
		island := span{a.runs[from].from, a.runs[to-1].to}
		largest, count := 0.0, 0
		for _, s := range spans {
			if island.contains(s) {
				largest, count = max(largest, s.size()), count+1
			}
		}
		height := float64(tallest)
		if count == 1 {
			height = small
		}
		for ; from < to; from++ {
			a.place(from, max(thinnest, a.runs[from].size()/largest*height))
		}
	}
}

func (a *axis) place(i int, height float64) {
	a.runs[i].y, a.runs[i].height = a.height, height
	a.height += height
}

// at returns the height of an address; those beyond the axis are at its ends.
func (a *axis) at(point *big.Int) float64 {
	for _, r := range a.runs {
		if point.Cmp(r.to) <= 0 {
			part := span{r.from, point}.size() / r.size()
			return r.y + max(0, part)*r.height
		}
	}
	return a.height
}
