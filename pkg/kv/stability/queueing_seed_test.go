// SPDX-License-Identifier: Apache-2.0

package stability_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// sketch returns the literal controller after arrivals with these gaps and
// completions.
func sketch(gaps []time.Duration, completions ...stability.Completion) (q *stability.QueueingSeed, last simtime.Time) {
	q = stability.NewQueueingSeed(stability.DefaultConfig())
	for _, gap := range gaps {
		last = last.Add(gap)
		q.Arrival(last)
	}
	for _, c := range completions {
		q.Completion(last, c)
	}
	return q, last
}

func repeated[T any](n int, x T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = x
	}
	return all
}

// mixedGaps and mixedCompletions hold a burst, a pause, and a request without
// blocks.
func mixedGaps() []time.Duration {
	ms := []int{1000, 250, 0, 3000, 500, 125, 7000, 200, 200, 1500, 10}
	gaps := make([]time.Duration, len(ms))
	for i := range ms {
		gaps[i] = time.Duration(ms[i]) * time.Millisecond
	}
	return gaps
}

func mixedCompletions() []stability.Completion {
	all := make([]stability.Completion, 12)
	for i := range all {
		all[i] = stability.Completion{Service: time.Duration(800+137*i) * time.Millisecond, Blocks: i * 7 % 23}
	}
	return all
}

// TestQueueingSeedState compares with what the sketch's formulas give for the
// same calls in its own language, Python, rounded by its own round.
func TestQueueingSeedState(t *testing.T) {
	for name, tc := range map[string]struct {
		gaps        []time.Duration
		completions []stability.Completion
		memory      stability.Memory
		want        stability.State
	}{
		"fallback: a block's tokens are taken for blocks": {
			memory: stability.Memory{TotalBlocks: 256, FreeBlocks: 128},
			want: stability.State{
				ArrivalsPerSecond: 0.1, ServedPerSecond: 1, BlocksPerRequest: 16, Utilization: 0.1, IsStable: true,
				CriticalArrivalsPerSecond: 6.956522, MinimumStableBlocks: 2, StabilityMarginPercent: 90, RecommendedKVBits: 16,
			},
		},
		"fallback for nine completions": {
			gaps: repeated(20, time.Second/2), completions: repeated(9, stability.Completion{Service: 45200 * time.Microsecond, Blocks: 32}),
			memory: stability.Memory{TotalBlocks: 256, FreeBlocks: 128},
			want: stability.State{
				ArrivalsPerSecond: 0.1, ServedPerSecond: 1, BlocksPerRequest: 16, Utilization: 0.1, IsStable: true,
				CriticalArrivalsPerSecond: 6.956522, MinimumStableBlocks: 2, StabilityMarginPercent: 90, RecommendedKVBits: 16,
			},
		},
		"the example of its documentation, ten times": {
			gaps: repeated(20, time.Second/2), completions: repeated(10, stability.Completion{Service: 45200 * time.Microsecond, Blocks: 32}),
			memory: stability.Memory{TotalBlocks: 256, FreeBlocks: 128},
			want: stability.State{
				ArrivalsPerSecond: 0.29287, ServedPerSecond: 22.123894, BlocksPerRequest: 32, Utilization: 0.013238, IsStable: true,
				CriticalArrivalsPerSecond: 76.952674, MinimumStableBlocks: 1, StabilityMarginPercent: 98.6762, RecommendedKVBits: 16,
			},
		},
		"bursts, pauses and no blocks": {
			gaps: mixedGaps(), completions: mixedCompletions(),
			memory: stability.Memory{TotalBlocks: 512, FreeBlocks: 40},
			want: stability.State{
				ArrivalsPerSecond: 0.136751, ServedPerSecond: 0.643708, BlocksPerRequest: 10.6364, Utilization: 0.212443, IsStable: true,
				CriticalArrivalsPerSecond: 2.105027, MinimumStableBlocks: 3, StabilityMarginPercent: 78.7557, RecommendedKVBits: 16,
			},
		},
		"fifty at once: 5 requests/s of 10 s": {
			gaps: repeated(2000, time.Second/5), completions: repeated(10, stability.Completion{Service: 10 * time.Second, Blocks: 40}),
			memory: stability.Memory{TotalBlocks: 5000, FreeBlocks: 3000},
			want: stability.State{
				ArrivalsPerSecond: 4.993616, ServedPerSecond: 0.1, BlocksPerRequest: 40, Utilization: 0.9999, IsStable: true,
				CriticalArrivalsPerSecond: 6.521739, MinimumStableBlocks: 2298, StabilityMarginPercent: 0.01, RecommendedKVBits: 2,
			},
		},
		"services of less than 1 ms": {
			gaps: repeated(50, time.Second), completions: repeated(12, stability.Completion{Service: 400 * time.Microsecond, Blocks: 3}),
			memory: stability.Memory{TotalBlocks: 2, FreeBlocks: 1},
			want: stability.State{
				ArrivalsPerSecond: 0.558098, ServedPerSecond: 1000, BlocksPerRequest: 3, Utilization: 0.000558, IsStable: true,
				CriticalArrivalsPerSecond: 289.855072, MinimumStableBlocks: 1, StabilityMarginPercent: 99.9442, RecommendedKVBits: 16,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			q, last := sketch(tc.gaps, tc.completions...)
			if diff := cmp.Diff(tc.want, q.State(last, tc.memory)); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
		})
	}
}

