// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/calibrate"
)

// percentiles are the names that a format gives to those of shares.
type percentiles [len(shares)]string

var shares = [...]float64{0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999}

var (
	guideLLMPercentiles      = percentiles{"p001", "p01", "p05", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p999"}
	inferencePerfPercentiles = percentiles{"p0.1", "p1", "p5", "p10", "p25", "median", "p75", "p90", "p95", "p99", "p99.9"}
	reportV01Percentiles     = percentiles{"p0p1", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p99p9"}
)

// lengths reads those of prompts or answers: the mean, least and greatest of an object, and
// the percentiles of another one, or of the same.
func (o object) lengths(of object, names percentiles) lengths {
	var q quantiles
	q.add(0, o.number("min"))
	for i, share := range shares {
		q.add(share, of.number(names[i]))
	}
	q.add(1, o.number("max"))
	mean := o.needed("mean", "the lengths in tokens")
	if len(q.Quantiles) < 2 {
		return constant(mean)
	}
	return q.ScaledTo(mean)
}

// statistics reads those of latencies in a unit, likewise. A latency of 0 is none.
func (o object) statistics(of object, names percentiles, seconds float64) [calibrate.Statistics]float64 {
	all := [calibrate.Statistics]float64{calibrate.Mean: o.number("mean")}
	for s, i := range [calibrate.Statistics]int{calibrate.P50: 5, calibrate.P90: 7, calibrate.P95: 8, calibrate.P99: 9} {
		if i > 0 {
			all[s] = of.number(names[i])
		}
	}
	for s := range all {
		if all[s] = float64(all[s] * seconds); all[s] == 0 {
			all[s] = math.NaN()
		}
	}
	return all
}
