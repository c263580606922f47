// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Statistics describes a trace.
type Statistics struct {
	Requests int
	// Counts are of rows that are not sent as they were recorded. Those that are left out are
	// not among Requests.
	Counts
	// Warning is [Trace.Warning].
	Warning string
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
	// DistinctBlocks counts the full blocks of that cache.
	DistinctBlocks int64
}

// LengthStatistics describes lengths in tokens. Quantile q is the least
// length that at least a share q of the lengths do not exceed.
type LengthStatistics struct {
	Mean                    float64
	Min, P50, P90, P99, Max int
}

// Statistics describes the trace as recorded, or one draw of a trace without rows. It goes
// through the whole trace; an error is one of reading the trace's file again.
func (t *Trace) Statistics() (Statistics, error) {
	d := newDescription(t.blockTokens)
	if err := t.each(d.add); err != nil {
		return Statistics{}, err
	}
	s := d.statistics()
	s.Counts, s.Warning = t.counts, t.warning
	return s, nil
}

// Describe reads a trace as [ReadWith] does, and returns its statistics and its digest. It
// takes memory for the distinct blocks and the sessions, but not for the rows, unless they
// are sorted.
func Describe(format Format, o Options, r io.Reader, name string) (s Statistics, digest string, err error) {
	f, err := format.declaration()
	if err != nil {
		return s, "", fmt.Errorf("%s: %w", name, err)
	}
	if f.describes {
		t, err := ReadWith(format, o, r, name)
		if err != nil {
			return s, "", err
		}
		s, err := t.Statistics()
		return s, t.Digest(), err
	}
	if errs := o.Validate(format, nil); len(errs) > 0 {
		return s, "", fmt.Errorf("%s: %w", name, errs.ToAggregate())
	}
	rows := (&file{format: f, options: o, name: name}).newCursor("")
	if err := rows.beginWith(r); err != nil {
		return s, "", fmt.Errorf("%s: %w", name, err)
	}
	d := newDescription(f.blockTokens)
	for e := (entry{}); rows.next(&e); {
		d.blockTokens = rows.blockTokens
		d.add(&e)
	}
	if err := rows.close(); err != nil {
		return s, "", err
	}
	if d.s.Requests == 0 {
		return s, "", fmt.Errorf("%s: %w", name, rows.rows.empty())
	}
	s = d.statistics()
	s.Counts, s.Warning = rows.rows.counts(), rows.rows.warning()
	return s, rows.gotDigest, nil
}

// description is what is known of the rows so far.
type description struct {
	s             Statistics
	blockTokens   int32
	last          simtime.Time
	delays        float64 // s
	input, output lengthCounts
	cached        blockSet // blocks by their chains
	memory        prompt.Slab
	chain         []uint64
}

func newDescription(blockTokens int32) *description {
	return &description{blockTokens: blockTokens, input: lengthCounts{}, output: lengthCounts{}}
}

// add notes a row.
func (d *description) add(e *entry) bool {
	s := &d.s
	if s.Requests == 0 || e.arrival != d.last {
		s.DistinctTimestamps++
	}
	d.last = e.arrival
	s.Requests++
	if e.waits {
		s.Waiting++
		d.delays += e.delay.Seconds()
	}
	s.InputTokens += int64(e.input)
	d.input[e.input]++
	d.output[e.output]++
	if d.blockTokens > 0 {
		s.ReusableTokens += d.reused(e)
	}
	return true
}

// reused counts the tokens of full blocks that an earlier prompt had at the same place
// behind the same prefix.
func (d *description) reused(e *entry) int64 {
	d.chain = e.prompt(d.blockTokens, &d.memory).FullBlocks(d.chain[:0], int(d.blockTokens))
	hits := int64(0)
	for _, id := range d.chain {
		if d.cached.add(id) {
			hits++
		} else {
			d.s.DistinctBlocks++
		}
	}
	return hits * int64(d.blockTokens)
}

// statistics returns what the rows come to.
func (d *description) statistics() Statistics {
	s := d.s
	if s.Requests == 0 {
		return s
	}
	s.Span = time.Duration(d.last)
	s.Input, s.Output = d.input.statistics(), d.output.statistics()
	if s.Waiting > 0 {
		s.MeanDelay = time.Duration(d.delays / float64(s.Waiting) * 1e9)
	}
	if s.Span > 0 {
		s.RatePerSecond = float64(s.Requests-s.Waiting) / s.Span.Seconds()
	}
	s.ReusableShare = float64(s.ReusableTokens) / float64(s.InputTokens)
	return s
}

// lengthCounts are how often lengths occur.
type lengthCounts map[int32]int

func (c lengthCounts) statistics() LengthStatistics {
	lengths := slices.Sorted(maps.Keys(c))
	rows, sum := 0, int64(0)
	for _, length := range lengths {
		rows += c[length]
		sum += int64(length) * int64(c[length])
	}
	quantile := func(percent int) int {
		rank, below := (rows*percent+99)/100, 0
		for _, length := range lengths {
			if below += c[length]; below >= rank {
				return int(length)
			}
		}
		return 0
	}
	return LengthStatistics{
		Mean: float64(sum) / float64(rows),
		Min:  int(lengths[0]), P50: quantile(50), P90: quantile(90), P99: quantile(99),
		Max: int(lengths[len(lengths)-1]),
	}
}
