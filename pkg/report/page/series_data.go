// SPDX-License-Identifier: Apache-2.0

package page

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
)

// NamedSeries are time series of a candidate of a sweep, or of a run, which has no name.
type NamedSeries struct {
	Name   string
	Series *result.Series
	// Documents are the results of the same runs: tables have their figures, which are exact.
	Documents []*result.Document
	// Targets are limits of latencies.
	Targets []report.Target
	// WarmUpSeconds is the part of the runs that is not measured, on the average.
	WarmUpSeconds float64
}

// SeriesData are the numbers of charts over time and of distributions, in the units in which
// people read them.
type SeriesData struct {
	// Bin i is the time from i·BinSeconds on.
	BinSeconds float64 `json:"binSeconds"`
	// Runs is how many runs the values are of.
	Runs   int         `json:"runs"`
	Lines  []LineAxis  `json:"lines"`
	Tracks []LineTrack `json:"tracks"`
	// Latencies are those that have curves.
	Latencies []Axis  `json:"latencies"`
	Curves    []Curve `json:"curves"`
	// Heat is nil without replicas.
	Heat          *Heat   `json:"heat,omitempty"`
	WarmUpSeconds float64 `json:"warmUpSeconds,omitempty"`
	// LeftOut is how many replicas have no lines of their own.
	LeftOut int `json:"leftOut,omitempty"`
}

// LineAxis is what a line shows.
type LineAxis struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Unit  string `json:"unit,omitempty"`
	Help  string `json:"help"`
}

