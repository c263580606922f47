// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Window is the time that is looked at: hours of one length.
type Window struct {
	From time.Time
	// Every is how long an hour is. Samples are Interval apart.
	Every, Interval time.Duration
	Hours           int
}

// To is the end of the last hour.
func (w *Window) To() time.Time { return w.From.Add(time.Duration(w.Hours) * w.Every) }

// Start is the beginning of an hour.
func (w *Window) Start(hour int) time.Time { return w.From.Add(time.Duration(hour) * w.Every) }

// A Figure is the value of a measure in an hour.
type Figure struct {
	Value float64
	// Bucket is where a quantile lies; nil of other measures.
	Bucket *Bucket
}

// Figures are those of a recording by measure and hour; nil where an hour has none.
type Figures map[string][]*Figure

// hour is one of a recording.
type hour struct {
	*Recording
	window   *Window
	from, to int64
	// found caches the series of metrics, which hours share.
	found map[string][]*Series
}

// Figures reads the figures of a recording. What is missing or incomplete is named in a sentence
// each.
func (w *Window) Figures(r *Recording, measures []Measure) (Figures, []string) {
	figures, found := Figures{}, map[string][]*Series{}
	var notes []string
	for i := range measures {
		m := &measures[i]
		name := m.Name()
		figures[name] = make([]*Figure, w.Hours)
		incomplete := 0
		for k := range w.Hours {
			h := hour{r, w, w.Start(k).UnixMilli(), w.Start(k + 1).UnixMilli(), found}
			if !h.complete(m) {
				incomplete++
			} else if f, ok := m.read(&h); ok {
				figures[name][k] = &f
			}
		}
		if incomplete > 0 && m.Quantile == 0 && r.has(m) {
			notes = append(notes, fmt.Sprintf("%s: %d of %d hours have samples for less than %d %% of their time, and are left out", m.Metric, incomplete, w.Hours, leastCovered))
		}
	}
	return figures, append(notes, missing(r, measures)...)
}

// missing names the metrics that a recording lacks.
func missing(r *Recording, measures []Measure) []string {
	var notes []string
	for i := range measures {
		m := &measures[i]
		for _, f := range m.families {
			if len(r.named(f.parts())) > 0 || m.Quantile != 0 {
				continue
			}
			notes = append(notes, fmt.Sprintf("there is no %s, and so no %s", strings.Join(f.names, " or "), m.Metric))
		}
	}
	return notes
}

// has reports whether the recording has what a measure needs.
func (r *Recording) has(m *Measure) bool {
	return !slices.ContainsFunc(m.families, func(f family) bool { return len(r.named(f.parts())) == 0 })
}

// leastCovered is of how much of an hour there must be samples, in per cent.
const leastCovered = 90

// complete reports whether there are samples of a measure's metrics for nearly all of the hour. An
// engine alone need not have been there all the time.
func (h *hour) complete(m *Measure) bool {
	for _, f := range m.families {
		times := map[int64]bool{}
		for _, s := range h.series(f.parts()) {
			for _, p := range between(s.Points, h.from, h.to) {
				times[p.At/h.window.Interval.Milliseconds()] = true
			}
		}
		if int64(len(times))*100 < leastCovered*(h.to-h.from)/h.window.Interval.Milliseconds() {
			return false
		}
	}
	return true
}

func (h *hour) seconds() float64 { return float64(h.to-h.from) / 1000 }

// series returns those under the first of some names that is there.
func (h *hour) series(names []string) []*Series {
	key := strings.Join(names, " ")
	if _, ok := h.found[key]; !ok {
		h.found[key] = h.named(names)
	}
	return h.found[key]
}

// growth sums the increases of counters.
func (h *hour) growth(names []string) (sum float64, ok bool) {
	for _, s := range h.series(names) {
		if growth, some := increase(s.Points, h.from, h.to); some {
			sum, ok = sum+growth, true
		}
	}
	return sum, ok
}

func (h *hour) buckets(names []string) []bucket { return bucketsOf(h.series(names), h.from, h.to) }

// gauges sums the samples of gauges, and counts them and their times. A time is an interval in
// which some engine was scraped. The sample at the beginning of the hour is one of the hour before.
func (h *hour) gauges(names []string) (sum, samples, times float64, ok bool) {
	at := map[int64]bool{}
	for _, s := range h.series(names) {
		for _, p := range between(s.Points, h.from+1, h.to) {
			sum += p.Value
			samples++
			at[(p.At-h.from-1)/h.window.Interval.Milliseconds()] = true
		}
	}
	return sum, samples, float64(len(at)), samples > 0
}
