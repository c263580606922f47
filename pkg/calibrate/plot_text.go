// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// The size of a panel in characters.
const (
	textColumns = 36
	textRows    = 14
)

// WriteTextPlot draws predicted against measured of every request, one panel a
// metric side by side, for a terminal: o is a request that the fit has seen, x one
// that was held back, and . where both would be equal.
func WriteTextPlot(w io.Writer, judgements []*Judgement) {
	all := panels(judgements)
	var pictures [Metrics][textRows][textColumns]byte
	for m := range all {
		pictures[m] = all[m].picture()
	}
	var titles, axes []string
	for _, p := range all {
		titles = append(titles, fmt.Sprintf("%-*s", textColumns+1, fmt.Sprintf("%v predicted, up to %s %s", p.metric, label(p.end), p.unit)))
		axes = append(axes, "+"+strings.Repeat("-", textColumns))
	}
	fmt.Fprintln(w, strings.TrimRight(strings.Join(titles, "  "), " "))
	for row := range textRows {
		var lines []string
		for m := range pictures {
			lines = append(lines, "|"+string(pictures[m][row][:]))
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(lines, "  "), " "))
	}
	fmt.Fprintln(w, strings.Join(axes, "  "))
	fmt.Fprintf(w, " measured, the same range; o fitted, x held back, . equal\n")
}

// picture returns the panel's rows, the uppermost first.
func (p *panel) picture() (rows [textRows][textColumns]byte) {
	put := func(x, y float64, c byte) {
		column := min(int(math.Floor(x/p.end*textColumns)), textColumns-1)
		row := min(int(math.Floor(y/p.end*textRows)), textRows-1)
		rows[textRows-1-row][column] = c
	}
	for row := range rows {
		for column := range rows[row] {
			rows[row][column] = ' '
		}
	}
	for column := range textColumns {
		v := p.end * (float64(column) + 0.5) / textColumns
		put(v, v, '.')
	}
	for _, d := range p.dots {
		mark := byte('o')
		if d.heldBack {
			mark = 'x'
		}
		put(d.measured, d.predicted, mark)
	}
	return rows
}
