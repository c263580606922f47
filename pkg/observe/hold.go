// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"math"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// A Check holds the measured value of one measure in one hour against the prediction.
type Check struct {
	Metric   string    `json:"metric"`
	Quantile float64   `json:"quantile,omitempty"`
	Unit     Unit      `json:"unit"`
	Start    time.Time `json:"start"`
	Measured float64   `json:"measured"`
	// Bucket is where the measured quantile lies. Both values are estimated within their buckets.
	Bucket *Bucket `json:"bucket,omitempty"`
	// Predicted is the mean of the seeds, and Low to High is where one more run lies.
	Predicted float64 `json:"predicted"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	// Error is measured ÷ predicted − 1; nil where 0 is predicted, or less than one request.
	Error  *float64 `json:"error,omitempty"`
	Inside bool     `json:"inside"`
	// P is the p-value of the value being one more run of the prediction, give or take the
	// tolerance, after Holm's correction for all checks. Drift says that it is at most the rate of
	// false alarms.
	P     float64 `json:"p"`
	Drift bool    `json:"drift"`

	name   string
	margin float64
	hour   int
}

// Name is the metric with its quantile, such as ttft.p99.
func (c *Check) Name() string { return c.name }

// Rules say when a difference is drift.
type Rules struct {
	// Confidence is that of the intervals.
	Confidence float64 `json:"confidence"`
	// FalseAlarms is the probability of drift in a cluster that is as predicted.
	FalseAlarms float64 `json:"falseAlarms"`
	// Tolerance is by how much of the predicted value a measured one may differ anyway: no
	// simulator is exact.
	Tolerance float64 `json:"tolerance"`
}

// leastSeeds is of how many seeds there must be a value for an interval.
const leastSeeds = 3

// Hold compares measured figures with a prediction, whose hours repeat.
func Hold(w *Window, measured Figures, prediction Prediction, period int, measures []Measure, r Rules) []Check {
	var checks []Check
	var ps []float64
	for i := range measures {
		m := &measures[i]
		for hour, f := range measured[m.Name()] {
			values := prediction.values(m.Name(), hour%period)
			if f == nil || len(values) < leastSeeds {
				continue
			}
			checks = append(checks, check(w, m, hour, f, values, r.Confidence))
			ps = append(ps, stats.PredictionP(values, f.Value, r.slack(&checks[len(checks)-1])))
		}
	}
	for i, p := range stats.Holm(ps) {
		checks[i].P, checks[i].Drift = p, p <= r.FalseAlarms
	}
	return checks
}

// coarse is the part of a bucket below which differences of quantiles are not looked at: a quantile
// just below a bound jumps when a few values cross it.
const coarse = 0.25

// slack is a difference that is none: the tolerance, and that which gauges of whole requests and
// buckets do not resolve.
func (r *Rules) slack(c *Check) float64 {
	slack := r.Tolerance * math.Abs(c.Predicted)
	switch {
	case c.Unit == Count:
		slack = math.Max(slack, 1)
	case c.Bucket != nil && c.Bucket.High != nil:
		slack = math.Max(slack, coarse*(*c.Bucket.High-c.Bucket.Low))
	}
	return slack
}

func check(w *Window, m *Measure, hour int, f *Figure, values []float64, confidence float64) Check {
	of := stats.Prediction(values, confidence)
	c := Check{
		Metric: m.Metric, Quantile: m.Quantile, Unit: m.Unit, Start: w.Start(hour),
		Measured: f.Value, Bucket: f.Bucket,
		Predicted: of.Mean, Low: math.Max(0, of.Low), High: of.High, // no measure is below 0
		Inside: of.Low-rounding(of.Mean) <= f.Value && f.Value <= of.High+rounding(of.Mean),
		name:   m.Name(), margin: of.High - of.Mean, hour: hour,
	}
	c.Error = ratio(m.Unit, f.Value, of.Mean)
	return c
}

// ratio is the relative error of a value; nil where it says nothing.
func ratio(u Unit, measured, predicted float64) *float64 {
	if predicted == 0 || u == Count && predicted < 1 {
		return nil
	}
	return new(measured/predicted - 1)
}

// rounding is what sums in another order come to.
func rounding(value float64) float64 { return 1e-9 * math.Abs(value) }

// Drifted reports whether one of the checks found drift.
func Drifted(checks []Check) bool {
	return slices.ContainsFunc(checks, func(c Check) bool { return c.Drift })
}

// Outside counts the checks whose value is outside of its interval.
func Outside(checks []Check) int {
	n := 0
	for i := range checks {
		if !checks[i].Inside {
			n++
		}
	}
	return n
}
