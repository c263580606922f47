// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"math"
	"math/bits"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A Summary sums up the measured requests of simulations. It is what [New] makes the
// figures of requests of: rows of results lack most percentiles. The zero value is empty.
type Summary struct {
	arrived, completed, failures, incomplete int64
	input, output                            tally
	ttft, tpot, ntpot, e2e                   tally
	// completedOf and offered are the completed requests of each simulation, and the rate at
	// which its requests arrived.
	completedOf []int64
	offered     []float64
	// end is the latest time of a request, in seconds from the start of its simulation.
	end      float64
	sessions sessionSummary
}

// A Recorder takes the requests of one simulation.
type Recorder struct {
	Summary
	first, last float64 // arrivals
	open        map[sessionName]*session
}

// Write takes a request. Those of the warm-up count in no figure.
func (r *Recorder) Write(row *result.RequestRow) error {
	r.recordSession(row)
	r.end = max(r.end, row.ArrivalSeconds)
	if row.E2ESeconds != nil {
		r.end = max(r.end, row.ArrivalSeconds+*row.E2ESeconds)
	}
	if !row.Measured {
		return nil
	}
	if r.arrived == 0 {
		r.first, r.last = row.ArrivalSeconds, row.ArrivalSeconds
	}
	r.first, r.last = min(r.first, row.ArrivalSeconds), max(r.last, row.ArrivalSeconds)
	r.arrived++
	if row.TTFTSeconds != nil {
		r.ttft.addSeconds(*row.TTFTSeconds)
	}
	switch row.Outcome {
	case "completed":
		r.recordCompleted(row)
	case "unfinished":
		r.incomplete++
	default:
		r.failures++
	}
	return nil
}

func (r *Recorder) recordCompleted(row *result.RequestRow) {
	r.completed++
	r.input.add(row.PromptTokens)
	r.output.add(*row.OutputTokens)
	r.e2e.addSeconds(*row.E2ESeconds)
	r.ntpot.addSeconds(*row.E2ESeconds / float64(max(*row.OutputTokens, 1)))
	if row.TPOTSeconds != nil {
		r.tpot.addSeconds(*row.TPOTSeconds)
	}
}

// Close ends the simulation.
func (r *Recorder) Close() error {
	r.completedOf = append(r.completedOf, r.completed)
	if span := r.last - r.first; span > 0 {
		r.offered = append(r.offered, float64(r.arrived-1)/span)
	}
	for _, s := range r.open { // in any order: sums
		r.sessions.add(s)
	}
	r.open = nil
	return nil
}

// Merge adds what another simulation recorded.
func (s *Summary) Merge(o *Summary) {
	s.arrived, s.completed = s.arrived+o.arrived, s.completed+o.completed
	s.failures, s.incomplete = s.failures+o.failures, s.incomplete+o.incomplete
	s.completedOf, s.offered = append(s.completedOf, o.completedOf...), append(s.offered, o.offered...)
	s.end = max(s.end, o.end)
	for _, pair := range [][2]*tally{{&s.input, &o.input}, {&s.output, &o.output}, {&s.ttft, &o.ttft}, {&s.tpot, &o.tpot}, {&s.ntpot, &o.ntpot}, {&s.e2e, &o.e2e}} {
		pair[0].merge(pair[1])
	}
	s.sessions.merge(&o.sessions)
}

// A tally counts values, and adds up their squares in whole numbers, so that the order of
// values changes nothing.
type tally struct {
	values              stats.Histogram
	squareHi, squareLow uint64
}

func (t *tally) add(v int64) {
	t.values.Record(v)
	hi, low := bits.Mul64(uint64(v), uint64(v))
	t.addSquares(hi, low)
}

// addSeconds counts nanoseconds.
func (t *tally) addSeconds(seconds float64) { t.add(int64(math.Round(seconds * nanoseconds))) }

func (t *tally) addSquares(hi, low uint64) {
	var carry uint64
	t.squareLow, carry = bits.Add64(t.squareLow, low, 0)
	t.squareHi += hi + carry
}

func (t *tally) merge(o *tally) {
	t.values.Merge(&o.values)
	t.addSquares(o.squareHi, o.squareLow)
}

// nanoseconds are those of a second.
const nanoseconds = 1e9

// statistics sums up the values in a unit, of which each has a number of parts; nil if there
// are none.
func (t *tally) statistics(units string, parts float64) *Statistics {
	n := t.values.Count()
	if n == 0 {
		return nil
	}
	s := &Statistics{Units: units, Mean: t.values.Mean() / parts, StdDev: new(t.stdDev() / parts)}
	for _, q := range s.all() {
		*q.value = new(t.values.Quantile(q.share) / parts)
	}
	return s
}

// stdDev is that of the values themselves, with one degree of freedom for each.
func (t *tally) stdDev() float64 {
	const two64 = 1 << 64
	squares := float64(t.squareHi)*two64 + float64(t.squareLow)
	mean := t.values.Mean()
	return math.Sqrt(max(0, squares/float64(t.values.Count())-float64(mean*mean)))
}
