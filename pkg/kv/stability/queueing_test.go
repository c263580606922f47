// SPDX-License-Identifier: Apache-2.0

package stability_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// within compares numbers to that relative error.
func within(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if math.Abs(got-want) > relative*math.Abs(want) {
		t.Errorf("%s: %v, want %v ± %.1f %%", what, got, want, 100*relative)
	}
}

// steady returns a controller after ten windows of arrivals at a constant rate,
// whose requests are all alike, and the time between the last of them and the
// next.
func steady(c stability.Config, perSecond int, step time.Duration, request stability.Completion) (*stability.Queueing, simtime.Time) {
	q := stability.NewQueueing(c, 0)
	gap := time.Second / time.Duration(perSecond)
	at := simtime.Time(0)
	for ; at < simtime.Time(10*c.Window); at = at.Add(gap) {
		q.Arrival(at)
		q.Completion(at, request)
		q.Steps(at, int(gap/step), gap)
	}
	return q, at.Add(-gap / 2)
}

// TestQueueingState works the formulas out by hand: 100 requests/s of 512 and
// 128 tokens, 20 ms steps, 26 312 blocks of 16 tokens.
func TestQueueingState(t *testing.T) {
	memory := stability.Memory{TotalBlocks: 26_312, FreeBlocks: 26_312}
	alike := stability.Completion{PromptTokens: 512, OutputTokens: 128, Blocks: 40}
	for name, tc := range map[string]struct {
		config  func(*stability.Config)
		request stability.Completion
		shared  int
		want    stability.State
	}{
		"default": {
			request: alike,
			want: stability.State{
				ServedPerSecond: 283.29, Utilization: 0.35299, StabilityMarginPercent: 64.70, RecommendedKVBits: 16,
				TokenIterationsPerRequest: 74_304, BlocksPerRequest: 40,
				UsedBlocks: 9288, UsedBlocksStdDev: 579.45, MinimumStableBlocks: 10_682, CriticalArrivalsPerSecond: 246.34,
				ReserveBlocks: 80, // of 128·100 tokens/s, in 0.1 s
			},
		},
		"a margin of four deviations": {
			config:  func(c *stability.Config) { c.MarginDeviations = 4 },
			request: alike,
			want: stability.State{
				ServedPerSecond: 283.29, Utilization: 0.35299, StabilityMarginPercent: 64.70, RecommendedKVBits: 16,
				TokenIterationsPerRequest: 74_304, BlocksPerRequest: 40,
				UsedBlocks: 9288, UsedBlocksStdDev: 579.45, MinimumStableBlocks: 11_606, CriticalArrivalsPerSecond: 244.29,
				ReserveBlocks: 80,
			},
		},
		"a common prefix of 256 tokens is there once": {
			request: stability.Completion{PromptTokens: 512, OutputTokens: 128, Blocks: 40, SharedBlocks: 16},
			shared:  16,
			want: stability.State{
				ServedPerSecond: 509.61, Utilization: 0.19623, StabilityMarginPercent: 80.38, RecommendedKVBits: 16,
				TokenIterationsPerRequest: 41_280, BlocksPerRequest: 24,
				UsedBlocks: 5176, UsedBlocksStdDev: 323.42, MinimumStableBlocks: 5950, CriticalArrivalsPerSecond: 443.14,
				ReserveBlocks: 80,
			},
		},
		"prompts in chunks grow too": {
			config:  func(c *stability.Config) { c.PromptChunkTokens = 128 },
			request: alike,
			want: stability.State{
				ServedPerSecond: 280.38, Utilization: 0.35665, StabilityMarginPercent: 64.34, RecommendedKVBits: 16,
				TokenIterationsPerRequest: 75_072, BlocksPerRequest: 40,
				UsedBlocks: 9384, UsedBlocksStdDev: 581.00, MinimumStableBlocks: 10_792, CriticalArrivalsPerSecond: 243.82,
				ReserveBlocks: 320,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			config := stability.DefaultConfig()
			config.Window = 10 * time.Second
			if tc.config != nil {
				tc.config(&config)
			}
			q, at := steady(config, 100, 10*time.Millisecond, tc.request)
			// The steps of 10 ms weigh nothing any more beside these.
			q.Steps(at, 1_000_000_000, 20_000_000*time.Second)
			m := memory
			m.SharedBlocks, m.FreeBlocks = tc.shared, m.FreeBlocks-tc.shared
			want := tc.want
			want.ArrivalsPerSecond, want.StepSeconds, want.IsStable = 100, 0.020, true
			got := q.State(at, m)
			if diff := cmp.Diff(want, got, cmpopts.EquateApprox(2e-4, 0),
				cmpopts.IgnoreFields(stability.State{}, "UtilizationStdError", "MinimumStableBlocks")); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
			within(t, "minimum", float64(got.MinimumStableBlocks), float64(want.MinimumStableBlocks), 2e-4)
			within(t, "standard error", got.UtilizationStdError, got.Utilization/math.Sqrt(2*100*10), 1e-3)
		})
	}
}

