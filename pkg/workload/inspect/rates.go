// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"math"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// binWidths are the lengths of time that people think in.
var binWidths = []time.Duration{
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour,
}

// A span has at most mostBins bins, with leastInBin requests each on average.
const mostBins, leastInBin = 60, 10

// binWidth returns the least width that a span with a number of requests allows.
func binWidth(span time.Duration, requests int) time.Duration {
	most := time.Duration(max(1, min(mostBins, requests/leastInBin)))
	for _, width := range binWidths {
		if span <= most*width {
			return width
		}
	}
	return span/most + 1
}

// dispersionWindows are the windows that counts are looked at in.
var dispersionWindows = []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute}

// rates gathers arrivals, which come in order.
type rates struct {
	span, width time.Duration
	bins        []bin
	gaps        moments // s
	last        simtime.Time
	some        bool
	windows     []window
	// longest is the longest gap, and from when it begins.
	longest, from time.Duration
}

// bin is what came in a part of the span.
type bin struct {
	requests      int
	input, output int64
	gaps          moments
}

func newRates(span time.Duration, requests int) rates {
	r := rates{span: span, width: binWidth(span, requests)}
	r.bins = make([]bin, max(1, int((span+r.width-1)/r.width)))
	for _, length := range dispersionWindows {
		if span >= leastWindows*length {
			r.windows = append(r.windows, window{length: length})
		}
	}
	return r
}

func (r *rates) add(at simtime.Time, input, output int) {
	b := &r.bins[min(int(time.Duration(at)/r.width), len(r.bins)-1)]
	b.requests++
	b.input += int64(input)
	b.output += int64(output)
	if r.some {
		gap := time.Duration(at - r.last)
		r.gaps.add(gap.Seconds())
		b.gaps.add(gap.Seconds())
		if gap > r.longest {
			r.longest, r.from = gap, time.Duration(r.last)
		}
	}
	r.last, r.some = at, true
	for i := range r.windows {
		r.windows[i].add(at)
	}
}

// leastGaps is how many gaps of a bin make a coefficient of variation.
const leastGaps = 20

func (r *rates) describe(perSecond float64) Rates {
	of := Rates{RequestsPerSecond: perSecond, GapCV: r.gaps.cv(), BinSeconds: r.width.Seconds()}
	var within []float64
	var prompts correlation
	peak := 0.0
	for i := range r.bins {
		b := &r.bins[i]
		length := r.lengthOf(i)
		bin := Bin{
			FromSeconds: (time.Duration(i) * r.width).Seconds(), Requests: b.requests, RequestsPerSecond: float64(b.requests) / length,
			InputTokensPerSecond: float64(b.input) / length, OutputTokensPerSecond: float64(b.output) / length, GapCV: b.gaps.cv(),
		}
		of.Bins = append(of.Bins, bin)
		if b.gaps.n >= leastGaps {
			within = append(within, bin.GapCV)
		}
		if b.requests > 0 && r.isWhole(i) {
			peak = max(peak, bin.RequestsPerSecond)
			prompts.add(bin.RequestsPerSecond, float64(b.input)/float64(b.requests))
		}
	}
	if perSecond > 0 {
		of.PeakToMean = peak / perSecond
	}
	of.GapCVWithinBins, of.RateAndPrompts = median(within), prompts.pearson()
	for i := range r.windows {
		of.Dispersion = append(of.Dispersion, Dispersion{r.windows[i].length.Seconds(), r.windows[i].index(r.span)})
	}
	return of
}

// lengthOf returns how long bin i is, in seconds: the last one ends with the span.
func (r *rates) lengthOf(i int) float64 {
	if r.isWhole(i) {
		return r.width.Seconds()
	}
	return max(r.span-time.Duration(i)*r.width, time.Millisecond).Seconds()
}

// isWhole reports whether bin i is not cut off by the end of the span.
func (r *rates) isWhole(i int) bool { return time.Duration(i+1)*r.width <= r.span || len(r.bins) == 1 }

// moments are those of numbers, by the recurrence of Welford.
type moments struct {
	n            int
	mean, square float64
}

func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.square += float64(d * (x - m.mean))
}

// cv returns the coefficient of variation; 0 where the mean is 0.
func (m *moments) cv() float64 {
	if m.n == 0 || m.mean == 0 {
		return 0
	}
	return math.Sqrt(m.square/float64(m.n)) / m.mean
}

// window counts arrivals in windows of one length.
type window struct {
	length time.Duration
	at     int64 // the window of the last arrival
	count  int
	// counts and squares are sums over the windows with arrivals before that one.
	counts, squares float64
}

const leastWindows = 20

func (w *window) add(at simtime.Time) {
	if i := int64(at) / int64(w.length); i != w.at {
		w.close()
		w.at = i
	}
	w.count++
}

func (w *window) close() {
	w.counts += float64(w.count)
	w.squares += float64(w.count) * float64(w.count)
	w.count = 0
}

// index returns the variance of the counts over their mean, of the whole windows of a span.
func (w *window) index(span time.Duration) float64 {
	whole := int64(span) / int64(w.length)
	if w.at < whole {
		w.close()
	}
	mean := w.counts / float64(whole)
	return (w.squares/float64(whole) - float64(mean*mean)) / mean
}

// median returns the middle of numbers; 0 of none.
func median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[len(of)/2]
}
