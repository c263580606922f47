// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// plainEngine takes 10 ms for a step, 10 µs for each token of a prompt and 1 ms for each
// request that decodes.
var plainEngine = EngineModel{
	Timer:    latency.Linear{BaseMicroseconds: 10_000, PerPrefillTokenMicroseconds: 10, PerDecodeTokenMicroseconds: 1000},
	KVTokens: 100_000, MaxNumSeqs: 64, MaxNumBatchedTokens: 2000, ContextTokens: 10_000,
}

// limited is the plain engine with other limits.
func limited(change func(*EngineModel)) *EngineModel {
	m := plainEngine
	change(&m)
	return &m
}

func TestPaces(t *testing.T) {
	usual := lengths{fresh: 1000, answer: 100}
	drafting := limited(func(m *EngineModel) { m.Drafts, m.TokensPerStep = 1, 1.5 })
	for name, tc := range map[string]struct{ got, want pace }{
		"a prompt in one step":                 {plainEngine.prefills(usual), pace{1 / 0.020, 0.020, 0}},
		"a prompt in chunks":                   {plainEngine.prefills(lengths{fresh: 5000, answer: 1}), pace{1 / 0.080, 0.080, 0}},
		"cached tokens are not computed":       {plainEngine.prefills(lengths{fresh: 1000, cached: 4000, answer: 1}), pace{1 / 0.020, 0.020, 0}},
		"decode within the target":             {plainEngine.decodes(usual, 0.050), pace{40 / (100 * 0.050), 0, 0.050}},
		"decode as long as the seats suffice":  {plainEngine.decodes(usual, 1), pace{64 / (100 * 0.074), 0, 0.074}},
		"decode as long as KV tokens suffice":  {limited(func(m *EngineModel) { m.KVTokens = 21_100 }).decodes(usual, 1), pace{20 / (100 * 0.030), 0, 0.030}},
		"decode beyond the target, one by one": {plainEngine.decodes(usual, 0.005), pace{1 / (100 * 0.011), 0, 0.011}},
		// With a draft each, of which half are accepted, a step of a batch of b takes 10 + 2b ms and
		// gives 1.5 tokens; beside 15b tokens of prompts it takes 10 + 2.15b ms, and that with another
		// prompt 10 ms more.
		"decode with drafts": {drafting.decodes(usual, 0.050), pace{32 / (100 * 0.074 / 1.5), 0, 0.074 / 1.5}},
		"both with drafts":   {drafting.serves(usual, 1, 0.032), pace{17 / (100 * 0.04655 / 1.5), 0.05655, 0.04655 / 1.5}},
		// With a batch of b a step takes 10 + b + b/10 ms, and that with another prompt 10 ms more.
		"both within the time between tokens":     {plainEngine.serves(usual, 1, 0.032), pace{20 / (100 * 0.032), 0.042, 0.032}},
		"both within the time to first token":     {plainEngine.serves(usual, 0.042, 1), pace{20 / (100 * 0.032), 0.042, 0.032}},
		"both, prompts as fast as answers end":    {limited(func(m *EngineModel) { m.MaxNumBatchedTokens = 220 }).serves(usual, 10, 1), pace{20 / (100 * 0.032), 6 * 0.032, 0.032}},
		"both beyond the targets, a batch of one": {plainEngine.serves(usual, 0.001, 0.001), pace{1 / (100 * 0.0111), 0.0211, 0.0111}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got, cmp.AllowUnexported(pace{}), cmpopts.EquateApprox(1e-9, 0)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The greatest batch that is found by halves is that of a search one by one.
func TestDecodesIsTheGreatestBatch(t *testing.T) {
	usual := lengths{fresh: 300, cached: 100, answer: 50}
	for itl := 0.001; itl < 0.1; itl += 0.0013 {
		want := 1
		for batch := 1; batch <= plainEngine.held(usual); batch++ {
			if plainEngine.seconds(plainEngine.decodeStep(batch, batch*usual.context())) <= itl {
				want = batch
			}
		}
		got := plainEngine.decodes(usual, itl)
		if batch := got.perSecond * 50 * got.itl; math.Abs(batch-float64(want)) > 1e-9 {
			t.Errorf("within %g s: a batch of %g, want %d", itl, batch, want)
		}
	}
}

// A prompt in chunks has the sums of its chunks, one after the other.
func TestPromptsInChunks(t *testing.T) {
	l := lengths{fresh: 5000, cached: 700}
	var want latency.Step
	for done := 0; done < l.fresh; done += 2000 {
		n, h := int64(min(2000, l.fresh-done)), int64(l.cached+done)
		want.AttentionPairs += n*h + n*(n+1)/2
		want.PrefillTokens += int(n)
	}
	var got latency.Step
	for range l.fresh / 2000 {
		got = withPrompts(got, 2000, l)
	}
	got = withPrompts(got, l.fresh%2000, l)
	if got.AttentionPairs != want.AttentionPairs || got.PrefillTokens != want.PrefillTokens {
		t.Errorf("%+v, want %+v", got, want)
	}
}