// LineTrack has the lines of a pool, a replica, a router or the gateway.
type LineTrack struct {
	// Of is the candidate; "" is a run.
	Of   string `json:"of,omitempty"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Pool is that of a replica.
	Pool string `json:"pool,omitempty"`
	// Lines are by name; a value that is not known is null.
	Lines map[string][]*float64 `json:"lines"`
}

// Curve is a distribution function: Shares[i] percent of the values are less than Values[i].
type Curve struct {
	Of      string    `json:"of,omitempty"`
	Class   string    `json:"class"`
	Latency int       `json:"latency"`
	Count   int64     `json:"count"`
	Values  []float64 `json:"values"`
	Shares  []float64 `json:"shares"`
	// Target is the limit of the latency; nil is none.
	Target *float64 `json:"target,omitempty"`
}

// Heat is what each replica did at each time. Lines are by name, then by replica.
type Heat struct {
	BinSeconds float64                 `json:"binSeconds"`
	Replicas   []string                `json:"replicas"`
	Lines      map[string][][]*float64 `json:"lines"`
}

// Bounds of what charts show.
const (
	// mostBins is how many values a line has at most: more are noise in a chart of this size.
	// mostValues is how many the same line of all tracks has together.
	mostBins, mostValues = 150, 6000
	// mostHeatBins is how many columns the map of replicas has at most.
	mostHeatBins = 96
)

// shownLine says how a page shows a line of [result.SeriesDefinitions].
type shownLine struct {
	name, title string
	// factor makes people's units of shares; rate divides counts by the time of the bin.
	factor float64
	rate   bool
	unit   string
	help   string
}

// shownLines are the lines in their order on the page.
var shownLines = []shownLine{
	{name: "arrivals", title: "arrivals", rate: true, factor: 1, unit: "/s"},
	{name: "completed", title: "completed", rate: true, factor: 1, unit: "/s"},
	{name: "waiting", title: "waiting", factor: 1, unit: "requests"},
	{name: "running", title: "running", factor: 1, unit: "requests"},
	{name: "kvUsage", title: "KV usage", factor: 100, unit: "%"},
	{name: "hitShare", title: "cache hits", factor: 100, unit: "% of prompt tokens"},
	{name: "utilization", title: "utilization", factor: 100, unit: "%"},
	{name: "replicas", title: "replicas", factor: 1},
	{name: "rejected", title: "rejected", rate: true, factor: 1, unit: "/s"},
	{name: "timedOut", title: "timed out", rate: true, factor: 1, unit: "/s"},
	{name: "failed", title: "failed", rate: true, factor: 1, unit: "/s"},
	{name: "prefixWeight", title: "weight of prefixes", factor: 1, help: "weight of the scorers that look at prefixes, of the router"},
	{name: "loadWeight", title: "weight of load", factor: 1, help: "weight of the scorers that look at load, of the router"},
}

// axis describes the line.
func (l *shownLine) axis() LineAxis {
	a := LineAxis{Name: l.name, Title: l.title, Unit: l.unit, Help: l.help}
	for i := range result.SeriesDefinitions {
		if d := &result.SeriesDefinitions[i]; d.Name == l.name {
			a.Help = d.Help
		}
	}
	return a
}

// values are those of the line, in people's units. A rate is not known where all runs together
// had less than half of the bin: the end of a run would be a peak.
func (l *shownLine) values(values result.LineValues, of *result.Lines) []*float64 {
	shown := make([]*float64, len(values))
	for i, x := range values {
		switch {
		case !l.rate:
			shown[i] = short(x * l.factor)
		case of.BinsSeconds[i] >= of.BinSeconds/2:
			shown[i] = short(x / of.BinsSeconds[i] * l.factor)
		}
	}
	return shown
}

// short is a finite number with four digits; nil for others.
func short(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	if err != nil {
		y = x
	}
	return &y
}

// NewSeriesData returns the numbers of series, which are brought to bins of one width; nil
// if there are none.
func NewSeriesData(all []NamedSeries) *SeriesData {
	all = withSeries(all)
	if len(all) == 0 {
		return nil
	}
	level(all)
	d := &SeriesData{BinSeconds: all[0].Series.Width().Seconds(), Runs: all[0].Series.Runs, Lines: []LineAxis{}, Tracks: []LineTrack{}, Curves: []Curve{}, Latencies: latencyAxes(), WarmUpSeconds: *rounded(all[0].WarmUpSeconds)}
	for i := range all {
		d.add(&all[i])
	}
	for i := range shownLines {
		if l := &shownLines[i]; d.shows(l.name) {
			d.Lines = append(d.Lines, l.axis())
		} else {
			for _, t := range d.Tracks {
				delete(t.Lines, l.name)
			}
		}
	}
	d.Tracks = slices.DeleteFunc(d.Tracks, func(t LineTrack) bool { return t.Kind == gatewayKind && idle(t) })
	if len(all) == 1 {
		d.Heat = newHeat(all[0].Series)
	}
	return d
}

// withSeries are those that have series, as a list of its own.
func withSeries(all []NamedSeries) []NamedSeries {
	return slices.DeleteFunc(slices.Clone(all), func(n NamedSeries) bool { return n.Series == nil })
}

// Kinds of tracks.
const (
	gatewayKind = "gateway"
	poolKind    = "pool"
	replicaKind = "replica"
	routerKind  = "router"
)

// level makes copies of series with bins of one width, and with as many as fit.
func level(all []NamedSeries) {
	tracks, width := 0, int64(0)
	for i := range all {
		s, _ := result.MergeSeries(all[i].Series) // a copy
		all[i].Series = s
		tracks += 1 + len(s.Pools) + len(s.Replicas) + len(s.Routers)
		width = max(width, s.WidthUnits)
	}
	for i := range all {
		for s := all[i].Series; s.WidthUnits < width; {
			s.Widen()
		}
	}
	for longest(all) > min(mostBins, max(mostValues/tracks, 2)) {
		for i := range all {
			all[i].Series.Widen()
		}
	}
}

// longest is the greatest number of bins.
func longest(all []NamedSeries) int {
	most := 0
	for i := range all {
		most = max(most, len(all[i].Series.Lasted))
	}
	return most
}

// latencyAxes are the latencies that have distributions.
func latencyAxes() []Axis {
	var axes []Axis
	for _, l := range []string{"ttft", "tpot", "itl", "e2e", "queueing"} {
		axes = append(axes, Axis{Name: l, Unit: result.Seconds.Display().Suffix, LessIsBetter: true})
	}
	return axes
}

// add adds the tracks and the curves of a series.
func (d *SeriesData) add(of *NamedSeries) {
	lines := of.Series.Lines()
	track := func(kind, name, pool string, values map[string]result.LineValues) {
		t := LineTrack{Of: of.Name, Kind: kind, Name: name, Pool: pool, Lines: map[string][]*float64{}}
		for i := range shownLines {
			if l := &shownLines[i]; values[l.name] != nil {
				t.Lines[l.name] = l.values(values[l.name], lines)
			}
		}
		d.Tracks = append(d.Tracks, t)
	}
	for _, t := range lines.Pools {
		track(poolKind, t.Name, "", t.Lines)
	}
	for _, r := range lines.Routers {
		track(routerKind, strings.TrimSpace("router "+r.Model), "", r.Lines)
	}
	track(gatewayKind, "gateway", "", lines.Gateway.Lines)
	for _, t := range lines.Replicas {
		track(replicaKind, t.Name, poolOf(t.Name), t.Lines)
	}
	d.LeftOut += lines.LeftOut
	for i := range lines.Distributions {
		d.addCurve(of, &lines.Distributions[i])
	}
}

// poolOf is the pool of a replica, which is named as in llama/0.
func poolOf(replica string) string {
	return replica[:max(strings.LastIndexByte(replica, '/'), 0)]
}

func (d *SeriesData) addCurve(of *NamedSeries, from *result.Distribution) {
	factor := result.Seconds.Display().Factor
	c := Curve{
		Of: of.Name, Class: from.Class, Count: from.Count, Values: []float64{}, Shares: []float64{},
		Latency: slices.IndexFunc(d.Latencies, func(a Axis) bool { return a.Name == from.Metric }),
	}
	for i, x := range from.Seconds {
		c.Values, c.Shares = append(c.Values, *rounded(x * factor)), append(c.Shares, *rounded(from.Shares[i] * 100))
	}
	for _, t := range of.Targets {
		if t.Class == from.Class && t.Latency == from.Metric {
			c.Target = rounded(t.Seconds * factor)
		}
	}
	d.Curves = append(d.Curves, c)
}

// shows says whether a line says anything: some value is not 0, and the number of replicas changes.
func (d *SeriesData) shows(line string) bool {
	for _, t := range d.Tracks {
		values := t.Lines[line]
		for _, x := range values {
			switch {
			case x == nil:
			case line != "replicas" && *x != 0, line == "replicas" && t.Kind == poolKind && values[0] != nil && *x != *values[0]:
				return true
			}
		}
	}
	return false
}

// idle says whether nothing happened to a track.
func idle(t LineTrack) bool {
	for _, values := range t.Lines {
		if slices.ContainsFunc(values, func(x *float64) bool { return x != nil && *x != 0 }) {
			return false
		}
	}
	return true
}

// newHeat is the map of a series' replicas.
func newHeat(s *result.Series) *Heat {
	if len(s.Replicas) < 2 {
		return nil
	}
	s, _ = result.MergeSeries(s) // a copy
	for len(s.Lasted) > mostHeatBins {
		s.Widen()
	}
	lines := s.Lines()
	h := &Heat{BinSeconds: lines.BinSeconds, Lines: map[string][][]*float64{}}
	total := make([]float64, len(lines.BinsSeconds))
	for _, t := range lines.Replicas {
		h.Replicas = append(h.Replicas, t.Name)
		for i, n := range t.Lines["arrivals"] {
			total[i] += n
		}
	}
	for _, t := range lines.Replicas {
		shares := make([]*float64, len(total))
		for i, n := range t.Lines["arrivals"] {
			shares[i] = short(n / total[i] * 100)
		}
		h.Lines["share"] = append(h.Lines["share"], shares)
		for i := range shownLines {
			if l := &shownLines[i]; slices.Contains([]string{"waiting", "running", "kvUsage", "utilization"}, l.name) {
				h.Lines[l.name] = append(h.Lines[l.name], l.values(t.Lines[l.name], lines))
			}
		}
	}
	return h
}
