// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// stepLog is a timer that remembers what it was asked.
type stepLog struct{ steps []latency.Step }

func (l *stepLog) StepTime(s latency.Step) time.Duration {
	l.steps = append(l.steps, s)
	return time.Millisecond
}

// TestStepSums pins what a step time may depend on: a chunk attends to what
// was computed before it and not to its whole prompt, and only what ends a
// prompt or decodes is sampled.
func TestStepSums(t *testing.T) {
	text := func(tokens int32) prompt.Prompt {
		return prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: tokens})
	}
	timer := &stepLog{}
	simulate(t, simulator.Config{
		Pools: []simulator.Pool{{
			Name: "pool", Replicas: 1, Timer: timer, PrefixCaching: true,
			BlockTokens: 4, KVBlocks: 100, MaxNumSeqs: 8, MaxNumBatchedTokens: 10,
		}},
		Policies: policy.RoutedBy(toFirst{}),
		Source: &script{requests: []workload.Request{
			{ID: 0, Prompt: text(13), OutputTokens: 2, Response: 2},
			{ID: 1, Prompt: text(13), OutputTokens: 1, Response: 3},
		}},
		Horizon:         simulator.Horizon{Drain: time.Hour},
		CheckInvariants: true,
	})
	want := []latency.Step{
		// The first prompt's tokens 1…10: 1+2+…+10 pairs.
		{Sequences: 1, PrefillTokens: 10, AttentionPairs: 55, ContextTokens: 10, DoublePromptPairs: 10 * (26 + 10)},
		// Its tokens 11…13, and the other prompt's last, whose first 12 are
		// cached by now.
		{Sequences: 2, PrefillTokens: 4, AttentionPairs: 11 + 12 + 13 + 13, ContextTokens: 13 + 13, SampledTokens: 2, DoublePromptPairs: 3*(26+3) + 1*(26+1)},
		// The first request's second token, with 14 tokens of context.
		{Sequences: 1, DecodeTokens: 1, AttentionPairs: 14, DecodePairs: 14, ContextTokens: 14, SampledTokens: 1},
	}
	if diff := cmp.Diff(want, timer.steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// TestStepSumsOfARecompute: what a preempted request computes again is a prefill
// of its prompt and of what it had generated, all of which its chunks belong to.
func TestStepSumsOfARecompute(t *testing.T) {
	text := func(source uint64, tokens int32) prompt.Prompt {
		return prompt.Prompt{}.Append(prompt.Extent{Source: source, Tokens: tokens})
	}
	timer := &stepLog{}
	sum := simulate(t, simulator.Config{
		Pools: []simulator.Pool{{
			Name: "pool", Replicas: 1, Timer: timer,
			BlockTokens: 4, KVBlocks: 4, MaxNumSeqs: 8, MaxNumBatchedTokens: 6,
		}},
		Policies: policy.RoutedBy(toFirst{}),
		Source: &script{requests: []workload.Request{
			{ID: 0, Prompt: text(1, 3), OutputTokens: 8, Response: 3},
			{ID: 1, Prompt: text(2, 3), OutputTokens: 8, Response: 4},
		}},
		Horizon:         simulator.Horizon{Drain: time.Hour},
		CheckInvariants: true,
	})
	if sum.Preemptions != 1 {
		t.Fatalf("%d preemptions, want 1", sum.Preemptions)
	}
	var chunks []latency.Step
	for _, step := range timer.steps[1:] {
		if step.PrefillTokens > 0 {
			chunks = append(chunks, step)
		}
	}
	// The second request had 3 + 6 tokens when it lost its blocks, 8 of them
	// computed. They come back in chunks of 6 and 3, alone.
	want := []latency.Step{
		{Sequences: 1, PrefillTokens: 6, AttentionPairs: 21, ContextTokens: 6, DoublePromptPairs: 6 * (2*9 + 6)},
		{Sequences: 1, PrefillTokens: 3, AttentionPairs: 7 + 8 + 9, ContextTokens: 9, DoublePromptPairs: 3 * (2*9 + 3), SampledTokens: 1},
	}
	if diff := cmp.Diff(want, chunks); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
}
