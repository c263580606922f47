// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

const (
	// A stage has at least requestsPerStage requests, so that its rate is not noise, and a
	// client has at most mostStages.
	requestsPerStage, mostStages = 200, 48
	// poissonShape is how far from 1 the Weibull shape of a Poisson process may be.
	poissonShape = 0.05
	// stagePerModulation is the least length of a stage in times of a modulation.
	stagePerModulation = 50
)

// arrivals imitates the rate of requests over time, and how bursty they are within.
func arrivals(of []observed, span time.Duration) v1alpha1.Arrivals {
	var seconds []float64
	for _, o := range of {
		seconds = append(seconds, time.Duration(o.arrival).Seconds())
	}
	r := newRates(seconds, span, min(max(1, len(of)/requestsPerStage), mostStages))
	cv := 1.0
	a := v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals}
	if shape := weibullShape(r.gaps()); math.Abs(shape-1) > poissonShape {
		cv = weibullCV(shape)
		a.Process, a.CV = v1alpha1.WeibullArrivals, v1alpha1.PositiveDecimal(decimal(cv))
	}
	if newBursts(r).beyond(cv) {
		var m modulation
		r, m = r.modulated()
		a.Process, a.CV, a.States = v1alpha1.MMPPArrivals, "", m.states()
	}
	a.Stages = r.stages()
	return a
}

// rates are the requests of a span in stages of one length, but for rounding.
type rates struct {
	span, length time.Duration
	arrivals     []float64 // seconds
	counts       []int     // by stage
}

// newRates counts arrivals in seconds.
func newRates(arrivals []float64, span time.Duration, stages int) *rates {
	r := &rates{span: span, length: (span / time.Duration(stages)).Round(time.Millisecond), arrivals: arrivals, counts: make([]int, stages)}
	for _, at := range arrivals {
		r.counts[r.stage(at)]++
	}
	return r
}

func (r *rates) stage(at float64) int { return min(int(at/r.length.Seconds()), len(r.counts)-1) }

// modulated returns the modulation of the rates within stages that are so long that the
// modulation moves their counts little. What it moves would count twice otherwise, as the
// recorded counts have it in them.
func (r *rates) modulated() (*rates, modulation) {
	for {
		m := newBursts(r).fit()
		n := len(r.counts) / 2
		if n == 0 || r.length.Seconds() >= stagePerModulation*m.seconds {
			return r, m
		}
		r = newRates(r.arrivals, r.span, n)
	}
}

// gaps are those between requests in units of the mean gap of their stage, so that they have
// no slow change in them.
func (r *rates) gaps() []float64 {
	var gaps []float64
	for i, at := range r.arrivals[1:] {
		before := r.arrivals[i]
		gaps = append(gaps, (at-before)*float64(r.counts[r.stage(before)])/r.length.Seconds())
	}
	return gaps
}

func (r *rates) stages() []v1alpha1.RateStage {
	var stages []v1alpha1.RateStage
	for i, count := range r.counts {
		d := r.length
		if i == len(r.counts)-1 {
			d = r.span - time.Duration(i)*r.length
		}
		stages = append(stages, v1alpha1.RateStage{
			Rate: v1alpha1.NonNegativeDecimal(decimal(float64(count) / d.Seconds())), Duration: v1alpha1.PositiveDuration(d.String()),
		})
	}
	return stages
}
