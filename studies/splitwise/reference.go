// SPDX-License-Identifier: Apache-2.0

package main

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// uncontended are the times of a request that has a machine for itself, its
// prompt computed in one step.
type uncontended struct{ timer latency.StepTimer }

// ttft is the time of the prompt's step.
func (u uncontended) ttft(promptTokens int) time.Duration {
	n := int64(promptTokens)
	return u.timer.StepTime(latency.Step{
		Sequences: 1, PrefillTokens: promptTokens, AttentionPairs: n * (n + 1) / 2, ContextTokens: n, SampledTokens: 1,
	})
}

// tbt is the mean time between the tokens of an answer of at least 2: of a step
// with the mean of their contexts, as step times are all but linear in those.
func (u uncontended) tbt(promptTokens, answerTokens int) time.Duration {
	context := int64(promptTokens + answerTokens/2)
	return u.timer.StepTime(latency.Step{
		Sequences: 1, DecodeTokens: 1, AttentionPairs: context, DecodePairs: context, ContextTokens: context, SampledTokens: 1,
	})
}
