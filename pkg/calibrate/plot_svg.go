// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/internal/printable"
)

// The geometry of the SVG in pixels.
const (
	svgSide   = 300 // of a panel
	svgLeft   = 60
	svgTop    = 40
	svgGap    = 80 // between panels
	svgBottom = 80
	svgWidth  = svgLeft + int(Metrics)*svgSide + int(Metrics-1)*svgGap + 20
	svgHeight = svgTop + svgSide + svgBottom
	svgTicks  = 4
)

// Colours that differ in grey, and for readers who do not see red or green.
const (
	svgFitted   = "#4477aa"
	svgHeldBack = "#ee7733"
)

// WriteSVG draws predicted against measured of every request, one panel a
// metric side by side, as a picture of its own.
func WriteSVG(w io.Writer, title string, judgements []*Judgement) error {
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", svgWidth, svgHeight)
	fmt.Fprintf(w, `<rect width="%d" height="%d" fill="white"/>`+"\n", svgWidth, svgHeight)
	fmt.Fprintf(w, `<text x="%d" y="20" font-size="14">%s</text>`+"\n", svgLeft, printable.HTML(title))
	for m, p := range panels(judgements) {
		p.svg(w, svgLeft+m*(svgSide+svgGap))
	}
	svgLegend(w)
	_, err := fmt.Fprintln(w, `</svg>`)
	return err
}

func (p *panel) svg(w io.Writer, left int) {
	x := func(v float64) float64 { return float64(left) + float64(v/p.end*svgSide) }
	y := func(v float64) float64 { return svgTop + svgSide - float64(v/p.end*svgSide) }
	fmt.Fprintf(w, `<g><rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="black"/>`+"\n", left, svgTop, svgSide, svgSide)
	for i := range svgTicks + 1 {
		v := p.end * float64(i) / svgTicks
		fmt.Fprintf(w, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x(v), svgTop+svgSide+16, label(v))
		fmt.Fprintf(w, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left-5, y(v)+4, label(v))
	}
	fmt.Fprintf(w, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="grey" stroke-dasharray="4"/>`+"\n", x(0), y(0), x(p.end), y(p.end))
	fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle">%v measured (%s)</text>`+"\n", left+svgSide/2, svgTop+svgSide+36, p.metric, p.unit)
	fmt.Fprintf(w, `<text transform="translate(%d %d) rotate(-90)" text-anchor="middle">predicted</text>`+"\n", left-42, svgTop+svgSide/2)
	for _, d := range p.dots {
		colour := svgFitted
		if d.heldBack {
			colour = svgHeldBack
		}
		fmt.Fprintf(w, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s" fill-opacity="0.6"/>`+"\n", x(d.measured), y(d.predicted), colour)
	}
	fmt.Fprintln(w, `</g>`)
}

func svgLegend(w io.Writer) {
	at := svgTop + svgSide + 60
	fmt.Fprintf(w, `<circle cx="%d" cy="%d" r="4" fill="%s"/><text x="%d" y="%d">seen by the fit</text>`+"\n", svgLeft+5, at-4, svgFitted, svgLeft+15, at)
	fmt.Fprintf(w, `<circle cx="%d" cy="%d" r="4" fill="%s"/><text x="%d" y="%d">held back</text>`+"\n", svgLeft+155, at-4, svgHeldBack, svgLeft+165, at)
}
