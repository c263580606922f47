// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"errors"
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// errNoLaw says what a report lacks to draw lengths from.
var errNoLaw = errors.New("the report has neither a mean length nor a distribution of the load")

// InputLengths returns the law of the lengths of prompts, and OutputLengths that of
// answers: as measured, and where that is not there, as the load was stated. Where both say
// no more than a mean, all have that length.
func (r *Report) InputLengths() (stats.Quantiles, error) {
	var measured *Statistics
	if q := r.requests(); q != nil {
		measured = q.InputLength
	}
	if l := r.load(); l != nil {
		return lawOf(measured, &l.InputSeqLen)
	}
	return lawOf(measured, nil)
}

// OutputLengths is as InputLengths.
func (r *Report) OutputLengths() (stats.Quantiles, error) {
	var measured *Statistics
	if q := r.requests(); q != nil {
		measured = q.OutputLength
	}
	if l := r.load(); l != nil {
		return lawOf(measured, l.OutputSeqLen)
	}
	return lawOf(measured, nil)
}

func (r *Report) requests() *Requests {
	if p := r.Results.RequestPerformance; p != nil && p.Aggregate != nil {
		return p.Aggregate.Requests
	}
	return nil
}

func (r *Report) load() *LoadStandardized {
	if r.Scenario == nil || r.Scenario.Load == nil {
		return nil
	}
	return &r.Scenario.Load.Standardized
}

func lawOf(measured *Statistics, stated *SequenceLength) (stats.Quantiles, error) {
	switch {
	case measured != nil && measured.Min != nil && measured.Max != nil:
		return measuredLaw(measured), nil
	case stated == nil:
		// Only the mean may be known.
	case stated.Distribution == Fixed:
		return stats.Quantiles{{Share: 1, Value: stated.Value}}, nil
	case stated.Distribution == Uniform && stated.Min != nil && stated.Max != nil:
		return stats.Quantiles{{Share: 0, Value: float64(*stated.Min)}, {Share: 1, Value: float64(*stated.Max)}}, nil
	case stated.Distribution == Gaussian && stated.StdDev != nil:
		return gaussianLaw(stated), nil
	}
	if measured != nil && measured.Mean > 0 {
		return stats.Quantiles{{Share: 1, Value: measured.Mean}}, nil
	}
	return nil, errNoLaw
}

// measuredLaw has the quantiles that ascend; a report may hold others.
func measuredLaw(s *Statistics) stats.Quantiles {
	var law stats.Quantiles
	for _, q := range s.all() {
		if v := *q.value; v != nil && (len(law) == 0 || *v >= law[len(law)-1].Value) {
			law = append(law, stats.Quantile{Share: q.share, Value: *v})
		}
	}
	if law[len(law)-1].Share < 1 {
		law = append(law, stats.Quantile{Share: 1, Value: law[len(law)-1].Value})
	}
	return law
}

// normal are quantiles of the standard normal distribution.
var normal = stats.Quantiles{
	{Share: 0.001, Value: -3.0902}, {Share: 0.01, Value: -2.3263}, {Share: 0.05, Value: -1.6449}, {Share: 0.1, Value: -1.2816}, {Share: 0.25, Value: -0.6745}, {Share: 0.5, Value: 0},
	{Share: 0.75, Value: 0.6745}, {Share: 0.9, Value: 1.2816}, {Share: 0.95, Value: 1.6449}, {Share: 0.99, Value: 2.3263}, {Share: 0.999, Value: 3.0902},
}

// gaussianLaw is clamped to the bounds of the load.
func gaussianLaw(s *SequenceLength) stats.Quantiles {
	low, high := 0.0, math.Inf(1)
	if s.Min != nil {
		low = float64(*s.Min)
	}
	if s.Max != nil {
		high = float64(*s.Max)
	}
	var law stats.Quantiles
	for _, p := range normal {
		law = append(law, stats.Quantile{Share: p.Share, Value: min(max(s.Value+*s.StdDev*p.Value, low), high)})
	}
	return law
}
