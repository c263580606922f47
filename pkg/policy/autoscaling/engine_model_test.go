// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// plainEngine takes 10 ms for a step, 10 µs for each token of a prompt and 1 ms for each
// request that decodes.
var plainEngine = EngineModel{
	Timer:        latency.Linear{BaseMicroseconds: 10_000, PerPrefillTokenMicroseconds: 10, PerDecodeTokenMicroseconds: 1000},
	Accelerators: 1, KVTokens: 100_000, MaxNumSeqs: 64, MaxNumBatchedTokens: 2000, ContextTokens: 10_000,
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