// TestStableIfAndOnlyIfServed lets Poisson arrivals meet a replica, at rates
// around the one that its memory lets through, and compares the controller's
// verdict with whether the queue grows. How fast it grows is not for μ alone to
// say: requests of one length that were admitted together end together, and
// leave room in between.
func TestStableIfAndOnlyIfServed(t *testing.T) {
	const tokens, step = 16 * 10_000, 20 * time.Millisecond
	for name, requests := range map[string]func(*stats.Stream) request{
		"constant lengths": func(*stats.Stream) request { return request{128, 32} },
		"lengths that vary": func(s *stats.Stream) request {
			return request{1 + int(min(1000, 150*s.Exponential())), 1 + int(min(200, 30*s.Exponential()))}
		},
	} {
		demand, n := 0.0, 100_000
		lengths := stats.NewStream(2, name)
		for range n {
			r := requests(lengths)
			demand += stability.TokenIterations(r.prompt, r.output, 0) / float64(n)
		}
		served := stability.ServedPerSecond(tokens, step.Seconds(), demand)
		for _, share := range []float64{0.7, 0.8, 0.9, 1.1, 1.2, 1.3} {
			t.Run(fmt.Sprintf("%s, %.1f of %.0f requests per s", name, share, served), func(t *testing.T) {
				t.Parallel()
				config := stability.DefaultConfig()
				config.Window = 40 * time.Second
				q := stability.NewQueueing(config, 0)
				l := newLoad(tokens, step, share*served, requests)
				l.until(80e9, q)
				before := len(l.replica.queue)
				l.until(240e9, q)
				growth := float64(len(l.replica.queue)-before) / 160
				if grows := growth > 0.05*share*served; grows != (share > 1) {
					t.Errorf("the queue grows by %v/s", growth)
				}
				state := q.State(l.now, stability.Memory{TotalBlocks: tokens / 16})
				t.Logf("ρ = %.3f ± %.3f, the queue grows by %.2f/s", state.Utilization, state.UtilizationStdError, growth)
				if state.Insufficient || state.IsStable != (share < 1) {
					t.Errorf("stable: %t at ρ = %v", state.IsStable, state.Utilization)
				}
				within(t, "μ", state.ServedPerSecond, served, 0.03)
				if math.Abs(state.Utilization-share) > 4*state.UtilizationStdError {
					t.Errorf("ρ = %v ± %v", state.Utilization, state.UtilizationStdError)
				}
			})
		}
	}
}

// TestUsedBlocks compares what the controller expects to be in use with what a
// replica holds that has memory for everything.
func TestUsedBlocks(t *testing.T) {
	config := stability.DefaultConfig()
	config.Window = 500 * time.Second
	q := stability.NewQueueing(config, 0)
	l := newLoad(1<<30, 20*time.Millisecond, 20, func(s *stats.Stream) request {
		return request{1 + int(300*s.Exponential()), 1 + int(60*s.Exponential())}
	})
	l.until(1000e9, q)
	state := q.State(l.now, stability.Memory{TotalBlocks: 1 << 26})
	mean := l.heldTokens / l.steps
	within(t, "mean", 16*state.UsedBlocks, mean, 0.03)
	within(t, "standard deviation", 16*state.UsedBlocksStdDev, math.Sqrt(l.heldSquared/l.steps-mean*mean), 0.05)
}

