// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// TypicalRequest stands for many, by its tokens: those of the prompt, those of
// them that the cache holds, which is less, and those of the answer, at least 1.
type TypicalRequest struct{ Prompt, Cached, Output float64 }

// ServedPerSecond estimates how many of such requests one replica of a pool
// serves when it never lacks any. As many are in its batch as it has room for,
// and every step begins as many prompts as end answers: as the batch, the blocks
// of the KV cache and the tokens of a step let through. What requests share lies
// in the cache once.
func (r TypicalRequest) ServedPerSecond(pool *simulator.Pool) float64 {
	fresh := max(r.Prompt-r.Cached, 1)
	held := float64(pool.KVBlocks*pool.BlockTokens) - r.Cached
	batch := min(float64(pool.MaxNumSeqs), max(held/(fresh+r.Output/2+r.windows(pool)), 1))
	begun := min(batch/r.Output, float64(pool.MaxNumBatchedTokens)/(fresh+r.Output))
	return begun / pool.Timer.StepTime(r.step(begun, fresh)).Seconds()
}

// windows is how many tokens' room a request takes for layers with sliding windows.
func (r TypicalRequest) windows(pool *simulator.Pool) float64 {
	tokens := min(r.Prompt+r.Output/2, float64(pool.Windows.Blocks*pool.BlockTokens))
	return float64(float64(pool.Windows.Groups) * tokens)
}

// step is one in which as many requests begin as end.
func (r TypicalRequest) step(begun, fresh float64) latency.Step {
	decodes := begun * r.Output
	context := decodes * (r.Prompt + r.Output/2)
	chunk := fresh * r.Cached
	return latency.Step{
		Sequences:         int(math.Ceil(begun + decodes)),
		PrefillTokens:     int(math.Round(begun * fresh)),
		DecodeTokens:      int(math.Round(decodes)),
		SampledTokens:     int(math.Round(begun + decodes)),
		DecodePairs:       int64(context),
		AttentionPairs:    int64(context + begun*(chunk+fresh*(fresh+1)/2)),
		ContextTokens:     int64(context + begun*r.Prompt),
		DoublePromptPairs: int64(begun * fresh * (2*r.Prompt + fresh)),
	}
}
