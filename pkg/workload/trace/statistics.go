// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"math"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// Statistics describes a trace.
type Statistics struct {
	Requests int
	// Failed counts the requests that got no answer when they were recorded, which are
	// not among the others.
	Failed int
	// Waiting counts the requests that wait for the end of another, and so have no
	// recorded time. MeanDelay is how long they wait after it on average.
	Waiting   int
	MeanDelay time.Duration
	// DistinctTimestamps counts recorded times. Where it is much less than
	// the requests that have one, arrivals come in batches.
	DistinctTimestamps int
	// Span is from the first recorded time to the last.
	Span time.Duration
	// RatePerSecond is the requests with a recorded time over Span; 0 where Span is.
	RatePerSecond float64
	// Input and Output are the lengths of prompts and answers.
	Input, Output LengthStatistics
	// InputTokens is the sum of the prompts' lengths.
	InputTokens int64
	// ReusableTokens is how many of them a cache without bounds serves that
	// holds full blocks of the format's size and sees the requests one after the
	// other: 0 for a format without blocks. ReusableShare is that over InputTokens.
	ReusableTokens int64
	ReusableShare  float64
}

// LengthStatistics describes lengths in tokens. Quantile q is the least
// length that at least a share q of the lengths do not exceed.
type LengthStatistics struct {
	Mean                    float64
	Min, P50, P90, P99, Max int
}

// Statistics describes the trace as recorded, or one draw of a trace without rows. It walks
// the whole trace.
func (t *Trace) Statistics() Statistics {
	if t.described != nil {
		t = t.drawn(math.MaxInt)
	}
	if len(t.rows) == 0 {
		return Statistics{}
	}
	s := Statistics{
		Requests:           len(t.rows),
		Failed:             t.failed,
		DistinctTimestamps: 1,
		Span:               time.Duration(t.rows[len(t.rows)-1].arrival),
		Input:              lengthStatistics(t.rows, func(r row) int32 { return r.input }),
		Output:             lengthStatistics(t.rows, func(r row) int32 { return r.output }),
	}
	delays := 0.0
	for i, r := range t.rows {
		if delay, waits := t.columns.delayOf(i); waits {
			s.Waiting++
			delays += delay.Seconds()
		}
		if i > 0 && r.arrival != t.rows[i-1].arrival {
			s.DistinctTimestamps++
		}
		s.InputTokens += int64(r.input)
	}
	if s.Waiting > 0 {
		s.MeanDelay = time.Duration(delays / float64(s.Waiting) * 1e9)
	}
	if s.Span > 0 {
		s.RatePerSecond = float64(s.Requests-s.Waiting) / s.Span.Seconds()
	}
	s.ReusableTokens = t.reusableTokens()
	s.ReusableShare = float64(s.ReusableTokens) / float64(s.InputTokens)
	return s
}

// reusableTokens counts the tokens of full blocks that an earlier prompt had
// at the same place behind the same prefix.
func (t *Trace) reusableTokens() int64 {
	if t.blockTokens == 0 {
		return 0
	}
	cached := make(map[uint64]struct{}, len(t.blocks))
	var memory prompt.Slab
	var chain []uint64
	hits := int64(0)
	for i := range t.rows {
		chain = t.prompt(i, &memory).FullBlocks(chain[:0], int(t.blockTokens))
		for _, id := range chain {
			if _, ok := cached[id]; ok {
				hits++
			}
			cached[id] = struct{}{}
		}
	}
	return hits * int64(t.blockTokens)
}

func lengthStatistics(rows []row, length func(row) int32) LengthStatistics {
	sorted := make([]int32, len(rows))
	sum := int64(0)
	for i, r := range rows {
		sorted[i] = length(r)
		sum += int64(sorted[i])
	}
	slices.Sort(sorted)
	quantile := func(percent int) int { return int(sorted[(len(sorted)*percent+99)/100-1]) }
	return LengthStatistics{
		Mean: float64(sum) / float64(len(rows)),
		Min:  int(sorted[0]), P50: quantile(50), P90: quantile(90), P99: quantile(99),
		Max: int(sorted[len(sorted)-1]),
	}
}