// TestCriticalRate has the minimum of a state at its critical rate be the
// total, whichever margin is the wider.
func TestCriticalRate(t *testing.T) {
	for _, deviations := range []float64{0, 2, 10} {
		t.Run(fmt.Sprint(deviations), func(t *testing.T) {
			config := stability.DefaultConfig()
			config.Window, config.MarginDeviations = 10*time.Second, deviations
			alike := stability.Completion{PromptTokens: 900, OutputTokens: 100, Blocks: 63}
			q, at := steady(config, 50, 20*time.Millisecond, alike)
			critical := q.State(at, stability.Memory{TotalBlocks: 7000}).CriticalArrivalsPerSecond
			atCritical, at := steady(config, int(math.Round(critical)), time.Millisecond, alike)
			// As long as the steps of the first.
			atCritical.Steps(at, 1_000_000_000, 20_000_000*time.Second)
			minimum := atCritical.State(at, stability.Memory{TotalBlocks: 7000}).MinimumStableBlocks
			within(t, "minimum", float64(minimum)*critical/math.Round(critical), 7000, 0.005)
		})
	}
}

func TestInsufficientUntilThereIsData(t *testing.T) {
	q := stability.NewQueueing(stability.DefaultConfig(), 0)
	memory := stability.Memory{TotalBlocks: 100, FreeBlocks: 20, EvictableBlocks: 10}
	state := func() stability.State { return q.State(20e9, memory) }
	if diff := cmp.Diff(stability.State{Insufficient: true}, state()); diff != "" {
		t.Errorf("at the start (-want +got):\n%s", diff)
	}
	for i := range 9 {
		q.Arrival(simtime.Time(i) * 1e9)
		q.Steps(simtime.Time(i)*1e9, 1, time.Millisecond)
		q.Completion(simtime.Time(i)*1e9, stability.Completion{PromptTokens: 1, OutputTokens: 1, Blocks: 1})
	}
	if s := state(); !s.Insufficient || s.ArrivalsPerSecond == 0 || s.IsStable {
		t.Errorf("after nine completions: %+v", s)
	}
	// What is not known reserves nothing, and the request still gets its blocks.
	if diff := cmp.Diff(stability.EvictionPlan{EvictBlocks: 5}, q.Decide(20e9, memory, 25)); diff != "" {
		t.Errorf("decision (-want +got):\n%s", diff)
	}
	q.Completion(10e9, stability.Completion{})
	if s := state(); s.Insufficient || !s.IsStable {
		t.Errorf("after ten completions: %+v", s)
	}
}

// TestQuietAfterTraffic lets traffic stop: what is known of requests stays, and
// the load goes.
func TestQuietAfterTraffic(t *testing.T) {
	config := stability.DefaultConfig()
	config.Window = 10 * time.Second
	q, at := steady(config, 50, 20*time.Millisecond, stability.Completion{PromptTokens: 900, OutputTokens: 100, Blocks: 63})
	memory := stability.Memory{TotalBlocks: 7000}
	before, after := q.State(at, memory), q.State(at.Add(20*time.Second), memory)
	within(t, "ρ after two windows", after.Utilization, before.Utilization*math.Exp(-2), 1e-4)
	if before.ServedPerSecond != after.ServedPerSecond {
		t.Errorf("μ was %v/s and is %v/s", before.ServedPerSecond, after.ServedPerSecond)
	}
	if later := q.State(at.Add(time.Hour), memory); later.MinimumStableBlocks != 0 || later.Insufficient {
		t.Errorf("an hour later: %+v", later)
	}
}

// TestFloorUnderThrottle asks three times within the least time between
// evictions.
func TestFloorUnderThrottle(t *testing.T) {
	config := stability.DefaultConfig()
	config.Window = 10 * time.Second
	q, at := steady(config, 50, 20*time.Millisecond, stability.Completion{PromptTokens: 900, OutputTokens: 100, Blocks: 63})
	memory := stability.Memory{TotalBlocks: 9000, FreeBlocks: 100, EvictableBlocks: 6000}
	s := q.State(at, memory)
	target := s.MinimumStableBlocks - 3000 // of which 3000 are not evictable
	if target < 1000 || s.ReserveBlocks < 20 || s.ReserveBlocks > 40 {
		t.Fatalf("not the case this is about: %+v", s)
	}
	first := q.Decide(at, memory, 0)
	if diff := cmp.Diff(stability.EvictionPlan{EvictBlocks: target}, first); diff != "" {
		t.Errorf("the first (-want +got):\n%s", diff)
	}
	floor := 200 + s.ReserveBlocks - memory.FreeBlocks
	want := stability.EvictionPlan{EvictBlocks: floor, DeferredBlocks: target - floor}
	if diff := cmp.Diff(want, q.Decide(at.Add(time.Millisecond), memory, 200), cmpopts.EquateApprox(0, 1)); diff != "" {
		t.Errorf("a request in between (-want +got):\n%s", diff)
	}
	if d := q.Decide(at.Add(2*time.Millisecond), memory, 0); d.EvictBlocks != 0 || d.DeferredBlocks == 0 {
		t.Errorf("no request in between: %+v", d)
	}
	if d := q.Decide(at.Add(time.Second), memory, 0); d.EvictBlocks == 0 || d.DeferredBlocks != 0 {
		t.Errorf("a second later: %+v", d)
	}
}

