// SPDX-License-Identifier: Apache-2.0

// Package chart draws lines over an axis as SVG.
package chart

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"windtunnel.dev/windtunnel/internal/printable"
)

// Chart is lines over one axis that they share, drawn as an SVG.
type Chart struct {
	Title, X, Y string
	// Ticks are the labels of the x axis; a point's X counts in them from 0.
	Ticks []string
	Lines []Line
	// Limit is a value of y that is drawn across, with its name; none if the
	// name is empty.
	Limit     float64
	LimitName string
}

// Line is one series, named in the legend.
type Line struct {
	Name   string
	Points []XY
	Dashed bool
	// Plain leaves out the dots at the points, and Hollow draws them as rings, in the
	// legend too.
	Plain, Hollow bool
	// Colour numbers the palette.
	Colour int
}

// XY is a place in the chart's units.
type XY struct{ X, Y float64 }

// The geometry in pixels.
const (
	chartWidth, chartHeight  = 620, 300 // of the panel
	chartLeft, chartTop      = 70, 40
	chartRight, chartBottom  = 20, 60
	legendLine, legendSample = 18, 24
	chartSteps               = 5 // of the y axis
)

// palette differs for readers who do not see red or green; its first six
// colours, in grey too.
var palette = []string{"#4477aa", "#ee7733", "#228833", "#aa3377", "#66ccee", "#555555", "#999933", "#cc6677", "#332288", "#882255"}

const width = chartLeft + chartWidth + chartRight

// WriteSVG draws the chart as a picture of its own.
func (c *Chart) WriteSVG(w io.Writer) error {
	begin(w, c.height())
	c.draw(w)
	_, err := fmt.Fprintln(w, `</svg>`)
	return err
}

// WriteColumn draws charts one below the other, as one picture.
func WriteColumn(w io.Writer, charts []Chart) error {
	height := 0
	for i := range charts {
		height += charts[i].height()
	}
	begin(w, height)
	top := 0
	for i := range charts {
		fmt.Fprintf(w, `<g transform="translate(0 %d)">`+"\n", top)
		charts[i].draw(w)
		fmt.Fprintln(w, `</g>`)
		top += charts[i].height()
	}
	_, err := fmt.Fprintln(w, `</svg>`)
	return err
}

// begin begins a picture.
func begin(w io.Writer, height int) {
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(w, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
}

// height is that of the chart in pixels.
func (c *Chart) height() int { return chartTop + chartHeight + chartBottom + len(c.Lines)*legendLine }

// draw draws the chart.
func (c *Chart) draw(w io.Writer) {
	fmt.Fprintf(w, `<text x="%d" y="20" font-size="14">%s</text>`+"\n", chartLeft, printable.HTML(c.Title))
	c.axes(w)
	for _, l := range c.Lines {
		c.line(w, l)
	}
	for i, l := range c.Lines {
		legend(w, l, chartTop+chartHeight+chartBottom+i*legendLine)
	}
}

// top is where the y axis ends: a round number above all points.
func (c *Chart) top() float64 {
	largest := c.Limit
	for _, l := range c.Lines {
		for _, p := range l.Points {
			largest = max(largest, p.Y)
		}
	}
	return roundUp(largest)
}

func (c *Chart) x(at float64) float64 {
	return chartLeft + chartWidth*(at+0.5)/float64(len(c.Ticks))
}

func (c *Chart) y(v float64) float64 { return chartTop + chartHeight*(1-v/c.top()) }

func (c *Chart) axes(w io.Writer) {
	fmt.Fprintf(w, `<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="black"/>`+"\n", chartLeft, chartTop, chartWidth, chartHeight)
	for i, tick := range c.Ticks {
		fmt.Fprintf(w, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", c.x(float64(i)), chartTop+chartHeight+16, printable.HTML(tick))
	}
	for i := range chartSteps + 1 {
		v := c.top() * float64(i) / chartSteps
		fmt.Fprintf(w, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#dddddd"/>`, chartLeft, c.y(v), chartLeft+chartWidth, c.y(v))
		fmt.Fprintf(w, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", chartLeft-5, c.y(v)+4, strconv.FormatFloat(v, 'g', 6, 64))
	}
	fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", chartLeft+chartWidth/2, chartTop+chartHeight+38, printable.HTML(c.X))
	fmt.Fprintf(w, `<text transform="translate(18 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", chartTop+chartHeight/2, printable.HTML(c.Y))
	if c.LimitName != "" {
		fmt.Fprintf(w, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="black" stroke-dasharray="2 3"/>`, chartLeft, c.y(c.Limit), chartLeft+chartWidth, c.y(c.Limit))
		fmt.Fprintf(w, `<text x="%d" y="%.1f">%s</text>`+"\n", chartLeft+6, c.y(c.Limit)-5, printable.HTML(c.LimitName))
	}
}

// stroke is how a line looks, in SVG's attributes.
func (l Line) stroke() string {
	dashes := ""
	if l.Dashed {
		dashes = ` stroke-dasharray="6 4"`
	}
	return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="2"%s`, palette[l.Colour%len(palette)], dashes)
}

func (c *Chart) line(w io.Writer, l Line) {
	fmt.Fprintf(w, `<polyline %s points="`, l.stroke())
	for _, p := range l.Points {
		fmt.Fprintf(w, "%.1f,%.1f ", c.x(p.X), c.y(p.Y))
	}
	fmt.Fprintln(w, `"/>`)
	for _, p := range l.Points {
		if !l.Dashed && !l.Plain {
			l.dot(w, c.x(p.X), c.y(p.Y))
		}
	}
}

// dot draws the dot at a point.
func (l Line) dot(w io.Writer, x, y float64) {
	colour := palette[l.Colour%len(palette)]
	if l.Hollow {
		fmt.Fprintf(w, `<circle cx="%.1f" cy="%.1f" r="4" fill="white" stroke="%s" stroke-width="1.5"/>`+"\n", x, y, colour)
		return
	}
	fmt.Fprintf(w, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, y, colour)
}

func legend(w io.Writer, l Line, y int) {
	fmt.Fprintf(w, `<polyline %s points="%d,%d %d,%d"/>`, l.stroke(), chartLeft, y-4, chartLeft+legendSample, y-4)
	if l.Hollow {
		l.dot(w, chartLeft+legendSample/2, float64(y)-4)
	}
	fmt.Fprintf(w, `<text x="%d" y="%d">%s</text>`+"\n", chartLeft+legendSample+8, y, printable.HTML(l.Name))
}

// roundUp returns a round number at least as large, a fifth of which is easy to
// read.
func roundUp(v float64) float64 {
	if !(v > 0) {
		return 1
	}
	power := 1.0
	for power > v {
		power /= 10
	}
	for power*10 <= v {
		power *= 10
	}
	for _, step := range []float64{1, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		// A product of decimals is not always the decimal that one means.
		if round := math.Round(step*power*1e9) / 1e9; v <= round {
			return round
		}
	}
	return 10 * power
}
