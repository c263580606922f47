// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"errors"
	"math"
)

// A Law says below which length a share of the requests lies: the values between two
// known ones are spread evenly.
type Law []lawPoint

type lawPoint struct{ share, value float64 }

// At returns the length at a share from 0 to 1.
func (l Law) At(share float64) float64 {
	if share <= l[0].share {
		return l[0].value
	}
	for i := 1; i < len(l); i++ {
		if low, high := l[i-1], l[i]; share <= high.share {
			return low.value + (high.value-low.value)*(share-low.share)/(high.share-low.share)
		}
	}
	return l[len(l)-1].value
}

// errNoLaw says what a report lacks to draw lengths from.
var errNoLaw = errors.New("the report has neither the least and the greatest length nor a distribution of the load")

// InputLengths returns the law of the lengths of prompts, and OutputLengths that of
// answers: as measured, and where that is not there, as the load was stated.
func (r *Report) InputLengths() (Law, error) {
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
func (r *Report) OutputLengths() (Law, error) {
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

func lawOf(measured *Statistics, stated *SequenceLength) (Law, error) {
	if measured != nil && measured.Min != nil && measured.Max != nil {
		return measuredLaw(measured), nil
	}
	if stated == nil {
		return nil, errNoLaw
	}
	switch {
	case stated.Distribution == Fixed:
		return Law{{1, stated.Value}}, nil
	case stated.Distribution == Uniform && stated.Min != nil && stated.Max != nil:
		return Law{{0, float64(*stated.Min)}, {1, float64(*stated.Max)}}, nil
	case stated.Distribution == Gaussian && stated.StdDev != nil:
		return gaussianLaw(stated), nil
	default:
		return nil, errNoLaw
	}
}

// measuredLaw has the quantiles that ascend; a report may hold others.
func measuredLaw(s *Statistics) Law {
	var law Law
	for _, q := range s.all() {
		if v := *q.value; v != nil && (len(law) == 0 || *v >= law[len(law)-1].value) {
			law = append(law, lawPoint{q.share, *v})
		}
	}
	if law[len(law)-1].share < 1 {
		law = append(law, lawPoint{1, law[len(law)-1].value})
	}
	return law
}

// normal are quantiles of the standard normal distribution.
var normal = Law{
	{0.001, -3.0902}, {0.01, -2.3263}, {0.05, -1.6449}, {0.1, -1.2816}, {0.25, -0.6745}, {0.5, 0},
	{0.75, 0.6745}, {0.9, 1.2816}, {0.95, 1.6449}, {0.99, 2.3263}, {0.999, 3.0902},
}

// gaussianLaw is clamped to the bounds of the load.
func gaussianLaw(s *SequenceLength) Law {
	low, high := 0.0, math.Inf(1)
	if s.Min != nil {
		low = float64(*s.Min)
	}
	if s.Max != nil {
		high = float64(*s.Max)
	}
	var law Law
	for _, p := range normal {
		law = append(law, lawPoint{p.share, min(max(s.Value+*s.StdDev*p.value, low), high)})
	}
	return law
}
