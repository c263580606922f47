// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// speculate lets a cluster speculate, with so many tokens ahead.
func speculate(c *simulator.Config, lookahead int, acceptance ...float64) {
	for i := range c.Pools {
		c.Pools[i].Speculation = &simulator.Speculation{Tokens: len(acceptance), Lookahead: lookahead, Acceptance: acceptance}
	}
}

// answers runs some requests with answers of a length on a roomy engine.
func answers(t *testing.T, seed int64, requests, tokens int, acceptance ...float64) (*simulator.Cell, *stepLog) {
	t.Helper()
	timer := &stepLog{}
	c := simulator.Config{
		Pools: []simulator.Pool{{
			Name: "pool", Replicas: 1, Timer: timer,
			BlockTokens: 16, KVBlocks: 100_000, MaxNumSeqs: requests, MaxNumBatchedTokens: 100_000,
		}},
		Policies: policy.RoutedBy(toFirst{}),
		Horizon:  simulator.Horizon{Drain: time.Hour},
		Seed:     seed, CheckInvariants: true,
	}
	speculate(&c, 0, acceptance...)
	source := &script{}
	for id := range requests {
		text := prompt.Prompt{}.Append(prompt.Extent{Source: uint64(id), Tokens: 8})
		source.requests = append(source.requests, workload.Request{ID: id, Prompt: text, OutputTokens: tokens, Response: uint64(1000 + id)})
	}
	c.Source = source
	return simulate(t, c), timer
}

// Without an accepted draft an answer takes a step a token. With all drafts accepted it takes
// a step for its first token, and for each k + 1 of the others.
func TestStepsOfAnAnswer(t *testing.T) {
	const tokens = 61
	for name, tc := range map[string]struct {
		acceptance []float64
		steps      int
	}{
		"no drafts accepted":      {[]float64{0, 0, 0}, tokens},
		"one of three accepted":   {[]float64{1, 0, 0}, 1 + 60/2},
		"all of three accepted":   {[]float64{1, 1, 1}, 1 + 60/4},
		"one draft, and accepted": {[]float64{1}, 1 + 60/2},
	} {
		t.Run(name, func(t *testing.T) {
			sum, timer := answers(t, 1, 5, tokens, tc.acceptance...)
			if len(timer.steps) != tc.steps || sum.OutputTokens != 5*tokens || sum.ITL.Count() != 5*int64(tc.steps-1) {
				t.Errorf("%d steps, %d tokens, %d gaps; want %d, %d, %d", len(timer.steps), sum.OutputTokens, sum.ITL.Count(), tc.steps, 5*tokens, 5*(tc.steps-1))
			}
		})
	}
}

// The mean number of tokens that a request gets in a step is 1 + 0.8 + 0.6 + 0.3 = 2.7. The
// number of accepted drafts is the sum of three indicators of nested events, so that its
// variance is 0.8 + 3·0.6 + 5·0.3 − 1.7² = 1.21.
func TestAcceptedDraftsHaveTheirShares(t *testing.T) {
	const deviations = 4
	for seed := range int64(5) {
		sum, _ := answers(t, seed, 40, 2000, 0.8, 0.6, 0.3)
		mean := 1 + float64(sum.AcceptedTokens)/float64(sum.Drafts)
		bound := deviations * math.Sqrt(1.21/float64(sum.Drafts))
		if math.Abs(mean-2.7) > bound || sum.DraftTokens != 3*sum.Drafts || sum.OutputTokens != 40*2000 {
			t.Errorf("seed %d: %d drafts of %d tokens, %v tokens a step, want 2.7 ± %v", seed, sum.Drafts, sum.DraftTokens, mean, bound)
		}
	}
	if got := (&simulator.Speculation{Tokens: 3, Acceptance: []float64{0.8, 0.6, 0.3}}).TokensPerStep(); math.Abs(got-2.7) > 1e-12 {
		t.Errorf("%v tokens a step are expected, want 2.7", got)
	}
}

// TestStepSumsOfAVerification: the step of a request that has 8 tokens of a prompt and one
// of its answer verifies two drafts. Their three tokens attend to 9, 10 and 11 tokens; the
// last one is wrong, so that the next step begins with the eleventh token.
func TestStepSumsOfAVerification(t *testing.T) {
	_, timer := answers(t, 1, 1, 4, 1, 0)
	verifying := func(h int64) latency.Step {
		return latency.Step{
			Sequences: 1, DecodeTokens: 3, SampledTokens: 3, ContextTokens: h + 3,
			AttentionPairs: 3*h + 6, DecodePairs: 3*h + 6, DraftPairs: 2*h + 3,
		}
	}
	want := []latency.Step{
		{Sequences: 1, PrefillTokens: 8, AttentionPairs: 36, ContextTokens: 8, SampledTokens: 1, DoublePromptPairs: 8 * (16 + 8)},
		verifying(8),
		verifying(10),
	}
	if diff := cmp.Diff(want, timer.steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	plain := latency.Step{Sequences: 1, DecodeTokens: 1, SampledTokens: 1, ContextTokens: 9, AttentionPairs: 9, DecodePairs: 9}
	if diff := cmp.Diff(verifying(8), plain.Verifying(2)); diff != "" {
		t.Errorf("a step that verifies (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(plain, plain.Verifying(0)); diff != "" {
		t.Errorf("a step without drafts (-want +got):\n%s", diff)
	}
}

func TestSpeculationThatIsRefused(t *testing.T) {
	for name, s := range map[string]simulator.Speculation{
		"no drafts":             {},
		"no acceptance":         {Tokens: 1},
		"one share too few":     {Tokens: 2, Acceptance: []float64{0.5}},
		"a rising acceptance":   {Tokens: 2, Acceptance: []float64{0.5, 0.6}},
		"a share above 1":       {Tokens: 1, Acceptance: []float64{1.1}},
		"a negative share":      {Tokens: 1, Acceptance: []float64{-0.1}},
		"a share of NaN":        {Tokens: 1, Acceptance: []float64{math.NaN()}},
		"a look beyond drafts":  {Tokens: 1, Lookahead: 2, Acceptance: []float64{1}},
		"a negative look-ahead": {Tokens: 1, Lookahead: -1, Acceptance: []float64{1}},
	} {
		t.Run(name, func(t *testing.T) {
			defer paniccheck.Want(t, "%+v is taken", s)
			s.Check()
		})
	}
}