func TestQueueingSeedDecisions(t *testing.T) {
	q, _ := sketch(mixedGaps(), mixedCompletions()...) // the minimum is 3
	for _, tc := range []struct {
		at              time.Duration
		free, requested int
		want            stability.EvictionPlan
	}{
		{0, 40, 8, stability.EvictionPlan{}},
		{10 * time.Millisecond, 40, 30, stability.EvictionPlan{}},
		{120 * time.Millisecond, 40, 38, stability.EvictionPlan{EvictBlocks: 1}},
		{200 * time.Millisecond, 2, 60, stability.EvictionPlan{DeferredBlocks: 61}}, // breaks the floor
		{230 * time.Millisecond, 2, 60, stability.EvictionPlan{EvictBlocks: 61}},    // of 30 that are there
	} {
		m := stability.Memory{TotalBlocks: 512, FreeBlocks: tc.free, EvictableBlocks: 30}
		if diff := cmp.Diff(tc.want, q.Decide(simtime.Time(tc.at), m, tc.requested)); diff != "" {
			t.Errorf("at %v (-want +got):\n%s", tc.at, diff)
		}
	}
}

// A cache of two blocks, one of which is free, is what the sketch exports metrics of.
func TestQueueingSeedInATinyCache(t *testing.T) {
	q, last := sketch(nil)
	got := q.State(last, stability.Memory{TotalBlocks: 2, FreeBlocks: 1})
	if got.IsStable || got.CriticalArrivalsPerSecond != 0.054348 {
		t.Errorf("stable %t up to %v/s, want false, 0.054348/s", got.IsStable, got.CriticalArrivalsPerSecond)
	}
}

func TestQueueingSeedRoundsUpArithmetic(t *testing.T) {
	c := stability.DefaultConfig()
	c.BlockTokens, c.Margin = 24, 1.25 // 0.1/s · 1 s · 24 · 1.25 is 3.0000000000000004
	state := stability.NewQueueingSeed(c).State(0, stability.Memory{TotalBlocks: 9, FreeBlocks: 9})
	if state.MinimumStableBlocks != 4 {
		t.Errorf("minimum of %d blocks, want 4 for 3 and what arithmetic added", state.MinimumStableBlocks)
	}
}

// TestQueueingSeedBias is the bias of the sketch's arrival rate for Poisson
// arrivals: E[α/Δt]/E[α] = λ·(1+λT)·ln(1+1/(λT)).
func TestQueueingSeedBias(t *testing.T) {
	for name, tc := range map[string]struct{ perWindow, wantBias float64 }{
		"0.6 in a window": {0.6, 0.57},
		"1.2":             {1.2, 0.33},
		"3":               {3, 0.15},
		"6":               {6, 0.08},
		"60":              {60, 0.008},
	} {
		t.Run(name, func(t *testing.T) {
			formula := (1+tc.perWindow)*stats.Log(1+1/tc.perWindow) - 1
			if math.Abs(formula-tc.wantBias) > 0.005 {
				t.Fatalf("the formula says %+.3f, want %+.3f", formula, tc.wantBias)
			}
			q, _ := sketch(nil, repeated(10, stability.Completion{Service: time.Second, Blocks: 1})...)
			s := stats.NewStream(1, name)
			perSecond := tc.perWindow / 60
			at, sum, n := simtime.Time(0), 0.0, 0
			for i := range 200_000 {
				at += simtime.Time(s.Exponential() / perSecond * 1e9)
				q.Arrival(at)
				if i >= 10_000 {
					sum += q.State(at, stability.Memory{}).ArrivalsPerSecond
					n++
				}
			}
			if bias := sum/float64(n)/perSecond - 1; math.Abs(bias-formula) > 0.02 {
				t.Errorf("bias %+.3f, want %+.3f", bias, formula)
			}
		})
	}
}

func TestQueueingSeedDoesNotSeeBursts(t *testing.T) {
	completions := repeated(10, stability.Completion{Service: time.Second, Blocks: 1})
	var gaps []time.Duration
	for range 1000 {
		gaps = append(gaps, time.Second)
		gaps = append(gaps, repeated(9, time.Duration(0))...)
	}
	q, last := sketch(gaps, completions...)
	if got := q.State(last, stability.Memory{}).ArrivalsPerSecond; math.Abs(got-1) > 0.01 {
		t.Errorf("ten at each second: %v/s, want one", got)
	}
	if got := q.State(last.Add(time.Hour), stability.Memory{}).ArrivalsPerSecond; math.Abs(got-1) > 0.01 {
		t.Errorf("an hour after the last: %v/s, want one", got)
	}
}