// TestFloorDoesNotStarveTheRest has a request each 10 ms that the floor evicts
// for: the deferred rest goes after the least time between evictions still.
func TestFloorDoesNotStarveTheRest(t *testing.T) {
	config := stability.DefaultConfig()
	config.Window = 10 * time.Second
	q, at := steady(config, 50, 20*time.Millisecond, stability.Completion{PromptTokens: 900, OutputTokens: 100, Blocks: 63})
	memory := stability.Memory{TotalBlocks: 9000, FreeBlocks: 0, EvictableBlocks: 6000}
	var inFull []int
	for i := range 31 {
		d := q.Decide(at.Add(time.Duration(i)*10*time.Millisecond), memory, 63)
		if d.EvictBlocks < 63 {
			t.Fatalf("the floor is not kept: %+v", d)
		}
		if d.DeferredBlocks == 0 {
			inFull = append(inFull, i)
		}
	}
	if diff := cmp.Diff([]int{0, 10, 20, 30}, inFull); diff != "" {
		t.Errorf("requests at which nothing is deferred (-want +got):\n%s", diff)
	}
}

func TestTargetBeyondTheCacheIsReported(t *testing.T) {
	config := stability.DefaultConfig()
	config.Window = 10 * time.Second
	q, at := steady(config, 50, 20*time.Millisecond, stability.Completion{PromptTokens: 900, OutputTokens: 100, Blocks: 63})
	s := q.State(at, stability.Memory{TotalBlocks: 1000, FreeBlocks: 500, EvictableBlocks: 400})
	if s.IsStable || s.StabilityMarginPercent >= 0 || s.MissingBlocks != s.MinimumStableBlocks-1000 || s.RecommendedKVBits != 2 {
		t.Errorf("state of a cache that is far too small: %+v", s)
	}
	d := q.Decide(at, stability.Memory{TotalBlocks: 1000, FreeBlocks: 500, EvictableBlocks: 400}, 63)
	if diff := cmp.Diff(stability.EvictionPlan{EvictBlocks: 400}, d); diff != "" {
		t.Errorf("all that is idle goes, and the request need not wait (-want +got):\n%s", diff)
	}
}

func TestMemoryOfSharedPrefixesAlone(t *testing.T) {
	config := stability.DefaultConfig()
	config.Window = 10 * time.Second
	q, at := steady(config, 50, 20*time.Millisecond, stability.Completion{PromptTokens: 900, OutputTokens: 100, Blocks: 63})
	s := q.State(at, stability.Memory{TotalBlocks: 100, SharedBlocks: 100})
	if s.ServedPerSecond != 0 || !math.IsInf(s.Utilization, 1) || s.IsStable || s.CriticalArrivalsPerSecond != 0 {
		t.Errorf("nothing is left for requests: %+v", s)
	}
}

func TestConfigValidate(t *testing.T) {
	if errs := stability.DefaultConfig().Validate(field.NewPath("stability")); len(errs) > 0 {
		t.Errorf("the default: %v", errs)
	}
	var fields []string
	for _, err := range (stability.Config{
		Margin: math.NaN(), MinEvictionInterval: -1, MarginDeviations: math.Inf(1), PromptChunkTokens: -1,
	}).Validate(field.NewPath("stability")) {
		fields = append(fields, err.Field)
	}
	want := []string{
		"stability.window", "stability.margin", "stability.blockTokens", "stability.minEvictionInterval",
		"stability.marginDeviations", "stability.promptChunkTokens", "stability.minCompletions",
	}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
