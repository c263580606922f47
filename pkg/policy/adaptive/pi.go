// SPDX-License-Identifier: Apache-2.0

package adaptive

import "windtunnel.dev/windtunnel/pkg/stats"

// proportionalIntegral sets the logarithm of the ratio to that of its start plus a part of
// the error and a part of the sum of all errors. The error is a target less the moving
// average of the share of rejected requests. While the ratio is at a bound, errors that
// push it further are not summed (anti-windup by conditional integration), so that it
// leaves the bound as soon as the error changes its sign. The weight of load stays as long
// as that of prefixes is within its bounds.
type proportionalIntegral struct {
	bounds
	gate
	target, smoothing, proportional, integral float64
	start                                     Weights
	least, most                               float64 // of the ratio

	sum, average float64
	began        bool
}

func readProportionalIntegral(l *loader) func(world) law {
	b := readBounds(l)
	p := proportionalIntegral{
		bounds: b, gate: readGate(l), target: readTarget(l),
		smoothing:    l.Between("smoothing", 0.01, 1, 0.3, "the weight of an epoch in the moving average of the share of rejected requests"),
		proportional: l.Between("proportional", 0, 100, 1, "by how much an error changes the logarithm of the ratio"),
		integral:     l.Between("integral", 0, 100, 0.5, "by how much the sum of the errors of all epochs changes the logarithm of the ratio"),
		least:        b.leastPrefix / b.mostLoad,
		most:         b.mostPrefix / b.leastLoad,
	}
	return func(w world) law {
		made := p
		made.start, made.most = w.start, min(p.most, w.most)
		return &made
	}
}

func (p *proportionalIntegral) next(now Weights, s Signal) (Weights, bool) {
	if p.closed(&s) {
		return now, false
	}
	if rate := s.rejectionRate(); p.began {
		p.average += float64(p.smoothing * (rate - p.average))
	} else {
		p.average, p.began = rate, true
	}
	e := p.target - p.average
	ratio, bounded := p.ratio(e, p.sum+e)
	if pushes := e > 0 && ratio == p.most || e < 0 && ratio == p.least; !bounded || !pushes {
		p.sum += e
	}
	return p.split(ratio, p.start.Load), true
}

// ratio returns the ratio for an error and a sum of errors, and whether it is at a bound.
func (p *proportionalIntegral) ratio(e, sum float64) (ratio float64, bounded bool) {
	change := float64(p.proportional*e) + float64(p.integral*sum)
	free := p.start.Prefix / p.start.Load * stats.Exp(change)
	ratio = min(max(free, p.least), p.most)
	return ratio, ratio != free
}
